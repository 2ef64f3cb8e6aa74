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
