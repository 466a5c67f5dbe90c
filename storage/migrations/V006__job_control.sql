-- SPDX-License-Identifier: Apache-2.0
-- What people may ask of a job that is on its way, and the states it then has.

-- A request stands until a worker has honoured it: it reads them with its claims. That of a pause
-- is taken back by the hand-back that makes the job paused; that of a cancellation stays.
ALTER TABLE jobs
  ADD COLUMN request      text CHECK (request IN ('cancel', 'pause')),
  ADD COLUMN requested_at timestamptz,
  ADD COLUMN requested_by text,
  ADD COLUMN idle_since   timestamptz,                -- paused or waiting for a person since then
  ADD COLUMN idle_ms      bigint NOT NULL DEFAULT 0,  -- and earlier, which no deadline counts
  DROP CONSTRAINT jobs_state_check,
  ADD CONSTRAINT jobs_state_check
    CHECK (state IN ('ready', 'running', 'paused', 'waiting', 'finished')),
  DROP CONSTRAINT jobs_check,
  ADD CONSTRAINT jobs_owner_check
    CHECK ((state IN ('ready', 'paused', 'waiting')) = (incarnation IS NULL)),
  ADD CONSTRAINT jobs_idle_check
    CHECK ((state IN ('paused', 'waiting')) = (idle_since IS NOT NULL)),
  ADD CONSTRAINT jobs_pause_check CHECK (request <> 'pause' OR state IN ('running', 'finished'));

-- Empty but while something is being cancelled.
CREATE INDEX jobs_to_cancel ON jobs (id)
  WHERE request = 'cancel' AND state IN ('ready', 'paused', 'waiting');
