-- due: the push subscriptions of a sink that have something to deliver now, in all tenants
SELECT subscribed.tenant_id, subscribed.name
  FROM subscriptions AS subscribed
 WHERE subscribed.sink = %(sink)s
   AND (SELECT strand.due_at FROM strands AS strand
         WHERE strand.tenant_id = subscribed.tenant_id AND strand.queue = subscribed.tenant_id || '/' || subscribed.name
           AND strand.due_at <= now()
         ORDER BY strand.due_at LIMIT 1) IS NOT NULL
 ORDER BY subscribed.tenant_id, subscribed.name;
