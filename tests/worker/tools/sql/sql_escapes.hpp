#pragma once
// SPDX-License-Identifier: Apache-2.0
// Ways out of "read only", tried against the guard and, past the guard, against a real server.

#include <ostream>
#include <string_view>

namespace ba::sql {

struct Escape {
  std::string_view sql;
  std::string_view named;  ///< what the guard's message has to name
};

inline void PrintTo(const Escape& escape, std::ostream* out) { *out << escape.sql; }

inline constexpr Escape kEscapes[]{
    // statements that write
    {"INSERT INTO airlines VALUES ('x', 'y')", "INSERT"},
    {"UPDATE airlines SET name = 'x'", "UPDATE"},
    {"DELETE FROM airlines", "DELETE"},
    {"MERGE INTO airlines a USING airports b ON a.carrier = b.faa WHEN MATCHED THEN DELETE",
     "MERGE"},
    {"TRUNCATE airlines", "TRUNCATE"},
    {"CREATE TABLE escape_table (a int)", "CREATE TABLE"},
    {"CREATE TEMP TABLE escape_table AS SELECT 1", "CREATE TABLE AS"},
    {"CREATE VIEW escape_view AS SELECT 1", "CREATE VIEW"},
    {"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "CREATE FUNCTION"},
    {"DROP TABLE airlines", "DROP"},
    {"ALTER TABLE airlines ADD x int", "ALTER TABLE"},
    {"GRANT SELECT ON airlines TO PUBLIC", "GRANT"},
    {"REFRESH MATERIALIZED VIEW v", "REFRESH MAT VIEW"},
    {"COMMENT ON TABLE airlines IS 'x'", "COMMENT"},
    // who is connected, and which roles there are
    {"SELECT \"current_user\"()", "current_user"},
    {"SELECT pg_catalog.\"session_user\"()", "session_user"},
    {"SELECT getpgusername()", "getpgusername"},
    {"SELECT 10::oid::regrole", "regrole"},
    {"SELECT CAST('{10}' AS regrole[])", "regrole"},
    {"SELECT to_regrole('postgres')", "to_regrole"},
    {"SELECT makeaclitem(10, 10, 'SELECT', false)", "makeaclitem"},
    {"SELECT has_table_privilege('postgres', 'airlines', 'SELECT')", "has_table_privilege"},
    // statements that write from inside a query
    {"WITH gone AS (DELETE FROM airlines RETURNING *) SELECT * FROM gone", "DELETE"},
    {"WITH a AS (SELECT 1) INSERT INTO airlines SELECT 'x', 'y' FROM a", "INSERT"},
    {"WITH a AS (WITH b AS (UPDATE airlines SET name = 'x' RETURNING 1) SELECT * FROM b) "
     "SELECT * FROM a",
     "UPDATE"},
    {"SELECT * FROM (WITH x AS (INSERT INTO airlines VALUES ('x', 'y') RETURNING 1) TABLE x) s",
     "INSERT"},
    {"SELECT * INTO escape_table FROM airlines", "SELECT INTO"},
    {"SELECT 1 INTO TEMP escape_table", "SELECT INTO"},
    {"SELECT 1 INTO escape_table UNION SELECT 2", "SELECT INTO"},
    {"SELECT * FROM airlines FOR UPDATE", "FOR UPDATE"},
    {"SELECT * FROM airlines FOR KEY SHARE", "FOR UPDATE"},
    {"SELECT * FROM (SELECT * FROM airlines FOR SHARE SKIP LOCKED) s", "FOR UPDATE"},
    // EXPLAIN that runs
    {"EXPLAIN ANALYZE CREATE TABLE escape_table AS SELECT 1", "EXPLAIN of anything but a SELECT"},
    {"EXPLAIN (ANALYZE) DELETE FROM airlines", "EXPLAIN of anything but a SELECT"},
    {"EXPLAIN DELETE FROM airlines", "EXPLAIN of anything but a SELECT"},
    {"EXPLAIN (SETTINGS) SELECT 1", "settings"},
    {"EXPLAIN EXECUTE p", "EXPLAIN of anything but a SELECT"},
    // more than one statement
    {"SELECT 1; DELETE FROM airlines", "2 statements"},
    {"COMMIT; DELETE FROM airlines", "2 statements"},
    {"SELECT 1 /* ; */ ; -- x\n DROP TABLE airlines", "2 statements"},
    {"SELECT 1;--\n;SELECT 2", "2 statements"},
    {"-- nothing but a comment", "0 statements"},
    // the session and its transaction
    {"COMMIT", "COMMIT"},
    {"BEGIN READ WRITE", "BEGIN"},
    {"SAVEPOINT a", "BEGIN"},
    {"SET default_transaction_read_only = off", "SET"},
    {"SET TRANSACTION READ WRITE", "SET"},
    {"SET ROLE ba_loader", "SET"},
    {"SET SESSION AUTHORIZATION ba_loader", "SET"},
    {"RESET ALL", "SET"},
    {"DISCARD ALL", "DISCARD"},
    {"SHOW ALL", "SHOW"},
    {"SELECT set_config('transaction_read_only', 'off', true)", "set_config()"},
    {"SELECT current_setting('data_directory')", "current_setting()"},
    {"PREPARE p AS SELECT 1", "PREPARE"},
    {"EXECUTE p", "EXECUTE"},
    {"DEALLOCATE ALL", "DEALLOCATE"},
    {"DECLARE c CURSOR WITH HOLD FOR SELECT 1", "DECLARE CURSOR"},
    {"FETCH ALL FROM c", "FETCH"},
    {"LISTEN a", "LISTEN"},
    {"NOTIFY a, 'b'", "NOTIFY"},
    {"LOCK TABLE airlines", "LOCK"},
    {"LOAD 'auto_explain'", "LOAD"},
    // code and files
    {"DO $$ BEGIN DELETE FROM airlines; END $$", "DO"},
    {"CALL p()", "CALL"},
    {"COPY airlines TO '/tmp/escape'", "COPY"},
    {"COPY airlines TO PROGRAM 'id'", "COPY"},
    {"COPY (SELECT 1) TO STDOUT", "COPY"},
    {"COPY airlines FROM STDIN", "COPY"},
    {"VACUUM airlines", "VACUUM"},
    {"CHECKPOINT", "CHECK POINT"},
    {"CREATE EXTENSION dblink", "CREATE EXTENSION"},
    // functions
    {"SELECT lo_from_bytea(0, 'x')", "lo_from_bytea()"},
    {"SELECT lo_create(0)", "lo_create()"},
    {"SELECT lo_import('/etc/passwd')", "lo_import()"},
    {"SELECT pg_catalog.lo_unlink(1)", "lo_unlink()"},
    {"SELECT \"lo_create\"(0)", "lo_create()"},
    {"SELECT pg_sleep(60)", "pg_sleep()"},
    {"SELECT PG_SLEEP(60)", "pg_sleep()"},
    {"SELECT * FROM airlines WHERE pg_sleep(1) IS NULL", "pg_sleep()"},
    {"SELECT * FROM pg_sleep(60)", "pg_sleep()"},
    {"SELECT 1 ORDER BY pg_sleep(60)", "pg_sleep()"},
    {"SELECT count(*) FILTER (WHERE pg_sleep(1) IS NULL) FROM airlines", "pg_sleep()"},
    {"SELECT sum(1) OVER (ORDER BY pg_sleep(60)) FROM airlines", "pg_sleep()"},
    {"SELECT 1 LIMIT (SELECT 1 FROM pg_sleep(60))", "pg_sleep()"},
    {"VALUES (pg_sleep(60))", "pg_sleep()"},
    {"EXPLAIN SELECT pg_sleep(60)", "pg_sleep()"},
    {"SELECT pg_advisory_lock(1)", "pg_advisory_lock()"},
    {"SELECT pg_notify('a', 'b')", "pg_notify()"},
    {"SELECT pg_terminate_backend(1)", "pg_terminate_backend()"},
    {"SELECT pg_read_file('/etc/passwd')", "pg_read_file()"},
    {"SELECT * FROM pg_ls_dir('/')", "pg_ls_dir()"},
    {"SELECT dblink('dbname=x', 'DELETE FROM airlines')", "dblink()"},
    {"SELECT dblink_exec('dbname=x', 'DELETE FROM airlines')", "dblink_exec()"},
    {"SELECT query_to_xml('DELETE FROM airlines', true, true, '')", "query_to_xml()"},
    {"SELECT * FROM ts_stat('SELECT 1')", "ts_stat()"},
    {"SELECT nextval('s')", "nextval()"},
    {"SELECT setval('s', 1)", "setval()"},
    {"SELECT txid_current()", "txid_current()"},
    // functions without call syntax, where no column would be called so
    {"SELECT (2::float8).pg_sleep", "pg_sleep()"},
    {"SELECT (42::bigint).pg_advisory_lock", "pg_advisory_lock()"},
    {"SELECT ('search_path'::text).current_setting", "current_setting()"},
    {"SELECT ((NULL::int).pg_stat_get_activity).query", "pg_stat_get_activity()"},
    {"SELECT a.pg_terminate_backend FROM (SELECT 1) AS a", "pg_terminate_backend()"},
    {"SELECT crosstab('SELECT 1')", "crosstab()"},
    {"SELECT 1 OPERATOR(public.+) 2", "OPERATOR(public"},
    {"SELECT current_user", "current_user"},
    {"SELECT session_user", "current_user"},
    // the catalog, and forms a reader does not need
    {"SELECT * FROM pg_authid", "system catalog"},
    {"SELECT rolname FROM pg_catalog.pg_roles", "system catalog"},
    {"TABLE pg_stat_activity", "system catalog"},
    {"SELECT * FROM pg_toast.pg_toast_1", "system catalog"},
    {"SELECT $1", "A parameter"},
    {"VALUES (DEFAULT)", "DEFAULT"},
};

}  // namespace ba::sql
