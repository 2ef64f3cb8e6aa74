-- page: what people were told about the project, or about the tenant as a whole; the latest first
SELECT message_id, topic, payload, published_at
  FROM messages
 WHERE tenant_id = current_tenant() AND topic = ANY (%(topics)s)
   AND coalesce(payload ->> 'project_id', %(project)s) = %(project)s
   AND (%(published_at)s::timestamptz IS NULL OR (published_at, message_id) < (%(published_at)s, %(message_id)s::uuid))
 ORDER BY published_at DESC, message_id DESC LIMIT %(limit)s;
