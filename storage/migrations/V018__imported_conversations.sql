-- SPDX-License-Identifier: Apache-2.0
-- Conversations that began elsewhere: their history is inherited_messages, and a job may come or not.
ALTER TABLE conversations ADD COLUMN imported_by text;  -- null: its first job began it

-- What retention looks at. No counter stands in the predicate: it would cost each job's end an index entry.
CREATE INDEX conversations_imported ON conversations (tenant, created_at) WHERE imported_by IS NOT NULL;
