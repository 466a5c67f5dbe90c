-- SPDX-License-Identifier: Apache-2.0
-- $1 letters or null, $2 "tenant/job id"s or null (both null: all), $3 reason or '', $4 the
-- greatest age in milliseconds or null, $5 rows, $6 tenant or ''.
SELECT * FROM (
  (SELECT l.id AS letter, '' AS tenant, '' AS job_id, l.reason, l.field, l.message,
          l.created_at AS at, l.source_topic, l.source_partition, l.source_offset, l.id AS key
   FROM dead_letters l
   WHERE ($1::bigint[] IS NULL OR l.id = ANY ($1::bigint[])) AND ($3 = '' OR l.reason = $3)
     AND $6 = ''
     AND ($4::bigint IS NULL OR l.created_at >= now() - $4 * interval '1 millisecond')
   ORDER BY l.id DESC LIMIT $5::integer)
  UNION ALL
  (SELECT 0, j.tenant, j.job_id, coalesce(j.error_code, j.outcome), '',
          coalesce(j.error_message, ''), j.finished_at, j.source_topic, j.source_partition,
          j.source_offset, j.id
   FROM jobs j
   WHERE j.outcome IN ('poisoned', 'failed') AND j.parent IS NULL AND ($6 = '' OR j.tenant = $6)
     AND ($2::text[] IS NULL OR j.tenant || '/' || j.job_id = ANY ($2::text[]))
     AND ($3 = '' OR coalesce(j.error_code, j.outcome) = $3)
     AND ($4::bigint IS NULL OR j.finished_at >= now() - $4 * interval '1 millisecond')
   ORDER BY j.id DESC LIMIT $5::integer)) AS dead
ORDER BY at DESC LIMIT $5::integer
