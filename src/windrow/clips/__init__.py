"""Clips: a stretch of a video, cut so that it is there whole or not at all."""
