"""The catalog: items with their history and relations, and the listings by which one learns what is gone."""
