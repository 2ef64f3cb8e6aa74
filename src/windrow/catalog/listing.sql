-- enter: with others who write items; a lock of its own, since there may be no listing to lock yet
SELECT pg_advisory_xact_lock_shared(hashtextextended(format('items of %%s/%%s/%%s', current_tenant(), %(project)s::text, %(endpoint)s::text), 0));

-- enter_alone: to carry out a listing
SELECT pg_advisory_xact_lock(hashtextextended(format('items of %%s/%%s/%%s', current_tenant(), %(project)s::text, %(endpoint)s::text), 0));

-- abandon_lane: what was not carried out when the next one begins
UPDATE listings SET state = 'abandoned', why = %(why)s, ended_at = clock_timestamp()
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND lane = %(lane)s
   AND state IN ('open', 'whole', 'held');

-- open: with the same filters as the one before, what that one showed counts too
INSERT INTO listings (tenant_id, project_id, endpoint_id, generation, horizon, lane, run_id, filters, filters_since, last_seq)
SELECT current_tenant(), %(project)s, %(endpoint)s, %(generation)s, %(horizon)s, %(lane)s, %(run_id)s, %(filters)s,
       coalesce((SELECT CASE WHEN b.filters = %(filters)s THEN b.filters_since END FROM listings b
                  WHERE b.tenant_id = current_tenant() AND b.project_id = %(project)s AND b.endpoint_id = %(endpoint)s
                  ORDER BY b.generation DESC LIMIT 1),
                %(generation)s), 0;

-- under_way: the open one of the lane
SELECT generation, last_seq, filters FROM listings
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND lane = %(lane)s AND state = 'open';

-- add_page: what a page showed
INSERT INTO listing_pages (tenant_id, project_id, endpoint_id, generation, seq, item_ids)
VALUES (current_tenant(), %(project)s, %(endpoint)s, %(generation)s, %(seq)s, %(item_ids)s::uuid[]);

-- reached: how far the listing is
UPDATE listings SET last_seq = %(seq)s, items = items + %(items)s
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND generation = %(generation)s;

-- abandon: it will not delete anything
UPDATE listings SET state = 'abandoned', why = %(why)s, ended_at = clock_timestamp()
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND generation = %(generation)s
   AND state IN ('open', 'whole', 'held');

-- forget_pages: of a listing that says nothing
DELETE FROM listing_pages
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND generation = %(generation)s;

-- make_whole: complete, to be weighed when its last batch is persisted
UPDATE listings SET state = 'whole'
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND generation = %(generation)s
   AND state = 'open';

-- find: in the state that is asked for, locked
SELECT generation, lane, run_id, filters, filters_since, horizon, last_seq, state, items, missing, known, why, begun_at, ended_at
  FROM listings
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND generation = %(generation)s
   AND state = %(state)s
   FOR UPDATE;

-- count: how many would go, of how many
SELECT (SELECT count(*) FROM missing_items(%(project)s, %(endpoint)s, %(generation)s, %(since)s)) AS missing,
       (SELECT count(*) FROM items i WHERE i.tenant_id = current_tenant() AND i.project_id = %(project)s
           AND i.endpoint_id = %(endpoint)s AND NOT i.deleted) AS known;

-- hold: too much for a program to decide
UPDATE listings SET state = 'held', missing = %(missing)s, known = %(known)s,
       why = format('%%s of %%s items are not in it', %(missing)s::bigint, %(known)s::bigint)
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND generation = %(generation)s;

-- bury: as of the listing's horizon, so that whatever was asked for after its first request stands above
UPDATE items AS i
   SET deleted = true, content_hash = %(tombstone)s, observation = %(horizon)s, run_id = %(run_id)s,
       fetched_at = clock_timestamp(), changed_at = clock_timestamp(), revision = i.revision + 1
  FROM (SELECT missing AS item_id FROM missing_items(%(project)s, %(endpoint)s, %(generation)s, %(since)s) AS missing ORDER BY missing) AS m
 WHERE i.tenant_id = current_tenant() AND i.item_id = m.item_id AND NOT i.deleted AND i.observation < %(horizon)s
RETURNING i.item_id::text;

-- unrelate: what is gone has to do with nothing
DELETE FROM item_relations WHERE tenant_id = current_tenant() AND item_id = ANY (%(item_ids)s::uuid[]);

-- applied: carried out
UPDATE listings SET state = 'applied', missing = %(missing)s, known = %(known)s, ended_at = clock_timestamp()
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND generation = %(generation)s;

-- forget_before: the pages of earlier ones. Those of this one are what the next is compared with, and older news too; of the
-- filters before, the last one is kept as well, for news that is still older
DELETE FROM listing_pages
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND generation < %(generation)s
   AND generation <> coalesce((SELECT max(l.generation) FROM listings l
                                WHERE l.tenant_id = current_tenant() AND l.project_id = %(project)s AND l.endpoint_id = %(endpoint)s
                                  AND l.state = 'applied' AND l.generation < %(since)s), 0);

-- carried_out_since: that began after a request, if it is known what they showed
SELECT l.generation, l.filters_since, l.horizon FROM listings l
 WHERE l.tenant_id = current_tenant() AND l.project_id = %(project)s AND l.endpoint_id = %(endpoint)s
   AND l.generation > %(observation)s AND l.state = 'applied'
   AND EXISTS (SELECT FROM listing_pages p
                WHERE p.tenant_id = current_tenant() AND p.project_id = %(project)s AND p.endpoint_id = %(endpoint)s
                  AND p.generation = l.generation)
 ORDER BY l.generation DESC;

-- listed: for people
SELECT generation, lane, run_id, filters, filters_since, horizon, last_seq, state, items, missing, known, why, begun_at, ended_at
  FROM listings
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s
 ORDER BY generation DESC LIMIT %(limit)s;

-- oldest_undecided: what may still delete behind the back of this lane
SELECT min(horizon) AS oldest FROM listings
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s
   AND (state = 'held' OR state IN ('open', 'whole') AND lane <> %(lane)s);
