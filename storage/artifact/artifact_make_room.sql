-- SPDX-License-Identifier: Apache-2.0
-- $1 milliseconds after it was made that an artifact stays, $2 bytes that are too many, $3 rows.
-- The least recently used of those that may go (as in artifact_remove.sql), until so many bytes are
-- gone.
DELETE FROM artifacts a
WHERE a.made_at < now() - $1 * interval '1 millisecond'
  AND NOT EXISTS (
    SELECT 1 FROM artifact_references r JOIN jobs j ON j.conversation = r.conversation
    WHERE r.tenant = a.tenant AND r.artifact = a.id AND j.state <> 'finished' OFFSET 0)
  AND (tenant, id) IN (
    SELECT tenant, id FROM (
      SELECT a.tenant, a.id, sum(a.data_bytes) OVER used - a.data_bytes AS before
      FROM artifacts a
      WHERE a.made_at < now() - $1 * interval '1 millisecond'
        AND NOT EXISTS (
          SELECT 1 FROM artifact_references r JOIN jobs j ON j.conversation = r.conversation
          WHERE r.tenant = a.tenant AND r.artifact = a.id AND j.state <> 'finished' OFFSET 0)
      WINDOW used AS (ORDER BY a.accessed_at, a.tenant, a.id)) AS o
    WHERE o.before < $2 ORDER BY o.before LIMIT $3::integer)
RETURNING coalesce(file, '') AS file, data_bytes
