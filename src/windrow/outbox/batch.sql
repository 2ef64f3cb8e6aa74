-- append: the batch at its place in the lane; subscribers hear of it when this commits
WITH appended AS (
  INSERT INTO harvest_outbox (
    tenant_id, project_id, endpoint_id, lane, seq, batch_id, epoch, observation, run_id, source_system, connector, connector_version,
    spec_ref, fetched_at, items, relations, tombstones, bytes, encoding, payload, generation)
  VALUES (
    current_tenant(), %(project)s, %(endpoint)s, %(lane)s, %(seq)s, %(batch_id)s, %(epoch)s, %(observation)s, %(run_id)s,
    %(source_system)s, %(connector)s, %(connector_version)s, %(spec_ref)s, %(fetched_at)s, %(items)s, %(relations)s, %(tombstones)s,
    %(bytes)s, %(encoding)s, %(payload)b, %(generation)s)
  RETURNING seq
)
SELECT pg_notify('windrow_outbox', '') FROM appended;

-- payload: of a compressed batch
SELECT payload FROM harvest_outbox
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND endpoint_id = %(endpoint)s AND lane = %(lane)s AND seq = %(seq)s;
