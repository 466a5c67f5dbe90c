-- SPDX-License-Identifier: Apache-2.0
-- Results too large for a conversation, named by their content and tenant, and the calls that refer to them.

CREATE TABLE artifacts (
  tenant      text NOT NULL,
  id          text NOT NULL,
  data        text COMPRESSION lz4,           -- compact JSON; null: it is in a file
  file        text,                           -- its name below the configured directory
  data_bytes  bigint NOT NULL,
  made_at     timestamptz NOT NULL DEFAULT clock_timestamp(),  -- last
  accessed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant, id),
  CHECK ((data IS NULL) <> (file IS NULL))
) WITH (fillfactor = 80);

-- One for each call that gave it. What a conversation took over from another has no call here: step -1.
CREATE TABLE artifact_references (
  conversation bigint NOT NULL,
  artifact     text NOT NULL,
  job          bigint NOT NULL,
  round        integer NOT NULL,
  step         integer NOT NULL,
  idx          integer NOT NULL,
  tenant       text NOT NULL,
  PRIMARY KEY (conversation, artifact, job, round, step, idx),
  FOREIGN KEY (tenant, artifact) REFERENCES artifacts (tenant, id) ON DELETE CASCADE
);
CREATE INDEX artifact_references_of ON artifact_references (tenant, artifact);
CREATE INDEX artifact_references_by_job ON artifact_references (job);

-- Names this database among those whose artifacts share a directory.
CREATE TABLE installation (id uuid NOT NULL);
INSERT INTO installation VALUES (gen_random_uuid());

CREATE POLICY of_tenant ON artifacts
  USING ((SELECT tenants_read_by(current_user)) IS NULL
         OR tenant = ANY ((SELECT tenants_read_by(current_user))::text[]));
CREATE POLICY of_tenant ON artifact_references
  USING ((SELECT tenants_read_by(current_user)) IS NULL
         OR tenant = ANY ((SELECT tenants_read_by(current_user))::text[]));
CREATE POLICY of_all ON installation USING ((SELECT tenants_read_by(current_user)) IS NULL);
ALTER TABLE installation ENABLE ROW LEVEL SECURITY;
ALTER TABLE artifacts ENABLE ROW LEVEL SECURITY;
ALTER TABLE artifact_references ENABLE ROW LEVEL SECURITY;

ALTER TABLE tool_calls
  ADD COLUMN artifact_id text,                -- where the data is; null: nowhere
  ADD COLUMN data_hash   text;                -- SHA-256 of the data as compact JSON; null: there was none
