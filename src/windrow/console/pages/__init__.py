"""The console's pages: drawn here as HTML, whole without script, and made livelier by a little of our own."""
