-- known: the store that the database belongs to; no row where none has been used yet
SELECT store_id, place, since FROM object_store;

-- belong: the first that is used is the one; of many that start at once, one
INSERT INTO object_store (store_id, place) VALUES (%(store_id)s, %(place)s) ON CONFLICT DO NOTHING;

-- replace: another one from now on, by an operator's word
INSERT INTO object_store (store_id, place) VALUES (%(store_id)s, %(place)s)
ON CONFLICT (is_the_one) DO UPDATE SET store_id = excluded.store_id, place = excluded.place, since = excluded.since;
