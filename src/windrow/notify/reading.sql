-- told: about the project, or about the tenant as a whole; the latest first. The first word about the topic is the
-- index's; the second is not to be one's, or all of a channel would be sorted for the latest of them.
SELECT message_id, topic, payload, published_at
  FROM messages
 WHERE tenant_id = current_tenant() AND starts_with(topic, 'notify.') AND (topic || '') = ANY (%(topics)s)
   AND CASE WHEN payload ->> 'project_id' IS NULL THEN %(whole)s ELSE payload ->> 'project_id' = %(project)s END
   AND (published_at, message_id) < (coalesce(%(told_at)s, 'infinity'::timestamptz),
                                     coalesce(%(notice_id)s, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
 ORDER BY published_at DESC, message_id DESC LIMIT %(limit)s;
