-- SPDX-License-Identifier: Apache-2.0
-- What was sent or run again by a person: one row each time, so that nobody does it twice unawares.

CREATE TABLE redrives (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dead_letter bigint,                   -- a record was produced again
  job         bigint,                   -- or a job was copied
  new_tenant  text,
  new_job_id  text,
  from_round  integer,                  -- null: from where it had stopped
  edited      boolean NOT NULL,
  redriven_by text NOT NULL,
  redriven_at timestamptz NOT NULL DEFAULT now(),
  sent_at     timestamptz,              -- null: nobody knows whether the record was produced
  CHECK ((dead_letter IS NULL) <> (job IS NULL)),
  CHECK ((job IS NULL) = (new_job_id IS NULL)),
  CHECK ((new_job_id IS NULL) = (new_tenant IS NULL))
);
CREATE INDEX redrives_letter ON redrives (dead_letter) WHERE dead_letter IS NOT NULL;
CREATE INDEX redrives_job ON redrives (job) WHERE job IS NOT NULL;

-- What `ba-agent dlq` lists.
CREATE INDEX jobs_dead ON jobs (id) WHERE outcome IN ('poisoned', 'failed');

-- The history that a conversation began with: of the one that its first job was copied from.
CREATE TABLE inherited_messages (
  conversation bigint NOT NULL,
  n            integer NOT NULL,
  message      json COMPRESSION lz4 NOT NULL,
  PRIMARY KEY (conversation, n)
);

-- They come first: no job has the number 0.
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
  SELECT conversation, 0, n, 0, 0, message FROM inherited_messages;
