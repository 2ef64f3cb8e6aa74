-- Leases: who holds which slot of a key, until when by this server's clock, and under which epoch.

CREATE TABLE leases (
  tenant_id   text        NOT NULL,
  key         text        COLLATE "C" NOT NULL CHECK (starts_with(key, 'tenant/' || tenant_id || '/project/')),
  slot        integer     NOT NULL CHECK (slot >= 0),
  epoch       bigint      NOT NULL CHECK (epoch > 0),
  holder      text,
  ttl         interval    NOT NULL,
  acquired_at timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, key, slot)
) WITH (fillfactor = 70); -- room for the next renewal in the same page
COMMENT ON TABLE leases IS 'One row for each slot ever used; rows stay, since they carry the epoch on. No holder: released. An expiry in the past: lost, whether or not another took it.';
ALTER TABLE leases ENABLE ROW LEVEL SECURITY;
ALTER TABLE leases FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON leases TO windrow_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());
GRANT SELECT, INSERT, UPDATE ON leases TO windrow_app;

-- Take a slot that is free, or nothing. It never waits for another transaction, so it cannot deadlock: a row that
-- somebody has locked is being taken, or its holder is inside a fenced transaction; either way it is not free.
--
-- A holder has one slot of a key. Asking again, it gets that slot anew under the next epoch, so that a second try of the
-- same work is not locked out by the first, and the first can no longer write.
--
-- Where the number of slots was lowered while higher ones were held, `bound` leaves room for those: the largest b for
-- which b lower slots and the live ones from b on are not more than allowed. It only rises while they run out, so one
-- read a moment ago is still safe.
CREATE FUNCTION lease_acquire(
  in_tenant text, in_key text, in_holder text, in_ttl interval, in_slots integer,
  OUT at_slot integer, OUT at_epoch bigint, OUT at_expiry timestamptz, OUT held_by text, OUT held_until timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
  bound     integer := in_slots;
  candidate integer;
  moment    timestamptz;
BEGIN
  PERFORM enter_tenant(in_tenant);
  IF NOT pg_try_advisory_xact_lock(hashtextextended(format('%s %s', in_key, in_holder), 0)) THEN
    held_by := in_holder; -- the same holder is acquiring at this moment
    RETURN;
  END IF;
  SELECT l.slot, l.holder, l.expires_at INTO candidate, held_by, held_until FROM leases l
   WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.holder = in_holder AND l.expires_at > clock_timestamp();
  IF FOUND THEN
    SELECT l.slot INTO at_slot FROM leases l
     WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = candidate AND l.holder = in_holder
       AND l.expires_at > clock_timestamp()
       FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      RETURN;
    END IF;
  ELSE
    IF EXISTS (SELECT FROM leases l WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot >= in_slots
                  AND l.holder IS NOT NULL AND l.expires_at > clock_timestamp()) THEN
      SELECT coalesce(max(b), 0) INTO bound FROM generate_series(0, in_slots) b
       WHERE b + (SELECT count(*) FROM leases l WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot >= b
                     AND l.holder IS NOT NULL AND l.expires_at > clock_timestamp()) <= in_slots;
    END IF;
    SELECT l.slot INTO at_slot FROM leases l
     WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot < bound
       AND (l.holder IS NULL OR l.expires_at <= clock_timestamp())
     ORDER BY l.slot LIMIT 1 FOR UPDATE SKIP LOCKED;
  END IF;

  moment := clock_timestamp();
  at_expiry := moment + in_ttl;
  IF at_slot IS NOT NULL THEN
    UPDATE leases l SET epoch = l.epoch + 1, holder = in_holder, ttl = in_ttl, acquired_at = moment, expires_at = at_expiry
     WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = at_slot
    RETURNING l.epoch INTO at_epoch;
    RETURN;
  END IF;
  FOR candidate IN
    SELECT s FROM generate_series(0, bound - 1) s
     WHERE NOT EXISTS (SELECT FROM leases l WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = s)
     ORDER BY s
  LOOP
    -- to insert a row that another transaction is inserting would wait for it; who has this lock is alone
    CONTINUE WHEN NOT pg_try_advisory_xact_lock(hashtextextended(format('%s %s', in_key, candidate), 1));
    INSERT INTO leases (tenant_id, key, slot, epoch, holder, ttl, acquired_at, expires_at)
    VALUES (in_tenant, in_key, candidate, 1, in_holder, in_ttl, moment, at_expiry)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
      at_slot := candidate; at_epoch := 1;
      RETURN;
    END IF;
  END LOOP;
  SELECT l.holder, l.expires_at INTO held_by, held_until FROM leases l
   WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.holder IS NOT NULL AND l.expires_at > clock_timestamp()
   ORDER BY l.expires_at LIMIT 1;
END $$;

-- What became of a lease; NULL as long as it holds. Asked of a row that is locked already, so that neither the answer
-- nor the clock can be overtaken by a wait.
CREATE FUNCTION lease_lost(l leases, in_epoch bigint, in_holder text) RETURNS text
LANGUAGE sql VOLATILE
RETURN CASE
  WHEN (l).epoch IS DISTINCT FROM in_epoch THEN 'superseded'
  WHEN (l).holder IS NULL THEN 'released'
  WHEN (l).holder <> in_holder THEN 'superseded'
  WHEN (l).expires_at <= clock_timestamp() THEN 'expired'
END;

-- Hold it for its whole time from now, if it still holds.
CREATE FUNCTION lease_renew(in_tenant text, in_key text, in_slot integer, in_epoch bigint, in_holder text,
                            OUT lost text, OUT at_expiry timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
  found_row leases;
BEGIN
  PERFORM enter_tenant(in_tenant);
  SELECT l.* INTO found_row FROM leases l WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = in_slot FOR NO KEY UPDATE;
  lost := lease_lost(found_row, in_epoch, in_holder);
  IF lost IS NULL THEN
    UPDATE leases l SET expires_at = clock_timestamp() + l.ttl
     WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = in_slot
    RETURNING l.expires_at INTO at_expiry;
  END IF;
END $$;

-- Give it back, if it still holds.
CREATE FUNCTION lease_release(in_tenant text, in_key text, in_slot integer, in_epoch bigint, in_holder text, OUT lost text)
LANGUAGE plpgsql AS $$
DECLARE
  found_row leases;
BEGIN
  PERFORM enter_tenant(in_tenant);
  SELECT l.* INTO found_row FROM leases l WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = in_slot FOR NO KEY UPDATE;
  lost := lease_lost(found_row, in_epoch, in_holder);
  IF lost IS NULL THEN
    UPDATE leases l SET holder = NULL, expires_at = clock_timestamp()
     WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = in_slot;
  END IF;
END $$;

-- The fence: from here to the end of this transaction nobody can take the slot, even if the lease ends meanwhile. The
-- weakest lock does it, because acquiring asks for the strongest; so the holder's own renewals are not held up.
CREATE FUNCTION lease_check(in_tenant text, in_key text, in_slot integer, in_epoch bigint, in_holder text, OUT lost text)
LANGUAGE plpgsql AS $$
DECLARE
  found_row leases;
BEGIN
  PERFORM enter_tenant(in_tenant);
  SELECT l.* INTO found_row FROM leases l WHERE l.tenant_id = in_tenant AND l.key = in_key AND l.slot = in_slot FOR KEY SHARE;
  lost := lease_lost(found_row, in_epoch, in_holder);
END $$;
