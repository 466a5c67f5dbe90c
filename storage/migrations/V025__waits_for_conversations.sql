-- SPDX-License-Identifier: Apache-2.0
-- A job that has waited too long for an earlier one of its conversation ends. Which one that was, and what was allowed, is
-- written when a worker claims it for that, so that whoever goes on with it after a crash ends it the same way.

ALTER TABLE jobs
  ADD COLUMN waited_for text,     -- the earlier job's job_id
  ADD COLUMN wait_max_s integer,
  ADD CONSTRAINT jobs_overdue_check
    CHECK (num_nulls(waited_for, wait_max_s) IN (0, 2) AND (waited_for IS NULL OR parent IS NULL));

-- Empty but while something is to end, for either reason.
DROP INDEX jobs_to_cancel;
CREATE INDEX jobs_to_end ON jobs (id)
  WHERE (request = 'cancel' OR waited_for IS NOT NULL) AND state IN ('ready', 'paused', 'waiting');

-- The oldest come first; there are few that are older than what is allowed.
CREATE INDEX jobs_not_begun ON jobs (received_at) WHERE state = 'ready' AND first_claimed_at IS NULL;
