-- keep: the same record again is one entry, open again if it was dealt with; older news of it is none
INSERT INTO quarantine AS q (tenant_id, project_id, endpoint_id, id, lane, run_id, observation, position, external_id, item_id, reasons, excerpt, record)
VALUES (current_tenant(), %(project)s, %(endpoint)s, %(id)s, %(lane)s, %(run_id)s, %(observation)s, %(position)s, %(external_id)s,
        %(item_id)s, %(reasons)s, %(excerpt)s, %(record)s)
ON CONFLICT (tenant_id, project_id, endpoint_id, id) DO UPDATE
   SET state = 'open', lane = excluded.lane, run_id = excluded.run_id, observation = excluded.observation, position = excluded.position,
       reasons = excluded.reasons, excerpt = excluded.excerpt, record = excluded.record, times = q.times + 1, last_at = clock_timestamp()
 WHERE q.observation <= excluded.observation;

-- overtake: what the source has said since about the same items; a retry of what it said before would undo it
UPDATE quarantine SET state = 'overtaken'
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND state = 'open'
   AND item_id = ANY (%(item_ids)s::uuid[]) AND observation < %(observation)s;

-- listed: for people, the latest first
SELECT id, project_id, endpoint_id, state, lane, run_id, observation, position, external_id, item_id::text,
       reasons, excerpt, record, times, first_at, last_at
  FROM quarantine
 WHERE tenant_id = current_tenant()
   AND (%(project)s::text IS NULL OR project_id = %(project)s)
   AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
   AND (%(state)s::text IS NULL OR state = %(state)s)
 ORDER BY last_at DESC, id LIMIT %(limit)s;

-- page: for people, the latest first; of a record, which may be large, only whether it was kept
SELECT id, project_id, endpoint_id, state, lane, run_id, observation, position, external_id, item_id::text,
       reasons, excerpt, left(record, 0) AS record, times, first_at, last_at
  FROM quarantine
 WHERE tenant_id = current_tenant() AND project_id = %(project)s
   AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
   AND (%(state)s::text IS NULL OR state = %(state)s)
   AND (%(key)s::text IS NULL OR shape = %(key)s)
   AND (%(last_at)s::timestamptz IS NULL OR last_at <= %(last_at)s)
   AND (%(last_at)s::timestamptz IS NULL OR last_at < %(last_at)s OR (endpoint_id, id) > (%(last_endpoint)s::text, %(last_id)s::text))
 ORDER BY last_at DESC, endpoint_id, id LIMIT %(limit)s;

-- of_group: those that are open and have the same thing wrong, whole, as a retry needs them; the latest first
SELECT id, project_id, endpoint_id, state, lane, run_id, observation, position, external_id, item_id::text,
       reasons, excerpt, record, times, first_at, last_at
  FROM quarantine
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND state = 'open' AND shape = %(key)s
   AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
   AND (%(last_at)s::timestamptz IS NULL OR last_at <= %(last_at)s)
   AND (%(last_at)s::timestamptz IS NULL OR last_at < %(last_at)s OR (endpoint_id, id) > (%(last_endpoint)s::text, %(last_id)s::text))
 ORDER BY last_at DESC, endpoint_id, id LIMIT %(limit)s;

-- waiting: how many of a group are open beyond a place, as far as people count
SELECT count(*)
  FROM (SELECT FROM quarantine
         WHERE tenant_id = current_tenant() AND project_id = %(project)s AND state = 'open' AND shape = %(key)s
           AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s)
           AND (%(last_at)s::timestamptz IS NULL OR last_at <= %(last_at)s)
           AND (%(last_at)s::timestamptz IS NULL OR last_at < %(last_at)s
                OR (endpoint_id, id) > (%(last_endpoint)s::text, %(last_id)s::text))
         LIMIT %(counted)s) AS beyond;

