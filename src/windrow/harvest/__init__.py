"""The harvest: pages from a source become batches in the outbox, and the outbox becomes the catalog."""
