-- SPDX-License-Identifier: Apache-2.0
-- tenants_read_by() told everybody the tenants of any role, with its owner's rights. It asks with the rights of who asks
-- now, and a role sees its own rows of tenant_readers only (with those of roles that it is a member of).
DROP POLICY of_all ON tenant_readers;
CREATE POLICY of_itself ON tenant_readers FOR SELECT USING (EXISTS (
  SELECT FROM pg_catalog.pg_roles r
  WHERE r.rolname = role AND pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER')));
GRANT SELECT ON tenant_readers TO PUBLIC;

-- Null: not listed.
CREATE OR REPLACE FUNCTION tenants_read_by(reader name) RETURNS text[]
  LANGUAGE sql STABLE SECURITY INVOKER
  BEGIN ATOMIC
    SELECT array_agg(DISTINCT t.tenant) FROM tenant_readers t JOIN pg_catalog.pg_roles r ON r.rolname = t.role
    WHERE pg_catalog.pg_has_role(reader, r.oid, 'MEMBER');
  END;
