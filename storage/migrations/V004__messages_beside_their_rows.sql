-- SPDX-License-Identifier: Apache-2.0
-- A message is written together with one other row, always: the user's with its round, a model's
-- with its step, an observation with the end of its tool call. It stands in that row, so that a
-- round is four row versions less to write. The view reads them as the one history that they are.

ALTER TABLE rounds ADD COLUMN message json COMPRESSION lz4;
UPDATE rounds r SET message = m.message
FROM messages m WHERE m.job = r.job AND m.round = r.round AND m.step = 0 AND m.idx = 0;
ALTER TABLE rounds ALTER COLUMN message SET NOT NULL;

ALTER TABLE steps ADD COLUMN message json COMPRESSION lz4;
UPDATE steps s SET message = m.message
FROM messages m WHERE m.job = s.job AND m.round = s.round AND m.step = s.step AND m.idx = 0;
ALTER TABLE steps ALTER COLUMN message SET NOT NULL;

ALTER TABLE tool_calls ADD COLUMN message json COMPRESSION lz4;
UPDATE tool_calls t SET message = m.message
FROM messages m WHERE m.job = t.job AND m.round = t.round AND m.step = t.step AND m.idx = t.idx;
ALTER TABLE tool_calls ADD CHECK ((finished_at IS NULL) = (message IS NULL));

DROP TABLE messages;

-- Each message once, in the LangChain JSON form, by conversation and position.
CREATE INDEX rounds_of_conversation ON rounds (conversation);
CREATE VIEW messages AS
  SELECT conversation, job, round, 0 AS step, 0 AS idx, message FROM rounds
  UNION ALL
  SELECT r.conversation, s.job, s.round, s.step, 0, s.message
  FROM rounds r JOIN steps s ON s.job = r.job AND s.round = r.round
  UNION ALL
  SELECT r.conversation, t.job, t.round, t.step, t.idx, t.message
  FROM rounds r JOIN tool_calls t ON t.job = r.job AND t.round = r.round
  WHERE t.message IS NOT NULL;
