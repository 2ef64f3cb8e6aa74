"""Benchmarks: ratios against a peer and against the raw limit of the same machine, in the same run."""
