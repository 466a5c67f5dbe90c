-- SPDX-License-Identifier: Apache-2.0
-- What a running job adds, step by step. These rows have natural keys, so that writing them again
-- changes nothing, and no foreign keys: the transaction that writes them has proven under the
-- fence that the job is running under its incarnation, and jobs are never deleted under one.

CREATE TABLE rounds (
  job                bigint NOT NULL,
  round              integer NOT NULL,
  conversation       bigint NOT NULL,
  round_id           text NOT NULL,
  status             text NOT NULL DEFAULT 'in_progress'
                       CHECK (status IN ('in_progress', 'completed', 'error')),
  opened_at          timestamptz NOT NULL DEFAULT now(),
  closed_at          timestamptz,
  final_answer       text COMPRESSION lz4,
  input_tokens       bigint NOT NULL DEFAULT 0,
  cache_read_tokens  bigint NOT NULL DEFAULT 0,
  cache_write_tokens bigint NOT NULL DEFAULT 0,
  output_tokens      bigint NOT NULL DEFAULT 0,
  thinking_tokens    bigint NOT NULL DEFAULT 0,
  latency_ms         bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (job, round),
  CHECK ((status = 'in_progress') = (closed_at IS NULL)),
  CHECK ((status = 'in_progress') = (final_answer IS NULL))
) WITH (fillfactor = 75);

-- One answered model call each.
CREATE TABLE steps (
  job                 bigint NOT NULL,
  round               integer NOT NULL,
  step                integer NOT NULL,
  stop_reason         text NOT NULL,
  provider            text NOT NULL,
  model               text NOT NULL,
  provider_request_id text NOT NULL,
  request_hash        text NOT NULL,  -- of the prompt, which itself is never stored
  input_tokens        bigint NOT NULL,
  cache_read_tokens   bigint NOT NULL,
  cache_write_tokens  bigint NOT NULL,
  output_tokens       bigint NOT NULL,
  thinking_tokens     bigint NOT NULL,
  cost_micro_usd      bigint,         -- null: no price was configured
  tries               integer NOT NULL,
  wasted_calls        integer NOT NULL,
  latency_ms          bigint NOT NULL,
  replied_at          timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job, round, step)
);

-- Each message once, in the LangChain JSON form. A conversation's history is one range of the key.
CREATE TABLE messages (
  conversation bigint NOT NULL,
  job          bigint NOT NULL,
  round        integer NOT NULL,
  step         integer NOT NULL,
  idx          integer NOT NULL,
  message      json COMPRESSION lz4 NOT NULL,
  PRIMARY KEY (conversation, job, round, step, idx)
);

-- intended -> running -> succeeded | failed | unknown; the updates change no indexed column.
CREATE TABLE tool_calls (
  job             bigint NOT NULL,
  round           integer NOT NULL,
  step            integer NOT NULL,
  idx             integer NOT NULL,
  tool_call_id    text NOT NULL,
  tool_name       text NOT NULL,
  tool_version    text NOT NULL,
  parameters      text COMPRESSION lz4 NOT NULL,
  effect          text NOT NULL CHECK (effect IN ('pure', 'keyed', 'reconcilable', 'once')),
  state           text NOT NULL DEFAULT 'intended'
                    CHECK (state IN ('intended', 'running', 'succeeded', 'failed', 'unknown')),
  intended_at     timestamptz NOT NULL DEFAULT now(),
  started_at      timestamptz,
  finished_at     timestamptz,
  output_level    text,
  data_size_bytes bigint,
  data_summary    text,
  error_type      text,
  error_code      text,
  error_message   text,
  retry_count     integer NOT NULL DEFAULT 0,
  duration_ms     bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (job, round, step, idx),
  CHECK ((state IN ('intended', 'running')) = (finished_at IS NULL)),
  CHECK (state <> 'running' OR started_at IS NOT NULL)
) WITH (fillfactor = 70);

-- Possibly paid model calls lost to crashes and aborts, as each incarnation counted them.
CREATE TABLE wasted_model_calls (
  job         bigint NOT NULL,
  incarnation bigint NOT NULL,
  calls       integer NOT NULL CHECK (calls > 0),
  PRIMARY KEY (job, incarnation)
);

CREATE TABLE metrics (
  job         bigint PRIMARY KEY,
  tenant      text NOT NULL,
  finished_at timestamptz NOT NULL DEFAULT now(),
  report      json COMPRESSION lz4 NOT NULL
);
