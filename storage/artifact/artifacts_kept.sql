-- SPDX-License-Identifier: Apache-2.0
-- $1 id, $2 tenant, $3 conversation, $4 job, each or ''; $5 rows.
SELECT a.tenant, a.id, a.data_bytes,
       CASE WHEN starts_with(a.file, 'chunks:') THEN EXISTS (
         SELECT 1 FROM artifact_chunks c
         WHERE c.upload = substr(a.file, 8) AND c.file IS NOT NULL)
       ELSE a.file IS NOT NULL END AS in_file,
       to_char(a.made_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS made,
       to_char(a.accessed_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS used,
       (SELECT count(*) FROM artifact_references r
        WHERE r.tenant = a.tenant AND r.artifact = a.id) AS uses
FROM artifacts a
WHERE ($1 = '' OR a.id = $1) AND ($2 = '' OR a.tenant = $2)
  AND ($3 = '' OR EXISTS (
    SELECT 1 FROM artifact_references r JOIN conversations c ON c.id = r.conversation
    WHERE r.tenant = a.tenant AND r.artifact = a.id AND c.conversation_id = $3))
  AND ($4 = '' OR EXISTS (
    SELECT 1 FROM artifact_references r JOIN jobs j ON j.id = r.job
    WHERE r.tenant = a.tenant AND r.artifact = a.id AND j.job_id = $4))
ORDER BY a.made_at DESC, a.tenant, a.id LIMIT $5::integer
