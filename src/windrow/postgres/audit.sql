-- record: in the transaction of the change itself, so that neither is there without the other
INSERT INTO audit_log (tenant_id, project_id, actor, authority, action, subject, before_hash, after_hash, reason, spec_ref,
                       request_id, correlation_id, details)
VALUES (current_tenant(), %(project_id)s, %(actor)s, %(authority)s, %(action)s, %(subject)s, %(before_hash)s, %(after_hash)s,
        %(reason)s, %(spec_ref)s, %(request_id)s, %(correlation_id)s, %(details)s)
RETURNING id;

-- history: newest first, a page at a time by the last id seen
SELECT id, at, tenant_id, project_id, actor, authority, action, subject, before_hash, after_hash, reason, spec_ref, request_id,
       correlation_id, details
  FROM audit_log
 WHERE (%(subject)s::text IS NULL OR subject = %(subject)s)
   AND (%(prefix)s::text IS NULL OR starts_with(subject, %(prefix)s))
   AND (%(actor)s::text IS NULL OR actor = %(actor)s)
   AND (%(action)s::text IS NULL OR action = %(action)s)
   AND (%(since)s::timestamptz IS NULL OR at >= %(since)s)
   AND (%(before)s::bigint IS NULL OR id < %(before)s)
 ORDER BY id DESC
 LIMIT %(limit)s;

-- actions: each kind of act that the trail knows, once; from one to the next in the index, however long the trail is
WITH RECURSIVE acts AS (
  (SELECT action FROM audit_log WHERE tenant_id = current_tenant() ORDER BY action LIMIT 1)
  UNION ALL
  SELECT (SELECT next.action FROM audit_log next
           WHERE next.tenant_id = current_tenant() AND next.action > acts.action ORDER BY next.action LIMIT 1)
    FROM acts WHERE acts.action IS NOT NULL
)
SELECT action FROM acts WHERE action IS NOT NULL LIMIT %(limit)s;
