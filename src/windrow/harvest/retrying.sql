-- known: which of these the catalog holds, be it as a tombstone
SELECT item_id::text FROM items WHERE tenant_id = current_tenant() AND item_id = ANY (%(item_ids)s::uuid[]);
