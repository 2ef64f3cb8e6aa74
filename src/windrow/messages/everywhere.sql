-- begun: the tenants in which a topic has begun
SELECT tenant_id FROM topics WHERE name = %(topic)s ORDER BY tenant_id;

-- newcomers: those of them that lack the subscription
SELECT begun.tenant_id FROM topics AS begun
 WHERE begun.name = %(topic)s
   AND NOT EXISTS (SELECT FROM subscriptions AS there
                    WHERE there.tenant_id = begun.tenant_id AND there.name = %(subscription)s)
 ORDER BY begun.tenant_id;

-- subscribed: the tenants that have a subscription of this name
SELECT tenant_id FROM subscriptions WHERE name = %(subscription)s ORDER BY tenant_id;
