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
   AND (%(before)s::bigint IS NULL OR id < %(before)s)
 ORDER BY id DESC
 LIMIT %(limit)s;
