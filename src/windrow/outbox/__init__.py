"""Lanes and batches: pages that are durable together with the cursor after them."""
