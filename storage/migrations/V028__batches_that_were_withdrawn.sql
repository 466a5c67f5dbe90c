-- SPDX-License-Identifier: Apache-2.0
-- A batch can be withdrawn before it is out, and its number is never used again: assigned_batch stays, in_flight is empty.
ALTER TABLE outbox_shards DROP CONSTRAINT outbox_shards_check, DROP CONSTRAINT outbox_shards_check1;
ALTER TABLE outbox_shards
  ADD CONSTRAINT published_was_assigned CHECK (published_batch <= assigned_batch),
  ADD CONSTRAINT in_flight_is_unpublished CHECK (assigned_batch > published_batch OR in_flight = '{}');
