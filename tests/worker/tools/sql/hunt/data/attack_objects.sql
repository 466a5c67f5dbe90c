-- SPDX-License-Identifier: Apache-2.0
-- Objects through which a statement runs what it doesn't call by name. Those that "hold" take an
-- advisory lock, which no rollback gives back; those that "touch" write a row of a table that no tool
-- may write. Run by a superuser after analyst_tables.sql; the roles are shop_owner, reader, writer,
-- tenant. Tables that may be written are named target_*; all else may not.
CREATE SCHEMA app AUTHORIZATION tenant;
GRANT USAGE ON SCHEMA app TO PUBLIC;
GRANT CREATE ON SCHEMA public TO tenant;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO tenant;
SET ROLE tenant;

CREATE TABLE touched (what text);
CREATE TABLE app.orders (id integer);
CREATE TABLE unreadable (secret text);
INSERT INTO unreadable VALUES ('canary-of-a-table');
CREATE TABLE entrusted AS SELECT 'what its owner tells' AS secret;

CREATE FUNCTION touch(text) RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public AS
  'BEGIN INSERT INTO touched VALUES ($1); RETURN $1; END';
CREATE FUNCTION f_write(integer) RETURNS integer LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public AS
  'BEGIN INSERT INTO touched VALUES ($1::text); RETURN $1; END';
