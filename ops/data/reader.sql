-- SPDX-License-Identifier: Apache-2.0
-- Takes from everyone in this database the functions that do something beside returning a value.
-- A read-only transaction doesn't prevent them. Run by psql as superuser.
\set ON_ERROR_STOP on

DO $$
DECLARE
    function record;
BEGIN
    FOR function IN
        SELECT oid::regprocedure AS signature
        FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace
          AND prokind = 'f'
          AND proname ~ concat('^(', concat_ws('|',
              -- large objects: written even in a read-only transaction
              'lo_.*', 'loread', 'lowrite',
              -- locks that outlive a statement
              'pg_(try_)?advisory_.*',
              -- time, other sessions, the server
              'pg_sleep.*', 'pg_notify', 'pg_(cancel|terminate)_backend', 'pg_export_snapshot',
              'pg_logical_emit_message', 'pg_stat_reset.*', 'pg_log_.*', 'pg_switch_wal',
              -- settings and state of the session
              'set_config', 'setseed', 'setval', 'nextval', 'pg_stat_clear_snapshot',
              -- transaction ids are used up
              'txid_current', 'pg_current_xact_id',
              -- a query given as text, which no check of the statement sees
              '(query|cursor|table|schema|database)_to_xml.*', 'ts_stat', 'ts_rewrite',
              -- replication, upkeep, upgrades (most ask for a role as well)
              'pg_(create|drop|copy)_.*_slot', 'pg_replication_.*', 'pg_logical_slot_.*',
              'brin_(de)?summarize_.*', 'gin_clean_pending_list', 'binary_upgrade_.*',
              'pg_import_system_collations', 'pg_nextoid', 'pg_stop_making_pinned_objects',
              'pg_rotate_logfile.*',
              -- files
              'pg_(read|ls|stat)_.*file.*', 'pg_ls_.*'
          ), ')$')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', function.signature);
    END LOOP;
END
$$;

REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO ba_reader;
