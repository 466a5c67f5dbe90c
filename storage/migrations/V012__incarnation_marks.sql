-- SPDX-License-Identifier: Apache-2.0
-- A database may go back in time while workers live: a failover to a replica that lagged, a restore.

-- A sequence goes back too and would give an incarnation the number of one of the lost time, which may still be about.
-- Random numbers don't come again. Of 52 bits, so that any reader of JSON can hold them; never 0, which is none.
ALTER TABLE incarnations ALTER COLUMN id DROP IDENTITY;
ALTER TABLE incarnations ALTER COLUMN id
  SET DEFAULT 1 + ('x' || left(md5(gen_random_uuid()::text), 13))::bit(52)::bigint;

-- Each transaction of an incarnation raises the mark of its session (slot). A worker that misses a mark which it knows
-- as committed stops what it does: what it knows did not happen. Rows go with the end of their incarnation.
CREATE TABLE incarnation_marks (
  incarnation bigint NOT NULL,
  slot        smallint NOT NULL CHECK (slot >= 0),
  mark        bigint NOT NULL CHECK (mark > 0),
  PRIMARY KEY (incarnation, slot)
) WITH (fillfactor = 50);