-- groups: what is wrong with how many, the most frequent first. From shape to shape in the index, and no further into one
-- than people count, so that a million records with the same fault cost no more than a thousand
WITH RECURSIVE shapes AS (
  (SELECT shape FROM quarantine
    WHERE tenant_id = current_tenant() AND project_id = %(project)s AND state = %(state)s AND (%(key)s::text IS NULL OR shape = %(key)s)
    ORDER BY shape LIMIT 1)
  UNION ALL
  SELECT (SELECT q.shape FROM quarantine q
           WHERE q.tenant_id = current_tenant() AND q.project_id = %(project)s AND q.state = %(state)s AND q.shape > shapes.shape
             AND %(key)s::text IS NULL
           ORDER BY q.shape LIMIT 1)
    FROM shapes WHERE shapes.shape IS NOT NULL
), known AS (
  SELECT shape FROM shapes WHERE shape IS NOT NULL LIMIT %(most)s
), counted AS (
  SELECT known.shape, of_it.entries, of_it.endpoints
    FROM known,
         LATERAL (SELECT sum(entries)::bigint AS entries, count(*) AS endpoints
                    FROM (SELECT endpoint_id, count(*) AS entries
                            FROM (SELECT endpoint_id FROM quarantine q
                                   WHERE q.tenant_id = current_tenant() AND q.project_id = %(project)s AND q.state = %(state)s
                                     AND q.shape = known.shape AND (%(endpoint)s::text IS NULL OR q.endpoint_id = %(endpoint)s)
                                   LIMIT %(counted)s) AS latest
                           GROUP BY endpoint_id) AS by_endpoint) AS of_it
   WHERE of_it.entries > 0
   ORDER BY of_it.entries DESC, known.shape LIMIT %(limit)s
)
SELECT counted.shape AS key, counted.entries, counted.endpoints, latest.*
  FROM counted,
       LATERAL (SELECT id, project_id, endpoint_id, state, lane, run_id, observation, position, external_id, item_id::text,
                       reasons, excerpt, left(record, 0) AS record, times, first_at, last_at
                  FROM quarantine q
                 WHERE q.tenant_id = current_tenant() AND q.project_id = %(project)s AND q.state = %(state)s
                   AND q.shape = counted.shape AND (%(endpoint)s::text IS NULL OR q.endpoint_id = %(endpoint)s)
                 ORDER BY last_at DESC, endpoint_id, id LIMIT 1) AS latest
 ORDER BY counted.entries DESC, latest.last_at DESC, counted.shape;

-- entry: one, whole; its id is the endpoint's, and another endpoint may have the same
SELECT id, project_id, endpoint_id, state, lane, run_id, observation, position, external_id, item_id::text,
       reasons, excerpt, record, times, first_at, last_at
  FROM quarantine
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND id = %(id)s;

-- find: by the beginning of the id
SELECT id, project_id, endpoint_id, state, lane, run_id, observation, position, external_id, item_id::text,
       reasons, excerpt, record, times, first_at, last_at
  FROM quarantine
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND starts_with(id, %(id)s)
 LIMIT 2;

-- settle: unless it was refused once more in between
UPDATE quarantine SET state = %(state)s
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND id = %(id)s AND times = %(times)s
   AND state = 'open';

-- refuse_again: with the reasons of today, unless it was refused once more in between
UPDATE quarantine SET reasons = %(reasons)s
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND id = %(id)s AND times = %(times)s
   AND state = 'open';

-- drop_group: what was there when somebody looked, and is still open with the same thing wrong; what came since stays, and so
-- does what somebody else has in hand, such as a page that brings it again
WITH chosen AS MATERIALIZED ( -- chosen once: a plan that asks again for each row would skip those it has locked, and take more
  SELECT endpoint_id, id FROM quarantine
   WHERE tenant_id = current_tenant() AND project_id = %(project)s AND state = 'open' AND shape = %(key)s
     AND (%(endpoint)s::text IS NULL OR endpoint_id = %(endpoint)s) AND last_at <= %(until)s
   ORDER BY last_at DESC, endpoint_id, id LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
UPDATE quarantine q SET state = 'dropped' FROM chosen
 WHERE q.tenant_id = current_tenant() AND q.project_id = %(project)s AND q.endpoint_id = chosen.endpoint_id AND q.id = chosen.id
RETURNING q.endpoint_id, q.id;
