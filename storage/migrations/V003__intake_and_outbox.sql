-- SPDX-License-Identifier: Apache-2.0
-- The two borders to Kafka: how far intake has read, what could not be read, what is to be
-- published. Keys and headers of records may be any bytes.

-- The next offset of a partition; it only grows. A recreated topic has a new topic_id.
CREATE TABLE intake_offsets (
  topic           text NOT NULL,
  topic_id        text NOT NULL,   -- empty where the broker gives none
  topic_partition integer NOT NULL,
  next_offset     bigint NOT NULL CHECK (next_offset >= 0),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (topic, topic_id, topic_partition)
) WITH (fillfactor = 50);

CREATE TABLE dead_letters (
  id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source_topic        text NOT NULL,
  source_topic_id     text NOT NULL,
  source_partition    integer NOT NULL,
  source_offset       bigint NOT NULL,
  source_timestamp_ms bigint NOT NULL,
  reason              text NOT NULL,
  field               text NOT NULL,
  message             text NOT NULL,
  record_key          bytea,
  record_value        bytea COMPRESSION lz4 NOT NULL,
  record_headers      json NOT NULL,
  result_id           text NOT NULL,   -- of its record in the outbox
  created_at          timestamptz NOT NULL DEFAULT now(),
  UNIQUE (source_topic, source_topic_id, source_partition, source_offset, source_timestamp_ms)
);

-- Records to publish exactly once. A row is written with what decides it and updated once, when
-- its batch is known to be published.
CREATE TABLE outbox (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  shard          integer NOT NULL,
  result_id      text NOT NULL UNIQUE,
  topic          text NOT NULL,
  record_key     bytea NOT NULL,
  record_value   bytea COMPRESSION lz4 NOT NULL,
  record_headers json NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  batch          bigint,
  published_at   timestamptz,
  CHECK ((batch IS NULL) = (published_at IS NULL))
) WITH (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX outbox_pending ON outbox (shard, id) WHERE published_at IS NULL;

-- At most one batch of a shard is in flight: assigned_batch, with the rows in in_flight.
CREATE TABLE outbox_shards (
  shard           integer PRIMARY KEY CHECK (shard >= 0),
  incarnation     bigint,
  assigned_batch  bigint NOT NULL DEFAULT 0,
  published_batch bigint NOT NULL DEFAULT 0,
  in_flight       bigint[] NOT NULL DEFAULT '{}',  -- outbox ids, in order
  published_at    timestamptz,
  stopped_reason  text,
  stopped_at      timestamptz,
  CHECK (published_batch <= assigned_batch AND assigned_batch <= published_batch + 1),
  CHECK ((assigned_batch = published_batch) = (in_flight = '{}')),
  CHECK ((stopped_reason IS NULL) = (stopped_at IS NULL)),
  CHECK (stopped_reason IS NULL OR incarnation IS NULL)
) WITH (fillfactor = 50);
