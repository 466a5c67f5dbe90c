-- SPDX-License-Identifier: Apache-2.0
-- Skills that jobs use, with what they were when they were first used, and what they add to conversations.

-- A skill as it was read, by its hash: a job goes on with it on whatever worker, also when the directory it came from has
-- changed or is gone. Of all tenants; used_at keeps one that is being written from being removed as unused.
CREATE TABLE skill_contents (
  hash    text PRIMARY KEY,
  content text COMPRESSION lz4 NOT NULL,
  used_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 80);

-- A call that read or activated a skill, or (step 0) one that the job itself activates. The active ones of a job are those
-- of its open round that have a depth and no done_step; depth is their order.
CREATE TABLE skill_uses (
  job           bigint NOT NULL,
  round         integer NOT NULL,
  step          integer NOT NULL,
  idx           integer NOT NULL,
  activation_id text NOT NULL,               -- empty: it was only read
  skill         text NOT NULL,
  hash          text NOT NULL REFERENCES skill_contents (hash),
  depth         integer NOT NULL CHECK (depth BETWEEN 0 AND 3),
  done_step     integer,                     -- in which it was ended; null: not before its round
  used_at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job, round, step, idx),
  CHECK ((depth = 0) = (activation_id = '')),
  CHECK (done_step IS NULL OR depth > 0)
) WITH (fillfactor = 80);
CREATE INDEX skill_uses_of_content ON skill_uses (hash);

-- Messages that no model, tool or user wrote; with the outcome of the call that brought them, or with their round.
CREATE TABLE injected_messages (
  job     bigint NOT NULL,
  round   integer NOT NULL,
  step    integer NOT NULL,
  idx     integer NOT NULL,
  message json COMPRESSION lz4 NOT NULL,
  PRIMARY KEY (job, round, step, idx)
);

-- They are messages like the others.
DO $$
BEGIN
  EXECUTE 'CREATE OR REPLACE VIEW messages WITH (security_invoker = true) AS '
          || rtrim(pg_get_viewdef('messages'::regclass), '; ')
          || ' UNION ALL SELECT r.conversation, i.job, i.round, i.step, i.idx, i.message'
             ' FROM rounds r JOIN injected_messages i ON i.job = r.job AND i.round = r.round';
END $$;

CREATE POLICY of_job ON skill_uses
  USING ((SELECT tenants_read_by(current_user)) IS NULL OR EXISTS (SELECT FROM jobs WHERE jobs.id = job));
CREATE POLICY of_job ON injected_messages
  USING ((SELECT tenants_read_by(current_user)) IS NULL OR EXISTS (SELECT FROM jobs WHERE jobs.id = job));
CREATE POLICY of_all ON skill_contents USING ((SELECT tenants_read_by(current_user)) IS NULL);
ALTER TABLE skill_contents ENABLE ROW LEVEL SECURITY;
ALTER TABLE skill_uses ENABLE ROW LEVEL SECURITY;
ALTER TABLE injected_messages ENABLE ROW LEVEL SECURITY;
