"""The overview: is everything flowing, what is stuck, and where to look."""
