-- claim_trigger: the first to come with this id; others are told whose it is
INSERT INTO manual_triggers (tenant_id, manual_trigger_id, project_id, endpoint_id, workflow_id, actor)
VALUES (current_tenant(), %(trigger)s, %(project)s, %(endpoint)s, %(workflow_id)s, %(actor)s)
ON CONFLICT DO NOTHING
RETURNING workflow_id;

-- trigger: who came first; while that is fresh, Temporal has certainly not forgotten what was started for it
SELECT project_id, endpoint_id, workflow_id, actor, at, at > clock_timestamp() - interval '12 hours' AS fresh FROM manual_triggers
 WHERE tenant_id = current_tenant() AND manual_trigger_id = %(trigger)s;
