-- write: lines of one run behind those that are there; the row of its log is locked, so that numbers are given in order.
--        Of very many the first, the latest and the serious ones stay
WITH log AS (
  INSERT INTO run_logs AS known (tenant_id, run_id, project_id, lines, serious)
  VALUES (current_tenant(), %(run_id)s, %(project)s, %(missed)s + cardinality(%(events)s::text[]), %(serious)s)
  ON CONFLICT (tenant_id, run_id) DO UPDATE
     SET lines = known.lines + excluded.lines, serious = known.serious + excluded.serious, last_at = clock_timestamp()
  RETURNING lines - cardinality(%(events)s::text[]) AS before, serious - %(serious)s AS serious_before, lines - %(latest)s AS outdated
), said AS (
  SELECT log.before + heard.place AS number, heard.at, heard.level, heard.event, heard.fields,
         log.serious_before + count(*) FILTER (WHERE heard.level <> 'INFO') OVER (ORDER BY heard.place) AS serious
    FROM log, unnest(%(ats)s::timestamptz[], %(levels)s::text[], %(events)s::text[], %(fields)s::json[])
              WITH ORDINALITY AS heard (at, level, event, fields, place)
), thinned AS (
  DELETE FROM run_lines old USING log
   WHERE old.tenant_id = current_tenant() AND old.run_id = %(run_id)s
     AND old.number > %(first)s AND old.number <= log.outdated AND NOT old.lasting
), judged AS (
  SELECT *, number <= %(first)s OR (level <> 'INFO' AND serious <= %(most_serious)s) AS lasting FROM said
)
INSERT INTO run_lines (tenant_id, run_id, number, at, level, event, fields, lasting)
SELECT current_tenant(), %(run_id)s, number, at, level, event, fields, lasting FROM judged, log
 WHERE lasting OR number > log.outdated;

-- page: of these levels, in their order, behind a number
SELECT number, at, level, event, fields FROM run_lines
 WHERE tenant_id = current_tenant() AND run_id = %(run_id)s AND number > %(after)s AND level = ANY (%(levels)s)
 ORDER BY number LIMIT %(limit)s;

-- latest: of these levels the last ones, from the last backwards
SELECT number, at, level, event, fields FROM run_lines
 WHERE tenant_id = current_tenant() AND run_id = %(run_id)s AND level = ANY (%(levels)s)
 ORDER BY number DESC LIMIT %(limit)s;

-- purge: logs to which nothing was added for long, so many at once; their lines go with them
DELETE FROM run_logs gone
 USING (SELECT tenant_id, run_id FROM run_logs WHERE last_at < clock_timestamp() - %(keep)s::interval
         ORDER BY last_at LIMIT %(limit)s) AS old
 WHERE gone.tenant_id = old.tenant_id AND gone.run_id = old.run_id
   -- somebody may be adding to it right now
   AND gone.last_at < clock_timestamp() - %(keep)s::interval;
