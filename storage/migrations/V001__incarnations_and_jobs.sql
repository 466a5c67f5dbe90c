-- SPDX-License-Identifier: Apache-2.0
-- Who works (incarnations), and what there is to do (conversations, jobs, attempts).
-- Names are unqualified: the migration runs with the program's schema as its search_path.

-- One start of one worker. Renewing changes no key column, so it never waits for the KEY SHARE
-- locks by which running transactions prove that their incarnation is alive.
CREATE TABLE incarnations (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  worker      text NOT NULL,
  host        text NOT NULL,
  pid         integer NOT NULL,
  version     text NOT NULL,
  state       text NOT NULL DEFAULT 'alive' CHECK (state IN ('alive', 'dead', 'left')),
  lease_until timestamptz NOT NULL,
  entered_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  renewed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at    timestamptz,
  CHECK ((state = 'alive') = (ended_at IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX incarnations_alive ON incarnations (id) WHERE state = 'alive';

-- The totals are the sums over the conversation's finished jobs.
CREATE TABLE conversations (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant          text NOT NULL,
  conversation_id text NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  jobs            integer NOT NULL DEFAULT 0,
  rounds          integer NOT NULL DEFAULT 0,
  steps           integer NOT NULL DEFAULT 0,
  tool_calls      integer NOT NULL DEFAULT 0,
  input_tokens    bigint NOT NULL DEFAULT 0,
  output_tokens   bigint NOT NULL DEFAULT 0,
  cost_micro_usd  bigint NOT NULL DEFAULT 0,
  UNIQUE (tenant, conversation_id)
) WITH (fillfactor = 85);

CREATE TABLE jobs (
  id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant             text NOT NULL,
  job_id             text NOT NULL,
  conversation       bigint NOT NULL REFERENCES conversations,
  lane               smallint NOT NULL CHECK (lane BETWEEN 0 AND 2),
  state              text NOT NULL DEFAULT 'ready'
                       CHECK (state IN ('ready', 'running', 'finished')),
  incarnation        bigint,                       -- who runs it, or who finished it
  attempt            integer NOT NULL DEFAULT 0,   -- counted before work; a hand-back takes it back
  claims             integer NOT NULL DEFAULT 0,   -- how often it was claimed; never goes back
  after_crash        boolean NOT NULL DEFAULT false,  -- the last attempt was ended by the reaper
  user_id            text NOT NULL DEFAULT '',
  agent              text NOT NULL DEFAULT '',
  payload            bytea COMPRESSION lz4 NOT NULL,
  source_topic       text NOT NULL,
  source_topic_id    text NOT NULL,
  source_partition   integer NOT NULL,
  source_offset      bigint NOT NULL,
  created_at         timestamptz NOT NULL,         -- by the submitter
  received_at        timestamptz NOT NULL DEFAULT now(),
  first_claimed_at   timestamptz,
  claimed_at         timestamptz,
  finished_at        timestamptz,
  outcome            text,
  error_type         text,
  error_code         text,
  error_message      text COMPRESSION lz4,
  result_id          text,
  result             bytea COMPRESSION lz4,        -- exactly what is published
  model              text,
  rounds             integer NOT NULL DEFAULT 0,
  steps              integer NOT NULL DEFAULT 0,
  tool_calls         integer NOT NULL DEFAULT 0,
  tool_calls_failed  integer NOT NULL DEFAULT 0,
  wasted_model_calls integer NOT NULL DEFAULT 0,
  input_tokens       bigint NOT NULL DEFAULT 0,
  cache_read_tokens  bigint NOT NULL DEFAULT 0,
  cache_write_tokens bigint NOT NULL DEFAULT 0,
  output_tokens      bigint NOT NULL DEFAULT 0,
  thinking_tokens    bigint NOT NULL DEFAULT 0,
  cost_micro_usd     bigint NOT NULL DEFAULT 0,
  cost_known         boolean NOT NULL DEFAULT true,
  UNIQUE (tenant, job_id),
  CHECK ((state = 'ready') = (incarnation IS NULL)),
  CHECK ((state = 'finished') = (outcome IS NOT NULL)),
  CHECK ((state = 'finished') = (result IS NOT NULL)),
  CHECK ((state = 'finished') = (finished_at IS NOT NULL)),
  CHECK (state <> 'running' OR (attempt > 0 AND first_claimed_at IS NOT NULL))
) WITH (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.02);
-- The last defence of "never two running jobs of one conversation".
CREATE UNIQUE INDEX jobs_one_running ON jobs (conversation) WHERE state = 'running';
CREATE INDEX jobs_unfinished ON jobs (conversation, id) WHERE state <> 'finished';
CREATE INDEX jobs_ready ON jobs (lane, tenant, id) WHERE state = 'ready';
CREATE INDEX jobs_running ON jobs (incarnation, tenant) WHERE state = 'running';

-- One row for each claim, for people: who had the job, and how that ended.
CREATE TABLE attempts (
  job         bigint NOT NULL,
  claim       integer NOT NULL,
  attempt     integer NOT NULL,
  incarnation bigint NOT NULL,
  started_at  timestamptz NOT NULL DEFAULT now(),
  ended_at    timestamptz,
  ending      text CHECK (ending IN ('finished', 'handed_back', 'crashed')),
  PRIMARY KEY (job, claim),
  CHECK ((ended_at IS NULL) = (ending IS NULL))
) WITH (fillfactor = 85);
