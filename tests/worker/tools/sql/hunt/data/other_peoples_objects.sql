-- SPDX-License-Identifier: Apache-2.0
-- Objects of other people in the analysts' database. None of them is what a statement of an analyst
-- means, so none may be a reason to refuse one, nor run when one is judged. Each that runs is counted
-- by the server. Run by a superuser after analyst_tables.sql.
CREATE SCHEMA app AUTHORIZATION tenant;
CREATE SCHEMA hidden AUTHORIZATION tenant;
GRANT USAGE ON SCHEMA app TO reader, writer;
GRANT CREATE ON SCHEMA public TO tenant;
GRANT CREATE ON DATABASE :database TO tenant;
SET ROLE tenant;

-- An operator = in a schema that the reader may not use, and one in a schema that it may.
CREATE FUNCTION hidden.same(integer, integer) RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN true; END';
CREATE OPERATOR hidden.= (LEFTARG = integer, RIGHTARG = integer, FUNCTION = hidden.same);
CREATE TYPE app.code AS (c text);
CREATE FUNCTION app.same(app.code, app.code) RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN true; END';
CREATE OPERATOR app.= (LEFTARG = app.code, RIGHTARG = app.code, FUNCTION = app.same);
CREATE OPERATOR app.+ (LEFTARG = app.code, RIGHTARG = app.code, FUNCTION = app.same);
CREATE OPERATOR app.|| (LEFTARG = app.code, RIGHTARG = app.code, FUNCTION = app.same);
CREATE OPERATOR app.-> (LEFTARG = app.code, RIGHTARG = app.code, FUNCTION = app.same);

-- Functions by the names of PostgreSQL's own.
CREATE FUNCTION app.count(json) RETURNS bigint LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN 1; END';
CREATE FUNCTION app.sum(json) RETURNS bigint LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN 1; END';
CREATE FUNCTION app.lower(json) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN ''''; END';
CREATE FUNCTION app.date_trunc(json) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN ''''; END';
CREATE FUNCTION hidden.round(numeric, integer) RETURNS numeric LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN 1; END';
CREATE FUNCTION hidden.coalesce(text) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN ''''; END';

-- Functions of a row by the names of columns.
CREATE FUNCTION app.name(app.code) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN ''''; END';
CREATE FUNCTION app.carrier(record) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN ''''; END';
CREATE FUNCTION app.amount(app.code) RETURNS numeric LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN 1; END';
CREATE FUNCTION app.system(app.code) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN ''''; END';

-- Casts from and to the types that statements cast to.
CREATE FUNCTION app.of_text(text) RETURNS app.code LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN ROW($1); END';
CREATE FUNCTION app.to_date(app.code) RETURNS date LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN ''2024-01-01''; END';
CREATE FUNCTION app.to_integer(app.code) RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN 1; END';
CREATE FUNCTION app.to_text(app.code) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN ''''; END';
CREATE CAST (text AS app.code) WITH FUNCTION app.of_text(text);
CREATE CAST (app.code AS date) WITH FUNCTION app.to_date(app.code);
CREATE CAST (app.code AS integer) WITH FUNCTION app.to_integer(app.code) AS IMPLICIT;
CREATE CAST (app.code AS text) WITH FUNCTION app.to_text(app.code) AS ASSIGNMENT;

-- What a query that names nothing by its schema would call. A guard's own must not.
CREATE FUNCTION public.quote_ident(name) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN ''changed''; END';
CREATE FUNCTION public.changed(name, name) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN ''changed''; END';
CREATE OPERATOR public.|| (LEFTARG = name, RIGHTARG = name, FUNCTION = public.changed);
CREATE FUNCTION public.changed("char", text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN true; END';
CREATE OPERATOR public.= (LEFTARG = "char", RIGHTARG = text, FUNCTION = public.changed);
CREATE FUNCTION public.changed(oid, integer) RETURNS boolean LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN true; END';
CREATE OPERATOR public.= (LEFTARG = oid, RIGHTARG = integer, FUNCTION = public.changed);
CREATE OPERATOR public.< (LEFTARG = oid, RIGHTARG = integer, FUNCTION = public.changed);
CREATE FUNCTION public.format_type(oid, smallint) RETURNS text LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN ''changed''; END';

-- Tables by the names of PostgreSQL's own; and one by the name of a table of the analysts.
CREATE TABLE hidden.airlines (carrier text, name text);
CREATE VIEW hidden.flights AS SELECT clock_timestamp() AS year;
CREATE TABLE app.pg_proc (oid oid);
ALTER TABLE hidden.airlines ENABLE ROW LEVEL SECURITY;
RESET ROLE;
-- A type as PostGIS has it: what keeps its index has no label, so counts as volatile.
CREATE TYPE app.place AS (x double precision, y double precision);
CREATE TABLE public.places (id integer, spot app.place);
CREATE FUNCTION app.place_consistent(internal, app.place, integer) RETURNS boolean LANGUAGE internal AS 'gist_point_consistent';
CREATE OPERATOR CLASS app.place_ops DEFAULT FOR TYPE app.place USING gist AS FUNCTION 1 app.place_consistent(internal, app.place, integer);
GRANT SELECT ON public.places TO reader;
ALTER ROLE tenant IN DATABASE :database SET search_path = app, hidden, public;
