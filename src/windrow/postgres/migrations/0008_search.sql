-- Search: which words an item is found by, and the one way to look for them.
SELECT;
