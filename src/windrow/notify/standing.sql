-- last_words: one step into the log of each channel for each subject
SELECT said.message_id, said.topic, said.payload, said.published_at
  FROM unnest(%(topics)s::text[]) AS asked (topic)
 CROSS JOIN unnest(%(subjects)s::text[]) AS about (key)
 CROSS JOIN LATERAL (
   SELECT line.message_id FROM topic_log AS line
    WHERE line.tenant_id = current_tenant() AND line.topic = asked.topic AND line.key = about.key AND line.position IS NOT NULL
      AND line.subscription IS NULL
    ORDER BY line.position DESC LIMIT 1) AS last
  JOIN messages AS said ON said.tenant_id = current_tenant() AND said.topic = asked.topic AND said.message_id = last.message_id
 ORDER BY said.published_at DESC, said.message_id DESC;

-- lately: by the index of notices. What a stranger has published here has a severity of its own, and is not counted by the caller
SELECT date_bin(make_interval(hours => %(hours)s), published_at, '2000-01-01') AS since, severity, count(*) AS notices
  FROM (SELECT published_at, payload ->> 'severity' AS severity FROM messages
         WHERE tenant_id = current_tenant() AND starts_with(topic, 'notify.')
           AND coalesce(payload ->> 'project_id', %(project)s) = %(project)s
           AND published_at > now() - make_interval(days => %(days)s)
         ORDER BY published_at DESC LIMIT %(most)s) AS latest
 GROUP BY 1, 2;
