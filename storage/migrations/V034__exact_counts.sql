-- SPDX-License-Identifier: Apache-2.0
-- How many tokens a provider takes a request for that lay near to where its history is made shorter: what was decided by it is
-- decided again after a crash, and nobody is asked a second time.

CREATE TABLE exact_counts (
  job              bigint NOT NULL,
  round            integer NOT NULL,
  step             integer NOT NULL,  -- of the reply that was to be asked for
  refusal          integer NOT NULL CHECK (refusal >= 0),  -- after which of the reply's refusals; 0: before any
  model            text NOT NULL,     -- the configured one
  estimated_tokens bigint NOT NULL,   -- of the request, with system prompt, tools and margin
  message_tokens   bigint NOT NULL,   -- of its messages alone, without margin: what was counted
  tokens           bigint CHECK (tokens > 0),  -- null: the provider did not say, the estimate decided
  counted_at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job, round, step, refusal)
);

CREATE POLICY of_job ON exact_counts USING ((SELECT tenants_read_by(current_user)) IS NULL
  OR EXISTS (SELECT FROM jobs WHERE jobs.id = job));
ALTER TABLE exact_counts ENABLE ROW LEVEL SECURITY;
