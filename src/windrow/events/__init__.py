"""The metadata worker's HTTP surface: what arrives, from whom, and what is answered."""
