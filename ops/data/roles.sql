-- SPDX-License-Identifier: Apache-2.0
-- Roles and databases of a fresh cluster. Run by psql as superuser, with the variables
-- owner_password and reader_password.
\set ON_ERROR_STOP on

-- The worker and its migrations. CREATEDB, so that tests can have databases of their own.
CREATE ROLE ba_owner LOGIN CREATEDB PASSWORD :'owner_password';
-- Owns the analytics tables and nobody's session.
CREATE ROLE ba_loader NOLOGIN;
-- Runs the SQL that a model wrote. The settings are a convenience, a session can change them:
-- what holds is what is not granted.
CREATE ROLE ba_reader LOGIN CONNECTION LIMIT 50 PASSWORD :'reader_password';
ALTER ROLE ba_reader SET default_transaction_read_only = on;
ALTER ROLE ba_reader SET statement_timeout = '30s';
ALTER ROLE ba_reader SET lock_timeout = '2s';
ALTER ROLE ba_reader SET idle_in_transaction_session_timeout = '60s';
-- These a session can't change. What the server makes of each new statement, which the worker asks for, would go to its
-- log.
ALTER ROLE ba_reader SET log_min_messages = 'fatal';
ALTER ROLE ba_reader SET temp_file_limit = '256MB';

-- Reads the ledger's rows of the tenants it is given (ba.tenant_readers), alone or as one of a group; the owner may take
-- it on.
CREATE ROLE ba_tenant_readers NOLOGIN;
CREATE ROLE ba_tenant_reader NOLOGIN IN ROLE ba_tenant_readers;
GRANT ba_tenant_reader TO ba_owner;

CREATE DATABASE ba_agent OWNER ba_owner;
CREATE DATABASE analytics OWNER ba_loader;
REVOKE ALL ON DATABASE ba_agent, analytics, postgres, template1 FROM PUBLIC;
GRANT CONNECT ON DATABASE analytics TO ba_reader;
