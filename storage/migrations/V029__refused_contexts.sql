-- SPDX-License-Identifier: Apache-2.0
-- What a provider refused as too long: for the conversation the model's window is smaller from then on, after a crash and for
-- later jobs too. A reply is asked for again with a shorter history, which may be made shorter more than once.

CREATE TABLE refused_contexts (
  job           bigint NOT NULL,
  round         integer NOT NULL,  -- -1: known from before the job's own rounds, copied from another conversation
  step          integer NOT NULL,  -- of the reply that was asked for
  refusal       integer NOT NULL CHECK (refusal > 0),  -- of this reply, from 1
  conversation  bigint NOT NULL,
  model         text NOT NULL,     -- the configured one
  window_tokens bigint NOT NULL CHECK (window_tokens > 0),  -- from then on, as estimated
  tokens        bigint NOT NULL,   -- of what was refused, as estimated, with system prompt and tools
  of_window     bigint NOT NULL,   -- as configured then; 0: not known
  told_limit    bigint,            -- by the provider; null: not told
  told_tokens   bigint,
  refused_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job, round, step, refusal)
);
CREATE INDEX refused_contexts_of_conversation ON refused_contexts (conversation, job);

CREATE POLICY of_job ON refused_contexts USING ((SELECT tenants_read_by(current_user)) IS NULL
  OR EXISTS (SELECT FROM jobs WHERE jobs.id = job));
ALTER TABLE refused_contexts ENABLE ROW LEVEL SECURITY;

ALTER TABLE compressions ADD COLUMN refusal integer NOT NULL DEFAULT 0;  -- after which of the reply's refusals; 0: before any
ALTER TABLE compressions DROP CONSTRAINT compressions_pkey, ADD PRIMARY KEY (job, round, step, refusal);
