"""The composition root: settings in, wired objects out."""
