-- subscriptions: of each the strands that are due first, and what is ahead of them; `more` where there are others
SELECT s.name, s.topic, s.sink, ahead.pending, open.strands > %(strands)s OR ahead.pending >= %(most)s AS more, open.oldest_at, open.in_hand, open.failing, open.failed_at, open.why,
       (SELECT count(*) FROM (SELECT FROM dead_letters d WHERE d.tenant_id = current_tenant() AND d.subscription = s.name
                               LIMIT %(most)s) AS a_few) AS dead_letters
  FROM subscriptions s
 CROSS JOIN LATERAL (
   SELECT count(*) AS strands, count(*) FILTER (WHERE strand.claim IS NOT NULL AND strand.due_at > clock_timestamp()) AS in_hand,
          count(*) FILTER (WHERE strand.error IS NOT NULL) AS failing, max(strand.failed_at) AS failed_at,
          (array_agg(strand.error ORDER BY strand.failed_at DESC) FILTER (WHERE strand.error IS NOT NULL))[1] AS why,
          min(strand.next_at) AS oldest_at
     FROM (SELECT st.claim, st.due_at, st.error, st.failed_at,
                  (SELECT line.appended_at FROM topic_log line
                    WHERE line.tenant_id = current_tenant() AND line.topic = s.topic AND line.key = st.key AND line.position > st.done
                      AND (line.subscription IS NULL OR line.subscription = s.name)
                    ORDER BY line.position LIMIT 1) AS next_at
             FROM strands st
            WHERE st.tenant_id = current_tenant() AND st.queue = current_tenant() || '/' || s.name
            ORDER BY st.due_at LIMIT %(strands)s + 1) AS strand) AS open
 CROSS JOIN LATERAL (
   SELECT count(*) AS pending
     FROM (SELECT FROM (SELECT st.key, st.done FROM strands st
                         WHERE st.tenant_id = current_tenant() AND st.queue = current_tenant() || '/' || s.name
                         ORDER BY st.due_at LIMIT %(strands)s) AS strand
            CROSS JOIN LATERAL (SELECT FROM topic_log line
                                 WHERE line.tenant_id = current_tenant() AND line.topic = s.topic AND line.key = strand.key
                                   AND line.position > strand.done AND (line.subscription IS NULL OR line.subscription = s.name)
                                 LIMIT %(most)s) AS line
            LIMIT %(most)s) AS a_few) AS ahead
 WHERE s.tenant_id = current_tenant() AND (%(topics)s::text[] IS NULL OR s.topic = ANY (%(topics)s))
 ORDER BY s.topic, s.name LIMIT %(limit)s;

-- dead_by_hour: of the last day, by the index of when they died
SELECT date_bin(interval '1 hour', died_at, '2000-01-01') AS hour, count(*) AS letters
  FROM (SELECT died_at FROM dead_letters
         WHERE tenant_id = current_tenant() AND died_at > now() - interval '24 hours'
         ORDER BY died_at DESC LIMIT %(most)s) AS lately
 GROUP BY 1;

-- groups: of the latest letters, those that died of the same for the same subscription
SELECT topic, subscription, code, count(*) AS letters, max(died_at) AS latest_at,
       (array_agg(left(reason, 300) ORDER BY died_at DESC))[1] AS reason
  FROM (SELECT topic, subscription, code, reason, died_at FROM dead_letters
         WHERE tenant_id = current_tenant()
           AND (%(subscription)s::text IS NULL OR subscription = %(subscription)s)
           AND (%(topic)s::text IS NULL OR topic = %(topic)s)
         ORDER BY died_at DESC LIMIT %(most)s) AS latest
 GROUP BY topic, subscription, code
 ORDER BY letters DESC, latest_at DESC;