CREATE FUNCTION hold(integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM pg_advisory_lock_shared($1); RETURN $1; END';
CREATE FUNCTION hold_text(text) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM pg_advisory_lock_shared(7); RETURN $1; END';
CREATE FUNCTION hold_yes(integer) RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM pg_advisory_lock_shared($1); RETURN true; END';
CREATE FUNCTION hold_default(integer, text DEFAULT 'x') RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold($1); END';
CREATE FUNCTION hold_variadic(VARIADIC integer[]) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold(1); END';
CREATE FUNCTION hold_more(integer, VARIADIC integer[] DEFAULT '{}') RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold($1); END';
CREATE FUNCTION hold_any(anyelement) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold(2); END';
CREATE FUNCTION hold_anyarray(anyarray) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold(3); END';
CREATE FUNCTION hold_anyrange(anyrange) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold(3); END';
CREATE FUNCTION hold_record(record) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold(4); END';
CREATE FUNCTION hold_row(airlines) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold(5); END';
CREATE FUNCTION hold_array(integer[]) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold(6); END';
CREATE FUNCTION hold_domain(percentage) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold(7); END';
CREATE FUNCTION hold_enum(order_state) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold(8); END';
CREATE FUNCTION hold_jsonb(jsonb) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold(9); END';
CREATE FUNCTION hold_none() RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold(10); END';
CREATE FUNCTION hold_named(first integer, second integer DEFAULT 2) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold($1); END';
CREATE FUNCTION hold_rows(integer) RETURNS SETOF integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN NEXT hold($1); END';
CREATE FUNCTION hold_out(integer, OUT a integer, OUT b integer) LANGUAGE plpgsql VOLATILE AS 'BEGIN a := hold($1); END';
CREATE FUNCTION hold_sql(integer) RETURNS integer LANGUAGE sql VOLATILE AS 'SELECT hold($1)';
CREATE FUNCTION hold_body(i integer) RETURNS integer LANGUAGE sql VOLATILE BEGIN ATOMIC SELECT hold(i); END;
-- What says of itself that it changes nothing.
CREATE FUNCTION stable_hold(integer) RETURNS integer LANGUAGE plpgsql STABLE AS 'BEGIN RETURN public.hold($1); END';
CREATE FUNCTION immutable_hold(integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN public.hold($1); END';
CREATE FUNCTION stable_touch(integer) RETURNS integer LANGUAGE plpgsql STABLE AS 'BEGIN PERFORM touch($1::text); RETURN $1; END';
CREATE FUNCTION immutable_touch(integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM touch($1::text); RETURN $1; END';
CREATE FUNCTION stable_sql_hold(integer) RETURNS integer LANGUAGE sql STABLE AS 'SELECT hold($1)';
CREATE FUNCTION immutable_sql_hold(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT hold($1)';
CREATE FUNCTION immutable_text_hold(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM hold(11); RETURN $1; END';
CREATE FUNCTION stable_secret() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS 'SELECT secret FROM entrusted';
CREATE FUNCTION stable_runs(text) RETURNS text LANGUAGE plpgsql STABLE AS 'DECLARE r text; BEGIN EXECUTE $1 INTO r; RETURN r; END';
CREATE PROCEDURE do_touch() LANGUAGE sql AS 'SELECT touch(''procedure'')';

-- Aggregates, also in windows (with an inverse step).
CREATE FUNCTION step(integer, integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold(12); END';
CREATE FUNCTION quiet_step(integer, integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $2';
CREATE AGGREGATE hold_by_step(integer) (SFUNC = step, STYPE = integer, INITCOND = '0');
CREATE AGGREGATE hold_by_end(integer) (SFUNC = quiet_step, STYPE = integer, FINALFUNC = hold, INITCOND = '0');
CREATE AGGREGATE hold_by_inverse(integer) (SFUNC = quiet_step, STYPE = integer, MSFUNC = quiet_step, MINVFUNC = step, MSTYPE = integer);
CREATE AGGREGATE hold_by_combining(integer) (SFUNC = quiet_step, STYPE = integer, COMBINEFUNC = step, PARALLEL = SAFE);
CREATE AGGREGATE hold_ordered(ORDER BY integer) (SFUNC = step, STYPE = integer, INITCOND = '0');
CREATE AGGREGATE hold_by_immutable(integer) (SFUNC = quiet_step, STYPE = integer, FINALFUNC = immutable_hold);

-- Domains.
CREATE DOMAIN watched AS integer CHECK (hold_yes(VALUE));
CREATE DOMAIN watched_again AS watched;
CREATE DOMAIN calmly_watched AS integer CHECK (immutable_hold(VALUE) IS NOT NULL);
CREATE DOMAIN watched_list AS integer[] CHECK (hold_yes(VALUE[1]));
CREATE TYPE has_watched AS (n watched, t text);
CREATE TYPE has_deep AS (r has_watched);
CREATE DOMAIN by_default AS integer DEFAULT hold(13);

-- A type with operators, casts and an order of its own.
CREATE TYPE code AS (c text);
CREATE FUNCTION code_same(code, code) RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM hold(14); RETURN ($1).c = ($2).c; END';
CREATE FUNCTION code_less(code, code) RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM hold(15); RETURN ($1).c < ($2).c; END';
CREATE FUNCTION code_more(code, code) RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM hold(15); RETURN ($1).c > ($2).c; END';
CREATE FUNCTION code_order(code, code) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM hold(16); RETURN CASE WHEN ($1).c < ($2).c THEN -1 WHEN ($1).c > ($2).c THEN 1 ELSE 0 END; END';
CREATE FUNCTION code_hash(code) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM hold(17); RETURN hashtext(($1).c); END';
CREATE FUNCTION code_to_integer(code) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM hold(18); RETURN 1; END';
CREATE FUNCTION code_of_text(text) RETURNS code LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM hold(19); RETURN ROW($1); END';
CREATE OPERATOR = (LEFTARG = code, RIGHTARG = code, FUNCTION = code_same, HASHES, MERGES);
CREATE OPERATOR < (LEFTARG = code, RIGHTARG = code, FUNCTION = code_less, COMMUTATOR = >);
CREATE OPERATOR > (LEFTARG = code, RIGHTARG = code, FUNCTION = code_more, COMMUTATOR = <);
CREATE OPERATOR <= (LEFTARG = code, RIGHTARG = code, FUNCTION = code_less, COMMUTATOR = >=);
CREATE OPERATOR >= (LEFTARG = code, RIGHTARG = code, FUNCTION = code_more, COMMUTATOR = <=);
CREATE OPERATOR <> (LEFTARG = code, RIGHTARG = code, FUNCTION = code_less);
CREATE CAST (code AS integer) WITH FUNCTION code_to_integer(code) AS IMPLICIT;
CREATE CAST (text AS code) WITH FUNCTION code_of_text(text) AS ASSIGNMENT;
CREATE FUNCTION code_to_json(code) RETURNS json LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM hold(33); RETURN to_json(($1).c); END';
CREATE CAST (code AS json) WITH FUNCTION code_to_json(code);
CREATE TABLE codes (c code, n integer);
INSERT INTO codes VALUES (ROW('a'), 1), (ROW('b'), 2);
CREATE TABLE more_codes AS TABLE codes;
RESET ROLE;
CREATE OPERATOR CLASS code_ops DEFAULT FOR TYPE code USING btree AS
  OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 code_order(code, code);
CREATE OPERATOR CLASS code_hash_ops DEFAULT FOR TYPE code USING hash AS OPERATOR 1 =, FUNCTION 1 code_hash(code);
CREATE FUNCTION other_order(integer, integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM public.hold(20); RETURN $1 - $2; END';
CREATE FUNCTION other_less(integer, integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM hold(20); RETURN $1 < $2; END';
CREATE OPERATOR <<< (LEFTARG = integer, RIGHTARG = integer, FUNCTION = other_less);
CREATE OPERATOR === (LEFTARG = integer, RIGHTARG = integer, FUNCTION = other_less);
CREATE OPERATOR CLASS other_ops FOR TYPE integer USING btree AS OPERATOR 1 <<<, OPERATOR 3 ===, FUNCTION 1 other_order(integer, integer);
CREATE FUNCTION same_number(integer, integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM hold(20); RETURN $1 = $2; END';
CREATE FUNCTION less_number(integer, integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 < $2';
CREATE OPERATOR ==== (LEFTARG = integer, RIGHTARG = integer, FUNCTION = same_number, COMMUTATOR = ====);
CREATE OPERATOR <<<< (LEFTARG = integer, RIGHTARG = integer, FUNCTION = less_number);
CREATE OPERATOR CLASS same_ops FOR TYPE integer USING btree AS OPERATOR 1 <<<<, OPERATOR 3 ====, FUNCTION 1 btint4cmp(integer, integer);
CREATE FUNCTION hold_hash(integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM public.hold(38); RETURN $1; END';
CREATE FUNCTION hold_hash(integer, bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM public.hold(38); RETURN $1; END';
CREATE OPERATOR CLASS hold_hash FOR TYPE integer USING hash AS OPERATOR 1 =(integer, integer), FUNCTION 1 hold_hash(integer), FUNCTION 2 hold_hash(integer, bigint);
GRANT CREATE ON SCHEMA public TO shop_owner;
SET ROLE tenant;
CREATE TYPE code_range AS RANGE (SUBTYPE = code, SUBTYPE_OPCLASS = code_ops);
CREATE FUNCTION gap(double precision, double precision) RETURNS double precision LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM hold(21); RETURN $1 - $2; END';
CREATE TYPE gap_range AS RANGE (SUBTYPE = double precision, SUBTYPE_DIFF = gap);
-- Operators that are nearer to a column's type than PostgreSQL's own.
CREATE FUNCTION varchar_same(varchar, varchar) RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM hold(22); RETURN true; END';
CREATE OPERATOR = (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = varchar_same);
CREATE OPERATOR ~~ (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = varchar_same);
CREATE FUNCTION int_op(integer, integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN public.hold(23); END';
CREATE OPERATOR @@@@ (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int_op);
CREATE OPERATOR !!! (RIGHTARG = integer, FUNCTION = hold);
CREATE FUNCTION upper(varchar) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM hold(24); RETURN $1; END';
CREATE FUNCTION state_to_text(order_state) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM hold(25); RETURN ''x''; END';

-- Views, policies.
CREATE VIEW view_hold AS SELECT hold(26) AS n;
CREATE VIEW view_over_view AS SELECT n FROM view_hold;
CREATE VIEW view_field AS SELECT (27).hold AS n;
CREATE VIEW view_lock AS SELECT pg_try_advisory_lock(28) AS n;
CREATE VIEW view_barrier WITH (security_barrier) AS SELECT what FROM touched WHERE hold_yes(29);
CREATE VIEW view_invoker WITH (security_invoker) AS SELECT carrier FROM airlines WHERE hold_yes(30);
CREATE VIEW view_of_activity AS SELECT pid, query FROM pg_stat_activity;
CREATE VIEW view_of_domain AS SELECT carrier, 5::watched AS n FROM airlines;
CREATE VIEW view_of_codes AS SELECT DISTINCT c FROM codes;
CREATE VIEW view_of_time AS SELECT clock_timestamp() AS t;
CREATE VIEW view_of_sample AS SELECT carrier FROM airlines TABLESAMPLE BERNOULLI (50);
CREATE VIEW view_of_secret AS SELECT stable_secret() AS s;
CREATE TABLE guarded (id integer, v text);
INSERT INTO guarded VALUES (1, 'a');
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_hold ON guarded USING (hold_yes(id)) WITH CHECK (hold_yes(id));
CREATE TABLE has_list (id integer, v watched[], w has_watched);
INSERT INTO has_list (id) VALUES (1);
CREATE SEQUENCE counter;
CREATE COLLATION plain FROM "C";
-- What a column makes of a literal that stands beside it.
CREATE TABLE column_watched (id integer, w has_watched, l watched[]);
INSERT INTO column_watched (id) VALUES (1);

-- What the server works out before it reads a table: indexes, constraints, statistics, partitions.
CREATE TABLE planned_index (id integer, v integer);
CREATE INDEX ON planned_index (id) WHERE immutable_hold(34) > 0;
CREATE TABLE planned_expression (id integer, v integer);
CREATE INDEX ON planned_expression ((v + immutable_hold(35)));
CREATE TABLE planned_statistics (id integer, v integer);
CREATE STATISTICS planned ON (v + immutable_hold(36)), id FROM planned_statistics;
CREATE TABLE planned_parent (id integer, v integer);
CREATE TABLE planned_child (CHECK (immutable_hold(37) > 0)) INHERITS (planned_parent);
CREATE TABLE planned_parts (id integer, v integer) PARTITION BY RANGE ((v + immutable_hold(38)));
CREATE TABLE planned_parts_all PARTITION OF planned_parts DEFAULT;
CREATE TABLE planned_code_parts (c code, n integer) PARTITION BY LIST (c);
CREATE TABLE planned_code_parts_a PARTITION OF planned_code_parts FOR VALUES IN ('(a)');
CREATE TABLE planned_code_parts_all PARTITION OF planned_code_parts DEFAULT;

-- The order of a partition key, of a hash, of a type; a part that comes from elsewhere.
CREATE TABLE ordered_parts (id integer, v integer) PARTITION BY RANGE (v other_ops);
CREATE TABLE ordered_parts_1 PARTITION OF ordered_parts FOR VALUES FROM (1) TO (10);
CREATE TABLE ordered_parts_2 PARTITION OF ordered_parts FOR VALUES FROM (10) TO (20);
CREATE TABLE ordered_codes (c code, n integer) PARTITION BY LIST (c);
CREATE TABLE ordered_codes_a PARTITION OF ordered_codes FOR VALUES IN ('(a)');
CREATE TABLE ordered_codes_b PARTITION OF ordered_codes FOR VALUES IN ('(b)');
CREATE TABLE hashed_parts (v integer) PARTITION BY HASH (v hold_hash);
CREATE TABLE late_column (id integer);
INSERT INTO late_column VALUES (1);
ALTER TABLE late_column ADD COLUMN c code DEFAULT ROW('x')::code;
-- Checks that reach another check, or an order, by a type.
CREATE DOMAIN by_cast AS integer CHECK ((VALUE::watched) IS NOT NULL);
CREATE DOMAIN by_cast_of_text AS integer CHECK (((VALUE::text || '')::watched) IS NOT NULL);
CREATE DOMAIN by_array AS code CHECK (ARRAY[VALUE::code] = ARRAY[ROW('a')::code]);
CREATE DOMAIN by_greatest AS integer CHECK (greatest(ROW(VALUE::text)::code, ROW('x')::code) IS NOT NULL);
-- A column stands before an argument of its name.
-- What a body gives is turned into the type of the result, which no body shows.
CREATE TYPE tag AS (t text);
CREATE FUNCTION tag_of_text(text) RETURNS tag LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM hold(90); RETURN ROW($1); END';
CREATE FUNCTION tag_to_integer(tag) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM hold(91); RETURN 1; END';
CREATE CAST (text AS tag) WITH FUNCTION tag_of_text(text) AS ASSIGNMENT;
CREATE CAST (tag AS integer) WITH FUNCTION tag_to_integer(tag) AS IMPLICIT;
CREATE TABLE tags (c tag);
INSERT INTO tags VALUES (ROW('a'));
CREATE FUNCTION coerced() RETURNS tag LANGUAGE sql STABLE AS 'SELECT ''x''::text';
CREATE FUNCTION coerced_set() RETURNS SETOF tag LANGUAGE sql STABLE AS 'SELECT ''x''::text FROM generate_series(1, 2)';
CREATE FUNCTION coerced_out(OUT a tag, OUT b integer) LANGUAGE sql STABLE AS 'SELECT ''x''::text, 1';
CREATE FUNCTION coerced_atomic() RETURNS tag LANGUAGE sql STABLE BEGIN ATOMIC SELECT 'x'::text; END;
CREATE FUNCTION coerced_array() RETURNS tag[] LANGUAGE sql STABLE AS 'SELECT ARRAY[''x''::text]';
CREATE FUNCTION coerced_integers() RETURNS integer[] LANGUAGE sql STABLE BEGIN ATOMIC SELECT array_agg(c) FROM tags; END;
CREATE DOMAIN tag_domain AS tag;
CREATE FUNCTION coerced_from_domain() RETURNS integer LANGUAGE sql STABLE AS 'SELECT ROW(''a'')::tag_domain';
CREATE FUNCTION coerced_integer() RETURNS integer LANGUAGE sql STABLE AS 'SELECT c FROM tags LIMIT 1';
CREATE FUNCTION coerced_integer_atomic() RETURNS integer LANGUAGE sql STABLE BEGIN ATOMIC SELECT c FROM tags LIMIT 1; END;
CREATE FUNCTION coerced_table() RETURNS TABLE (a integer, b tag) LANGUAGE sql STABLE BEGIN ATOMIC SELECT 1, 'x'::text; END;
CREATE FUNCTION argument_or_column(c integer) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT bool_and(c = c) FROM more_codes';
CREATE FUNCTION argument_or_alias(c integer) RETURNS boolean LANGUAGE sql STABLE AS
  'SELECT bool_and(argument_or_alias.c = argument_or_alias.c) FROM more_codes argument_or_alias';
-- The first state of an aggregate is a text.
CREATE FUNCTION keep(has_watched, integer) RETURNS has_watched LANGUAGE sql IMMUTABLE AS 'SELECT 5, ''x''::text';
CREATE FUNCTION one(has_watched) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT 1';
CREATE AGGREGATE hold_by_state(integer) (SFUNC = keep, STYPE = has_watched, INITCOND = '(5,x)', FINALFUNC = one);
-- What a step gives is turned into the type of the state.
CREATE FUNCTION coerced_step(tag, text) RETURNS tag LANGUAGE sql IMMUTABLE AS 'SELECT $2';
CREATE AGGREGATE hold_by_coercion(text) (SFUNC = coerced_step, STYPE = tag);
-- Rows held back.
CREATE TABLE kept_apart (id integer PRIMARY KEY, owner text);
INSERT INTO kept_apart VALUES (1, 'reader'), (2, 'tenant');
ALTER TABLE kept_apart ENABLE ROW LEVEL SECURITY;
CREATE POLICY apart ON kept_apart USING (owner = 'reader');
CREATE VIEW behind_barrier WITH (security_barrier) AS SELECT carrier FROM airlines WHERE carrier = 'AA';

-- Arguments that nobody gives, and what a body makes of its result.
CREATE FUNCTION defaulted(a integer, b integer DEFAULT hold(101)) RETURNS integer LANGUAGE sql STABLE AS 'SELECT $1';
CREATE FUNCTION defaulted_used(a integer, b integer DEFAULT hold(102)) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1 + $2';
CREATE FUNCTION defaulted_time(t timestamptz DEFAULT now()) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION defaulted_touch(a integer, b text DEFAULT touch('default')) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1 + length($2)';
CREATE FUNCTION says_now() RETURNS timestamptz LANGUAGE sql IMMUTABLE AS 'SELECT ''now''::timestamptz';
CREATE FUNCTION is_past(d date) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT d < date ''today''';
CREATE FUNCTION gives_watched() RETURNS TABLE (a integer, b watched) LANGUAGE sql STABLE AS 'SELECT 1, 105';
CREATE FUNCTION gives_watched_atomic() RETURNS TABLE (a integer, b watched) LANGUAGE sql STABLE BEGIN ATOMIC SELECT 1, 106; END;
CREATE FUNCTION out_watched(OUT a integer, OUT b watched) LANGUAGE sql STABLE AS 'SELECT 1, 107';
-- The planner negates and commutes.
CREATE FUNCTION hold_ne(integer, integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM hold(110); RETURN $1 <> $2; END';
CREATE OPERATOR ==> (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int4eq, NEGATOR = <==);
CREATE OPERATOR <== (LEFTARG = integer, RIGHTARG = integer, FUNCTION = hold_ne, NEGATOR = ==>);
CREATE FUNCTION hold_gt(integer, integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM hold(111); RETURN $1 > $2; END';
CREATE OPERATOR =~> (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int4eq, COMMUTATOR = <~=);
CREATE OPERATOR <~= (LEFTARG = integer, RIGHTARG = integer, FUNCTION = hold_gt, COMMUTATOR = =~>);
CREATE FUNCTION touch_ne(integer, integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM touch(''negator''); RETURN $1 <> $2; END';
CREATE OPERATOR ===> (LEFTARG = integer, RIGHTARG = integer, FUNCTION = int4eq, NEGATOR = <===);
CREATE OPERATOR <=== (LEFTARG = integer, RIGHTARG = integer, FUNCTION = touch_ne, NEGATOR = ===>);
-- Orders of indexes, of ranges, of a type of the system, of a type whose order is in C and whose operators are not.
CREATE TYPE other_range AS RANGE (SUBTYPE = integer, SUBTYPE_OPCLASS = other_ops);
CREATE TABLE indexed_by_other (id integer, v integer);
CREATE TABLE hash_indexed (v integer);
INSERT INTO indexed_by_other SELECT i, i FROM generate_series(1, 1000) AS i;
INSERT INTO hash_indexed SELECT i FROM generate_series(1, 1000) AS i;
CREATE TYPE mood AS ENUM ('a', 'b');
CREATE FUNCTION mood_same(mood, mood) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM hold(125); RETURN true; END';
CREATE OPERATOR = (LEFTARG = mood, RIGHTARG = mood, FUNCTION = mood_same);
CREATE TABLE moods (m mood);
INSERT INTO moods VALUES ('a'), ('b');
CREATE FUNCTION point_same(point, point) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM hold(120); RETURN true; END';
CREATE FUNCTION point_less(point, point) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM hold(121); RETURN false; END';
CREATE FUNCTION point_order(point, point) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM hold(122); RETURN 0; END';
CREATE OPERATOR = (LEFTARG = point, RIGHTARG = point, FUNCTION = point_same);
CREATE OPERATOR < (LEFTARG = point, RIGHTARG = point, FUNCTION = point_less);
RESET ROLE;
CREATE OPERATOR CLASS sys_ops FOR TYPE integer USING btree AS
  OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 other_order(integer, integer);
CREATE OPERATOR CLASS mood_ops DEFAULT FOR TYPE mood USING btree AS
  OPERATOR 3 =(mood, mood), FUNCTION 1 (mood, mood) enum_cmp(anyenum, anyenum);
CREATE OPERATOR CLASS point_by_order DEFAULT FOR TYPE point USING btree AS
  OPERATOR 1 <, OPERATOR 3 =, FUNCTION 1 point_order(point, point);
SET ROLE tenant;
CREATE INDEX ON indexed_by_other (v sys_ops);
CREATE INDEX ON hash_indexed USING hash (v hold_hash);
-- A view that is no barrier, over a table that only its owner reads.
CREATE TABLE all_notes (id integer, note text, owner text);
INSERT INTO all_notes VALUES (1, 'mine', 'reader'), (2, 'of another', 'x'), (3, 'of another', 'x');
CREATE VIEW my_notes AS SELECT id, note FROM all_notes WHERE owner = 'reader';
-- Checks that compare what holds a type with such an order, make json of a value, or negate.
CREATE TYPE wrap AS (c code);
CREATE DOMAIN by_wrap AS wrap CHECK (VALUE = VALUE);
CREATE DOMAIN by_list AS code[] CHECK (VALUE = VALUE);
CREATE DOMAIN by_negator AS integer CHECK (NOT (VALUE ==> 3));
CREATE DOMAIN by_default_argument AS integer CHECK (defaulted(VALUE) IS NOT NULL);
CREATE TYPE tone AS ENUM ('a');
CREATE FUNCTION tone_to_json(tone) RETURNS json LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM hold(130); RETURN ''1''::json; END';
CREATE CAST (tone AS json) WITH FUNCTION tone_to_json(tone);
CREATE DOMAIN by_json AS tone CHECK (to_json(VALUE) IS NOT NULL);

CREATE TABLE scalar_watched (id integer, v watched, note text);
CREATE FUNCTION reads_literal() RETURNS boolean LANGUAGE sql STABLE AS 'SELECT ''{203}''::watched[] IS NULL';
CREATE AGGREGATE min_by_other(integer) (SFUNC = int4smaller, STYPE = integer, SORTOP = <<<);

CREATE FUNCTION rows_apart() RETURNS SETOF kept_apart LANGUAGE sql STABLE BEGIN ATOMIC SELECT * FROM kept_apart; END;
CREATE FUNCTION rows_barrier() RETURNS SETOF text LANGUAGE sql STABLE BEGIN ATOMIC SELECT carrier FROM behind_barrier; END;
CREATE FUNCTION count_apart() RETURNS bigint LANGUAGE sql IMMUTABLE BEGIN ATOMIC SELECT count(*) FROM kept_apart; END;

-- Targets of writes, each with something that the server does by itself.
CREATE TABLE target_default (id integer PRIMARY KEY, v integer DEFAULT hold(31), t text DEFAULT touch('default'));
CREATE TABLE target_by_default (id integer PRIMARY KEY, v by_default);
CREATE TABLE target_counter (id integer DEFAULT nextval('counter'), v integer);
CREATE TABLE target_domain (id integer PRIMARY KEY, v watched, w has_watched, l watched[], c calmly_watched);
CREATE TABLE target_check (id integer PRIMARY KEY, v integer CHECK (immutable_hold(v) > 0));
CREATE TABLE target_generated (id integer PRIMARY KEY, v integer, g integer GENERATED ALWAYS AS (immutable_touch(v)) STORED);
CREATE TABLE target_index (id integer PRIMARY KEY, v integer);
CREATE INDEX ON target_index (immutable_touch(v));
CREATE TABLE target_partial (id integer PRIMARY KEY, v integer);
CREATE INDEX ON target_partial (id) WHERE immutable_touch(v) > 0;
CREATE TABLE target_excluded (id integer, v integer, EXCLUDE ((immutable_touch(v)) WITH =));
CREATE TABLE target_ordered (id integer PRIMARY KEY, v integer);
CREATE INDEX ON target_ordered (v other_ops);
CREATE TABLE target_same (id integer PRIMARY KEY, v integer, EXCLUDE USING btree (v same_ops WITH ====));
CREATE TABLE target_ordered_parts (id integer, v integer) PARTITION BY RANGE (v other_ops);
CREATE TABLE target_ordered_parts_1 PARTITION OF target_ordered_parts FOR VALUES FROM (1) TO (10);
CREATE TABLE target_set_default (id integer PRIMARY KEY, v integer);
CREATE TABLE target_of_default (id integer DEFAULT f_write(2) REFERENCES target_set_default ON DELETE SET DEFAULT);
CREATE TABLE target_codes (c code PRIMARY KEY, n integer);
CREATE TABLE target_parts (id integer, v integer) PARTITION BY RANGE (immutable_touch(v));
CREATE TABLE target_parts_all PARTITION OF target_parts DEFAULT;
CREATE TABLE target_code_parts (c code, n integer) PARTITION BY LIST (c);
CREATE TABLE target_code_parts_all PARTITION OF target_code_parts DEFAULT;
CREATE TABLE target_guarded (id integer PRIMARY KEY, v integer);
ALTER TABLE target_guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_touch ON target_guarded USING (f_write(id) > 0) WITH CHECK (f_write(id) > 0);

CREATE FUNCTION on_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS
  'BEGIN INSERT INTO touched VALUES (TG_TABLE_NAME); RETURN coalesce(NEW, OLD); END';
CREATE TABLE target_trigger (id integer PRIMARY KEY, v integer);
CREATE TRIGGER one BEFORE INSERT ON target_trigger FOR EACH ROW EXECUTE FUNCTION on_change();
CREATE TRIGGER two AFTER UPDATE OF v ON target_trigger FOR EACH STATEMENT EXECUTE FUNCTION on_change();
CREATE CONSTRAINT TRIGGER three AFTER DELETE ON target_trigger DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION on_change();
CREATE TABLE target_when (id integer PRIMARY KEY, v integer);
CREATE TRIGGER one BEFORE INSERT ON target_when FOR EACH ROW WHEN (f_write(NEW.id) > 0) EXECUTE FUNCTION suppress_redundant_updates_trigger();
CREATE TABLE target_part_trigger (id integer, v integer) PARTITION BY LIST (v);
CREATE TABLE target_part_trigger_one PARTITION OF target_part_trigger FOR VALUES IN (1);
CREATE TABLE target_part_trigger_all PARTITION OF target_part_trigger DEFAULT;
CREATE TRIGGER one BEFORE INSERT ON target_part_trigger_one FOR EACH ROW EXECUTE FUNCTION on_change();
CREATE VIEW target_view AS SELECT carrier, name FROM airlines;
CREATE VIEW target_instead AS SELECT 1 AS id, 1 AS v;
CREATE TRIGGER one INSTEAD OF INSERT OR UPDATE OR DELETE ON target_instead FOR EACH ROW EXECUTE FUNCTION on_change();

CREATE TABLE target_also (id integer PRIMARY KEY, v integer);
CREATE RULE also AS ON INSERT TO target_also DO ALSO INSERT INTO touched VALUES ('also');
CREATE RULE also_update AS ON UPDATE TO target_also DO ALSO SELECT hold(32);
CREATE TABLE target_rule (id integer PRIMARY KEY, v integer);
CREATE RULE instead AS ON UPDATE TO target_rule DO INSTEAD INSERT INTO touched VALUES ('instead');
CREATE RULE instead_delete AS ON DELETE TO target_rule WHERE f_write(OLD.id) > 0 DO INSTEAD NOTHING;

CREATE TABLE target_parent (id integer PRIMARY KEY, v integer UNIQUE);
CREATE TABLE target_generated_key (id integer, g integer GENERATED ALWAYS AS (id * 10) STORED UNIQUE);
CREATE TABLE child_generated_key (g integer REFERENCES target_generated_key (g) ON UPDATE CASCADE);
INSERT INTO target_generated_key VALUES (1);
INSERT INTO child_generated_key VALUES (10);
CREATE TABLE child_deleted (id integer REFERENCES target_parent ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE target_nulled (id integer PRIMARY KEY, v integer);
CREATE TABLE child_nulled (id integer REFERENCES target_nulled ON DELETE SET NULL ON UPDATE SET NULL);
CREATE TABLE target_defaulted (id integer PRIMARY KEY, v integer);
CREATE TABLE child_defaulted (id integer DEFAULT 1 REFERENCES target_defaulted ON DELETE SET DEFAULT);
CREATE TABLE target_grandparent (id integer PRIMARY KEY, v integer);
CREATE TABLE target_child (id integer PRIMARY KEY REFERENCES target_grandparent ON DELETE CASCADE, v integer);
CREATE TABLE grandchild (id integer REFERENCES target_child ON DELETE CASCADE);
CREATE TABLE target_above (id integer PRIMARY KEY, v integer);
CREATE TABLE target_below (id integer REFERENCES target_above ON DELETE CASCADE, v integer);
CREATE TRIGGER one AFTER DELETE ON target_below FOR EACH ROW EXECUTE FUNCTION on_change();
CREATE TABLE target_listed (id integer, v integer CHECK (NOT (v ===> 3)));
-- Keys whose columns have other types; rows that go into indexes of columns that stay as they are.
CREATE TYPE level AS ENUM ('1', '2', '3');
CREATE FUNCTION level_number(level) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN PERFORM touch(''key''); RETURN $1::text::integer; END';
CREATE CAST (level AS integer) WITH FUNCTION level_number(level) AS IMPLICIT;
CREATE TABLE target_numbers (id integer PRIMARY KEY, v integer);
INSERT INTO target_numbers VALUES (1, 1), (2, 2), (5, 5);
CREATE TABLE target_levels (id integer PRIMARY KEY, k level REFERENCES target_numbers);
INSERT INTO target_levels VALUES (1, '1');
CREATE FUNCTION gap2(double precision, double precision) RETURNS double precision LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM public.hold(21); RETURN $1 - $2; END';
CREATE TYPE gap2_range AS RANGE (SUBTYPE = double precision, SUBTYPE_DIFF = gap2);
CREATE TABLE target_gap (id integer PRIMARY KEY, v integer, r gap2_range);
CREATE INDEX ON target_gap USING gist (r);
CREATE TABLE target_wrapped (id integer PRIMARY KEY, v integer, w code[]);
CREATE INDEX ON target_wrapped (w);
CREATE DOMAIN touches_by_default AS integer DEFAULT f_write(231);
CREATE TABLE target_set_domain (id integer PRIMARY KEY, v integer);
CREATE TABLE target_of_domain (id touches_by_default REFERENCES target_set_domain ON DELETE SET DEFAULT, n integer);
-- Keys whose checks are planned over the table at the other end.
CREATE FUNCTION touch_const(text) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM public.touch($1); RETURN 1; END';
CREATE TABLE key_parent (id integer PRIMARY KEY, v integer);
INSERT INTO key_parent VALUES (1, 1), (2, 2);
CREATE INDEX ON key_parent (v) WHERE touch_const('parent') > 0;
CREATE TABLE target_key_child (id integer PRIMARY KEY, p integer REFERENCES key_parent);
CREATE TABLE target_key_parent (id integer PRIMARY KEY, v integer);
INSERT INTO target_key_parent VALUES (1, 1), (2, 2);
CREATE TABLE key_child (id integer, p integer REFERENCES target_key_parent);
CREATE INDEX ON key_child (id) WHERE touch_const('child') > 0;
CREATE TABLE target_heirs (id integer, v integer);
CREATE TABLE heir (extra integer) INHERITS (target_heirs);
CREATE TABLE target_plain (id integer PRIMARY KEY, v integer, t text);
INSERT INTO target_plain VALUES (1, 1, 'a'), (2, 2, 'b');
INSERT INTO target_parent VALUES (1, 1), (2, 2);
INSERT INTO child_deleted SELECT 1 FROM generate_series(1, 50);
RESET ROLE;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader, writer;
REVOKE ALL ON touched, unreadable, all_notes FROM reader, writer;
GRANT USAGE ON SEQUENCE counter TO reader, writer;
DO $$
DECLARE target regclass;
BEGIN
  FOR target IN SELECT oid FROM pg_class WHERE relname LIKE 'target%' AND relkind IN ('r', 'p', 'v') LOOP
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %s TO writer', target);
  END LOOP;
END
$$;

-- The server's own back doors, and what extensions bring.
CREATE EXTENSION pg_stat_statements;
CREATE EXTENSION dblink;
CREATE EXTENSION file_fdw;
CREATE EXTENSION tablefunc;
CREATE EXTENSION xml2;
CREATE FUNCTION by_default_of_any(a anycompatible, b anycompatible DEFAULT ARRAY[5]) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 IS NOT NULL AND $2 IS NOT NULL';
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE watched_lines (line text, n watched) SERVER files OPTIONS (filename 'PG_VERSION');
CREATE TABLE with_watched_lines (line text, n watched);
CREATE FOREIGN TABLE with_watched_lines_1 () INHERITS (with_watched_lines) SERVER files OPTIONS (filename 'PG_VERSION');
CREATE FOREIGN TABLE lines_by_default (line text, n integer DEFAULT hold(241)) SERVER files OPTIONS (filename 'PG_VERSION');
CREATE FOREIGN TABLE lines (line text) SERVER files OPTIONS (filename 'PG_VERSION');
CREATE FOREIGN TABLE program (line text) SERVER files OPTIONS (program 'echo canary-of-a-program');
CREATE TABLE with_program (line text, k integer) PARTITION BY LIST (k);
CREATE FOREIGN TABLE with_program_1 PARTITION OF with_program FOR VALUES IN (1) SERVER files OPTIONS (program 'echo ran,1', format 'csv');
CREATE TABLE with_file (line text);
CREATE FOREIGN TABLE with_file_1 () INHERITS (with_file) SERVER files OPTIONS (filename 'PG_VERSION');
GRANT SELECT ON with_program, with_file, lines, program, watched_lines, with_watched_lines, lines_by_default TO reader, writer;
-- Who runs a body decides what its names mean, where the path holds the role's own schema.
CREATE SCHEMA tenant AUTHORIZATION tenant;
CREATE FUNCTION public.by_path(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION tenant.by_path(integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN public.hold($1); END';
CREATE FUNCTION public.by_owner(integer) RETURNS integer LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT by_path($1)';
ALTER FUNCTION public.by_owner(integer) OWNER TO tenant;
CREATE FUNCTION public.by_name(integer) RETURNS integer LANGUAGE sql STABLE AS 'SELECT by_path($1)';
CREATE FUNCTION public.by_owner_atomic(integer) RETURNS integer LANGUAGE sql STABLE SECURITY DEFINER BEGIN ATOMIC SELECT public.by_name($1); END;
ALTER FUNCTION public.by_owner_atomic(integer) OWNER TO tenant;
CREATE FUNCTION public.by_setting(integer) RETURNS integer LANGUAGE sql STABLE SET search_path = tenant, public BEGIN ATOMIC SELECT public.by_name($1); END;
COMMENT ON ROLE tenant IS 'canary-of-a-comment';
