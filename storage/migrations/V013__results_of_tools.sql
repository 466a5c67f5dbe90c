-- SPDX-License-Identifier: Apache-2.0
-- Results of pure tool calls by what the calls mean, shared by all workers, and who is about to make one.

CREATE TABLE tool_results (
  key          text PRIMARY KEY,              -- SHA-256 of the canonical call
  tenant       text NOT NULL,
  tool         text NOT NULL,
  tool_version text NOT NULL,
  caller       text NOT NULL,                 -- empty: the whole tenant's
  data_source  text NOT NULL,                 -- empty: none
  data         text COMPRESSION lz4 NOT NULL, -- as the tool gave it, JSON
  data_bytes   bigint NOT NULL,
  job          bigint NOT NULL,               -- the call that ran
  round        integer NOT NULL,
  step         integer NOT NULL,
  idx          integer NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at   timestamptz NOT NULL,
  used_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  hits         bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 80);
CREATE INDEX tool_results_expired ON tool_results (expires_at);

-- A lease on making a result. Lost with a crash of the server, which costs a second run of a pure call.
CREATE UNLOGGED TABLE tool_flights (
  key   text PRIMARY KEY,
  owner bigint NOT NULL,                      -- a random number of one process
  until timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE POLICY of_tenant ON tool_results
  USING ((SELECT tenants_read_by(current_user)) IS NULL
         OR tenant = ANY ((SELECT tenants_read_by(current_user))::text[]));
CREATE POLICY of_all ON tool_flights USING ((SELECT tenants_read_by(current_user)) IS NULL);
ALTER TABLE tool_results ENABLE ROW LEVEL SECURITY;
ALTER TABLE tool_flights ENABLE ROW LEVEL SECURITY;

ALTER TABLE tool_calls
  ADD COLUMN semantic_key text,               -- null: the call's meaning was not asked
  ADD COLUMN cache_hit boolean NOT NULL DEFAULT false,
  ADD COLUMN cache_origin text;               -- of a hit: "job/round/step/index" of the call that ran
