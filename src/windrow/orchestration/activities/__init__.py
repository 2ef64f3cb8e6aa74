"""Activities: thin steps that touch the world. What they do is written elsewhere; here it meets Temporal."""
