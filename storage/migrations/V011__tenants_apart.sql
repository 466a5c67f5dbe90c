-- SPDX-License-Identifier: Apache-2.0
-- Nothing of one tenant reaches another, as far as the database can see to it.

-- A job can't be in a conversation of another tenant, so a history is of one tenant only.
ALTER TABLE conversations ADD CONSTRAINT conversations_of_tenant UNIQUE (id, tenant);
ALTER TABLE jobs
  ADD CONSTRAINT jobs_conversation_of_tenant
    FOREIGN KEY (conversation, tenant) REFERENCES conversations (id, tenant),
  DROP CONSTRAINT jobs_conversation_fkey;

-- Roles that may read the rows of some tenants only: dashboards, reports; with a role, all its members. A role that isn't
-- listed reads what it was granted; the owner, and so the worker, is not concerned.
CREATE TABLE tenant_readers (
  role   name NOT NULL,
  tenant text NOT NULL,
  PRIMARY KEY (role, tenant)
);

-- Null: not listed. With the owner's rights, so that the policies ask for no grant of anybody.
CREATE FUNCTION tenants_read_by(reader name) RETURNS text[]
  LANGUAGE sql STABLE SECURITY DEFINER
  BEGIN ATOMIC
    SELECT array_agg(DISTINCT t.tenant) FROM tenant_readers t JOIN pg_catalog.pg_roles r ON r.rolname = t.role
    WHERE pg_catalog.pg_has_role(reader, r.oid, 'MEMBER');
  END;

-- Each policy asks once per statement, not per row.
DO $$
DECLARE
  one name;
  all_rows constant text := '(SELECT tenants_read_by(current_user)) IS NULL';
BEGIN
  FOREACH one IN ARRAY ARRAY['conversations', 'jobs'] LOOP
    EXECUTE format('CREATE POLICY of_tenant ON %I USING (%s OR tenant = ANY '
                   '((SELECT tenants_read_by(current_user))::text[]))', one, all_rows);
  END LOOP;
  FOREACH one IN ARRAY ARRAY['attempts', 'rounds', 'steps', 'tool_calls', 'wasted_model_calls', 'metrics'] LOOP
    EXECUTE format('CREATE POLICY of_job ON %I USING (%s OR EXISTS (SELECT FROM jobs WHERE jobs.id = job))',
                   one, all_rows);
  END LOOP;
  EXECUTE format('CREATE POLICY of_conversation ON inherited_messages USING (%s OR EXISTS '
                 '(SELECT FROM conversations WHERE conversations.id = conversation))', all_rows);
  -- Of several tenants, or of none that is known.
  FOREACH one IN ARRAY ARRAY['outbox', 'dead_letters', 'redrives', 'tenant_readers'] LOOP
    EXECUTE format('CREATE POLICY of_all ON %I USING (%s)', one, all_rows);
  END LOOP;
  FOR one IN SELECT tablename FROM pg_policies WHERE schemaname = current_schema() LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
  END LOOP;
END $$;

ALTER VIEW messages SET (security_invoker = true);
