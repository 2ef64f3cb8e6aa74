-- acquire: a free slot or the reason why not, in one statement that never waits
SELECT at_slot, at_epoch, at_expiry, held_by, held_until
  FROM lease_acquire(%(tenant)s, %(key)s, %(holder)s, %(ttl)s, %(slots)s);

-- renew: only by its holder, only while it holds
SELECT lost, at_expiry FROM lease_renew(%(tenant)s, %(key)s, %(slot)s, %(epoch)s, %(holder)s);

-- release: only by its holder, only while it holds
SELECT lost FROM lease_release(%(tenant)s, %(key)s, %(slot)s, %(epoch)s, %(holder)s);

-- check: in the transaction of the write that it fences
SELECT lost FROM lease_check(%(tenant)s, %(key)s, %(slot)s, %(epoch)s, %(holder)s);

-- live: who holds what at this moment, for people
SELECT slot, epoch, holder, ttl, expires_at FROM leases
 WHERE tenant_id = current_tenant() AND key = %(key)s AND holder IS NOT NULL AND expires_at > clock_timestamp()
 ORDER BY slot;
