"""Workflows: what happens in which order, and what follows a failure. Pure: they import contracts and Temporal, no more."""
