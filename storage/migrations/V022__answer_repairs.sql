-- SPDX-License-Identifier: Apache-2.0
-- An answer that doesn't fit its job's schema is asked for again by a hidden message, which is written together with the
-- reply that it is about and stands in its row (see V004). The history has it behind the reply, where others have results
-- of tools. The view keeps the branches that it has, whichever they are; all have the same types (see V009).

ALTER TABLE steps ADD COLUMN answer_repair json COMPRESSION lz4;

DO $$
BEGIN
  EXECUTE 'CREATE OR REPLACE VIEW messages WITH (security_invoker = true) AS '
          || rtrim(pg_get_viewdef('messages'::regclass), '; ')
          || ' UNION ALL SELECT r.conversation, s.job, s.round, s.step, 1, s.answer_repair
               FROM rounds r JOIN steps s ON s.job = r.job AND s.round = r.round
               WHERE s.answer_repair IS NOT NULL';
END $$;
