-- troubled: the endpoints about which a notice may still hold: those that were not well at last, and those with refused records
SELECT endpoint_id, condition, well_at, quarantined
  FROM endpoint_standings
 WHERE tenant_id = current_tenant() AND project_id = %(project)s AND (condition NOT IN ('well', 'new') OR quarantined > 0)
 ORDER BY condition = 'halted' DESC, condition = 'failed' DESC, endpoint_id LIMIT %(limit)s;
