-- SPDX-License-Identifier: Apache-2.0
-- A round's latency has none of the time that its job was idle within it. What it was idle before stands with the round, so
-- that whoever goes on with it tells the two apart. Rounds from before this take all of it for theirs, as they did.

ALTER TABLE rounds ADD COLUMN idle_before_ms bigint NOT NULL DEFAULT 0;
