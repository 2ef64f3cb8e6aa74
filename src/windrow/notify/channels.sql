-- missing: the tenants in which a channel has begun, without the subscription that is wanted of it
SELECT begun.tenant_id, wanted.subscription
  FROM unnest(%(topics)s::text[], %(subscriptions)s::text[]) AS wanted (topic, subscription)
  JOIN topics AS begun ON begun.name = wanted.topic
 WHERE NOT EXISTS (SELECT FROM subscriptions AS there
                    WHERE there.tenant_id = begun.tenant_id AND there.name = wanted.subscription)
 ORDER BY begun.tenant_id, wanted.subscription;

-- attached: the tenants that have a subscription of this name
SELECT tenant_id FROM subscriptions WHERE name = %(subscription)s ORDER BY tenant_id;
