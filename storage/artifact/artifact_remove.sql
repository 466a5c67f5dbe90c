-- SPDX-License-Identifier: Apache-2.0
-- $1 milliseconds after it was made that an artifact stays, $2 milliseconds of age, $3 whether
-- those of closed conversations go, $4 rows.
--
-- None goes that an unfinished job's conversation refers to. Whoever makes an artifact again while
-- this looks at it makes its row too young to go: so that is asked of the row that goes, too.
--
-- A later job may go on with a conversation that was named: it is never closed. One that a job or a
-- sub-agent has of its own (kOwnConversationPrefix, kSubAgentPrefix) is, with its end.
DELETE FROM artifacts a
WHERE a.made_at < now() - $1 * interval '1 millisecond'
  AND NOT EXISTS (
    SELECT 1 FROM artifact_references r JOIN jobs j ON j.conversation = r.conversation
    WHERE r.tenant = a.tenant AND r.artifact = a.id AND j.state <> 'finished' OFFSET 0)
  AND (tenant, id) IN (
    SELECT tenant, id FROM artifacts a
    WHERE (a.made_at < now() - $2 * interval '1 millisecond'
           OR NOT EXISTS (SELECT 1 FROM artifact_references r
                          WHERE r.tenant = a.tenant AND r.artifact = a.id)
           OR $3::boolean AND NOT EXISTS (
             SELECT 1 FROM artifact_references r JOIN conversations c ON c.id = r.conversation
             WHERE r.tenant = a.tenant AND r.artifact = a.id
               AND NOT starts_with(c.conversation_id, 'job:')
               AND NOT starts_with(c.conversation_id, 'sub-agent:')))
      AND a.made_at < now() - $1 * interval '1 millisecond'
      AND NOT EXISTS (
        SELECT 1 FROM artifact_references r JOIN jobs j ON j.conversation = r.conversation
        WHERE r.tenant = a.tenant AND r.artifact = a.id AND j.state <> 'finished' OFFSET 0)
    LIMIT $4::integer)
RETURNING coalesce(file, '') AS file, data_bytes,
          CASE WHEN made_at < now() - $2 * interval '1 millisecond' THEN 'aged'
               WHEN NOT EXISTS (SELECT 1 FROM artifact_references r
                                WHERE r.tenant = a.tenant AND r.artifact = a.id) THEN 'unreferenced'
               ELSE 'closed' END AS reason
