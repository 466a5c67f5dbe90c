-- SPDX-License-Identifier: Apache-2.0
-- Results that are too large to be held come to their artifact in chunks, before it is known what it is called: nobody reads them
-- until a row of `artifacts` names them, as `chunks:` and the upload's id in its `file`.

CREATE TABLE artifact_uploads (
  id      text PRIMARY KEY,
  tenant  text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT clock_timestamp()  -- its last chunk; -infinity: nobody needs it any more
);

CREATE TABLE artifact_chunks (
  upload     text NOT NULL REFERENCES artifact_uploads (id) ON DELETE CASCADE,
  idx        integer NOT NULL,
  tenant     text NOT NULL,
  first_item bigint NOT NULL,           -- of the array that all chunks are
  items      bigint NOT NULL,
  data       text COMPRESSION lz4,      -- the items with commas between them; null: in a file
  file       text,                      -- its name below the configured directory
  sha256     text NOT NULL,             -- of the data
  data_bytes bigint NOT NULL,
  PRIMARY KEY (upload, idx),
  CHECK ((data IS NULL) <> (file IS NULL))
);

CREATE INDEX artifacts_in_chunks ON artifacts (file) WHERE starts_with(file, 'chunks:');
CREATE INDEX artifact_uploads_by_age ON artifact_uploads (made_at);

CREATE POLICY of_tenant ON artifact_uploads
  USING ((SELECT tenants_read_by(current_user)) IS NULL
         OR tenant = ANY ((SELECT tenants_read_by(current_user))::text[]));
CREATE POLICY of_tenant ON artifact_chunks
  USING ((SELECT tenants_read_by(current_user)) IS NULL
         OR tenant = ANY ((SELECT tenants_read_by(current_user))::text[]));
ALTER TABLE artifact_uploads ENABLE ROW LEVEL SECURITY;
ALTER TABLE artifact_chunks ENABLE ROW LEVEL SECURITY;
