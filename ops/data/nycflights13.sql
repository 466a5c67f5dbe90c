-- SPDX-License-Identifier: Apache-2.0
-- The tables of the analytics database. Run by psql in the folder of the CSV files, by a superuser.
\set ON_ERROR_STOP on
BEGIN;
SET ROLE ba_loader;

CREATE TABLE airlines (
    carrier text PRIMARY KEY,
    name    text NOT NULL
);
COMMENT ON TABLE airlines IS 'Names of the carriers by their two-letter code';

CREATE TABLE airports (
    faa   text PRIMARY KEY,
    name  text NOT NULL,
    lat   double precision NOT NULL,
    lon   double precision NOT NULL,
    alt   integer NOT NULL,
    tz    integer NOT NULL,
    dst   text NOT NULL,
    tzone text
);
COMMENT ON TABLE airports IS 'Airports by FAA code; alt in feet, tz in hours from UTC';

CREATE TABLE planes (
    tailnum      text PRIMARY KEY,
    year         integer,
    type         text NOT NULL,
    manufacturer text NOT NULL,
    model        text NOT NULL,
    engines      integer NOT NULL,
    seats        integer NOT NULL,
    speed        integer,
    engine       text NOT NULL
);
COMMENT ON TABLE planes IS 'Planes by tail number; year of manufacture, cruising speed in mph';

CREATE TABLE weather (
    origin     text NOT NULL,
    year       integer NOT NULL,
    month      integer NOT NULL,
    day        integer NOT NULL,
    hour       integer NOT NULL,
    temp       double precision,
    dewp       double precision,
    humid      double precision,
    wind_dir   integer,
    wind_speed double precision,
    wind_gust  double precision,
    precip     double precision NOT NULL,
    pressure   double precision,
    visib      double precision NOT NULL,
    time_hour  timestamptz NOT NULL
);
COMMENT ON TABLE weather IS 'Hourly weather at the three airports; °F, mph, inches, millibars, miles';

CREATE TABLE flights (
    year           integer NOT NULL,
    month          integer NOT NULL,
    day            integer NOT NULL,
    dep_time       integer,
    sched_dep_time integer NOT NULL,
    dep_delay      integer,
    arr_time       integer,
    sched_arr_time integer NOT NULL,
    arr_delay      integer,
    carrier        text NOT NULL,
    flight         integer NOT NULL,
    tailnum        text,
    origin         text NOT NULL,
    dest           text NOT NULL,
    air_time       integer,
    distance       integer NOT NULL,
    hour           integer NOT NULL,
    minute         integer NOT NULL,
    time_hour      timestamptz NOT NULL
);
COMMENT ON TABLE flights IS
    'Departures from New York in 2013; times as HHMM, delays and air_time in minutes, distance in miles';

\copy airlines FROM 'airlines.csv' WITH (FORMAT csv, HEADER match, NULL 'NA', FREEZE)
\copy airports FROM 'airports.csv' WITH (FORMAT csv, HEADER match, NULL 'NA', FREEZE)
\copy planes FROM 'planes.csv' WITH (FORMAT csv, HEADER match, NULL 'NA', FREEZE)
\copy weather FROM 'weather.csv' WITH (FORMAT csv, HEADER match, NULL 'NA', FREEZE)
\copy flights FROM 'flights.csv' WITH (FORMAT csv, HEADER match, NULL 'NA', FREEZE)

GRANT SELECT ON ALL TABLES IN SCHEMA public TO ba_reader;
COMMIT;

ANALYZE airlines, airports, planes, weather, flights;
