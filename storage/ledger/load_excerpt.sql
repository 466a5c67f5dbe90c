-- SPDX-License-Identifier: Apache-2.0
-- The newest messages whose texts fit into $3 bytes; one longer than a quarter of them stands
-- without its text. Each counts 64 bytes more, so that many small ones are bounded too.
WITH newest AS MATERIALIZED (
  SELECT job, round, step, idx, message
  FROM messages WHERE conversation = $1 AND job <= $2
  ORDER BY job DESC, round DESC, step DESC, idx DESC LIMIT 1000
), measured AS (
  SELECT job, round, step, idx, message::text AS text, octet_length(message::text) AS bytes
  FROM newest
), sized AS (
  SELECT *, sum(64 + CASE WHEN bytes > $3::bigint / 4 THEN 0 ELSE bytes END)
              OVER (ORDER BY job DESC, round DESC, step DESC, idx DESC) AS upto
  FROM measured
)
SELECT CASE WHEN bytes > $3::bigint / 4 THEN '' ELSE text END AS text,
       CASE WHEN bytes > $3::bigint / 4 THEN bytes ELSE 0 END AS bytes_left_out
FROM sized WHERE upto <= $3::bigint ORDER BY job, round, step, idx
