-- SPDX-License-Identifier: Apache-2.0
-- How conversations that became too long for their model were made shorter. The full history stays where it is.

-- That it happened, before the reply (round, step) was asked for.
CREATE TABLE compressions (
  job             bigint NOT NULL,
  round           integer NOT NULL,
  step            integer NOT NULL,
  mode            text NOT NULL CHECK (mode IN ('truncate', 'extract', 'summarize')),
  reason          text NOT NULL,
  messages_before bigint NOT NULL,
  messages_after  bigint NOT NULL,
  tokens_before   bigint NOT NULL,  -- as estimated, with system prompt and tools
  tokens_after    bigint NOT NULL,
  missed          text,             -- why the target wasn't reached; null: it was
  compressed_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job, round, step)
);

-- What was left at the end of a round; no row: everything.
CREATE TABLE compressed_histories (
  job          bigint NOT NULL,
  round        integer NOT NULL,
  conversation bigint NOT NULL,
  messages     bigint NOT NULL,
  tokens       bigint NOT NULL,
  -- In order: an id of a message of the history, or a message made in place of others.
  kept         json COMPRESSION lz4 NOT NULL,
  PRIMARY KEY (job, round)
);

-- Hidden messages that repeat the task in a long round; each stands behind the results of a step.
CREATE TABLE reminders (
  job     bigint NOT NULL,
  round   integer NOT NULL,
  step    integer NOT NULL,
  idx     integer NOT NULL,
  message json COMPRESSION lz4 NOT NULL,
  PRIMARY KEY (job, round, step, idx)
);

-- Summaries of what a compression dropped, which a model is paid for: each on record before it is asked for, and used once
-- it is durable, from the reply after (after_round, after_step) on. reused: paid by an earlier one of the same content.
CREATE TABLE summaries (
  job                bigint NOT NULL,
  round              integer NOT NULL,
  step               integer NOT NULL,
  conversation       bigint NOT NULL,
  round_id           text NOT NULL,  -- the last round that it covers
  content_hash       text NOT NULL,
  state              text NOT NULL CHECK (state IN ('writing', 'ready', 'failed', 'lost')),
  estimate_micro_usd bigint NOT NULL DEFAULT 0,
  after_round        integer,
  after_step         integer,
  summary            text COMPRESSION lz4 NOT NULL DEFAULT '',
  model              text NOT NULL DEFAULT '',
  input_tokens       bigint NOT NULL DEFAULT 0,
  cache_read_tokens  bigint NOT NULL DEFAULT 0,
  cache_write_tokens bigint NOT NULL DEFAULT 0,
  output_tokens      bigint NOT NULL DEFAULT 0,
  thinking_tokens    bigint NOT NULL DEFAULT 0,
  cost_micro_usd     bigint,
  reused             boolean NOT NULL DEFAULT false,
  began_at           timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at           timestamptz,
  PRIMARY KEY (job, round, step),
  CHECK ((state = 'writing') = (ended_at IS NULL)),
  CHECK ((state = 'writing') = (after_round IS NULL)),
  CHECK ((state = 'ready') = (summary <> ''))
);
CREATE INDEX summaries_of_content ON summaries (conversation, round_id, content_hash);
CREATE INDEX summaries_begun ON summaries (began_at);

DO $$
DECLARE
  one name;
BEGIN
  FOREACH one IN ARRAY ARRAY['compressions', 'compressed_histories', 'reminders', 'summaries'] LOOP
    EXECUTE format('CREATE POLICY of_job ON %I USING ((SELECT tenants_read_by(current_user)) IS NULL '
                   'OR EXISTS (SELECT FROM jobs WHERE jobs.id = job))', one);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
  END LOOP;
END $$;

CREATE OR REPLACE VIEW messages WITH (security_invoker = true) AS
  SELECT conversation, job, round, 0 AS step, 0 AS idx, message FROM rounds
  UNION ALL
  SELECT r.conversation, s.job, s.round, s.step, 0, s.message
  FROM rounds r JOIN steps s ON s.job = r.job AND s.round = r.round
  UNION ALL
  SELECT r.conversation, t.job, t.round, t.step, t.idx, t.message
  FROM rounds r JOIN tool_calls t ON t.job = r.job AND t.round = r.round
  WHERE t.message IS NOT NULL
  UNION ALL
  SELECT r.conversation, m.job, m.round, m.step, m.idx, m.message
  FROM rounds r JOIN reminders m ON m.job = r.job AND m.round = r.round
  UNION ALL
  SELECT conversation, 0::bigint, n, 0, 0, message FROM inherited_messages;

-- A conversation as it was left at the end of a round, message by message.
CREATE VIEW compressed_messages WITH (security_invoker = true) AS
  SELECT h.conversation, h.job, h.round, k.n,
         CASE WHEN json_typeof(k.kept) = 'object' THEN k.kept ELSE m.message END AS message
  FROM compressed_histories h
  CROSS JOIN LATERAL json_array_elements(h.kept) WITH ORDINALITY AS k (kept, n)
  LEFT JOIN messages m ON m.conversation = h.conversation AND json_typeof(k.kept) = 'string'
                      AND m.message -> 'data' ->> 'id' = k.kept #>> '{}';
