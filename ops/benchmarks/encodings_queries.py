# SPDX-License-Identifier: Apache-2.0
"""What `ops/bench encodings` asks the flights of 2013: plain tables first, then nested data and rows
that are unlike each other, which fit a table less well or not at all."""

QUERIES = {
    "one number": "SELECT count(*) AS flights FROM flights",
    "airlines, all": "SELECT carrier, name FROM airlines ORDER BY carrier",
    "airports": "SELECT * FROM airports ORDER BY faa LIMIT 50",
    "planes": "SELECT * FROM planes ORDER BY tailnum LIMIT 50",
    "flights, all columns": "SELECT * FROM flights WHERE month = 3 AND day = 1 AND origin = 'LGA'"
                            " ORDER BY time_hour, carrier, flight LIMIT 50",
    "weather of a day": "SELECT * FROM weather WHERE origin = 'JFK' AND month = 7 AND day = 4 ORDER BY time_hour",
    "routes, all": "SELECT origin, dest, count(*) AS flights, round(avg(arr_delay)::numeric, 1)::float AS delay"
                   " FROM flights GROUP BY origin, dest ORDER BY origin, dest",
    "one flight": "SELECT * FROM flights WHERE month = 3 AND day = 1 AND origin = 'LGA'"
                  " ORDER BY time_hour, carrier, flight LIMIT 1",
    "nested: objects in each row":
        "SELECT carrier, json_build_object('flights', count(dep_delay), 'delay', round(avg(dep_delay), 1))"
        " AS departures, json_build_object('flights', count(arr_delay), 'delay', round(avg(arr_delay), 1)) AS arrivals"
        " FROM flights GROUP BY carrier ORDER BY carrier",
    "nested: a list in each row":
        "SELECT carrier, json_agg(DISTINCT dest ORDER BY dest) AS destinations FROM flights"
        " GROUP BY carrier ORDER BY carrier",
    "nested: a table in each row":
        "SELECT origin, json_agg(json_build_object('month', month, 'flights', flights, 'delay', delay) ORDER BY month)"
        " AS months FROM (SELECT origin, month, count(*) AS flights, round(avg(dep_delay), 1) AS delay FROM flights"
        " GROUP BY origin, month) AS monthly GROUP BY origin ORDER BY origin",
    "unlike rows: no field without a value":
        "SELECT json_strip_nulls(row_to_json(planes)) AS plane FROM planes WHERE year IS NULL OR speed IS NOT NULL"
        " ORDER BY tailnum LIMIT 30",
}
