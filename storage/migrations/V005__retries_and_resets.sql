-- SPDX-License-Identifier: Apache-2.0
-- Claims look for jobs on a further attempt apart from the others, and partitions whose log was
-- recreated begin a new epoch.

CREATE INDEX jobs_retried ON jobs (lane, tenant, id) WHERE state = 'ready' AND attempt > 0;

-- The offset only grows within an epoch; -1: the beginning of the log.
ALTER TABLE intake_offsets
  ADD COLUMN epoch integer NOT NULL DEFAULT 0,
  DROP CONSTRAINT intake_offsets_next_offset_check,
  ADD CONSTRAINT intake_offsets_next_offset_check CHECK (next_offset >= -1);

-- One row for each time intake of a partition began anew, for people.
CREATE TABLE intake_resets (
  topic           text NOT NULL,
  topic_id        text NOT NULL,
  topic_partition integer NOT NULL,
  epoch           integer NOT NULL,   -- the one that began
  offset_before   bigint NOT NULL,    -- what the ledger had consumed until then
  incarnation     bigint NOT NULL,
  reset_at        timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (topic, topic_id, topic_partition, epoch)
);
