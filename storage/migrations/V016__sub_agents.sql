-- SPDX-License-Identifier: Apache-2.0
-- Sub-agents: jobs that a tool call of another job asked for. No claim finds them: whoever runs the
-- job that asked has them, they go back with it, and are held until it runs again.

ALTER TABLE jobs
  ADD COLUMN parent       bigint,   -- the job that asked; by which call
  ADD COLUMN parent_round integer,
  ADD COLUMN parent_step  integer,
  ADD COLUMN parent_idx   integer,
  DROP CONSTRAINT jobs_state_check,
  ADD CONSTRAINT jobs_state_check
    CHECK (state IN ('ready', 'running', 'paused', 'waiting', 'held', 'finished')),
  DROP CONSTRAINT jobs_owner_check,
  ADD CONSTRAINT jobs_owner_check
    CHECK ((state IN ('ready', 'paused', 'waiting', 'held')) = (incarnation IS NULL)),
  DROP CONSTRAINT jobs_idle_check,
  ADD CONSTRAINT jobs_idle_check
    CHECK ((state IN ('paused', 'waiting', 'held')) = (idle_since IS NOT NULL)),
  ADD CONSTRAINT jobs_parent_check
    CHECK (num_nulls(parent, parent_round, parent_step, parent_idx) IN (0, 4)),
  ADD CONSTRAINT jobs_sub_agent_check
    CHECK (CASE WHEN parent IS NULL THEN state <> 'held'
                ELSE state IN ('running', 'held', 'finished') AND request IS NULL END);

-- One for each call, and where those of a job are.
CREATE UNIQUE INDEX jobs_of_parent ON jobs (parent, parent_round, parent_step, parent_idx)
  WHERE parent IS NOT NULL;
