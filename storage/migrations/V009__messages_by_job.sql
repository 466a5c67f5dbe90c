-- SPDX-License-Identifier: Apache-2.0
-- All branches of the view have the same types: only then does PostgreSQL look into each of them by its keys
-- instead of reading every message there is (a literal 0 is an integer, the jobs' numbers are bigint).

CREATE OR REPLACE VIEW messages AS
  SELECT conversation, job, round, 0 AS step, 0 AS idx, message FROM rounds
  UNION ALL
  SELECT r.conversation, s.job, s.round, s.step, 0, s.message
  FROM rounds r JOIN steps s ON s.job = r.job AND s.round = r.round
  UNION ALL
  SELECT r.conversation, t.job, t.round, t.step, t.idx, t.message
  FROM rounds r JOIN tool_calls t ON t.job = r.job AND t.round = r.round
  WHERE t.message IS NOT NULL
  UNION ALL
  SELECT conversation, 0::bigint, n, 0, 0, message FROM inherited_messages;
