-- SPDX-License-Identifier: Apache-2.0
-- What the answers must contain: round, text.
WITH worst AS (
    SELECT carrier, round(avg(dep_delay), 1) AS minutes, count(*) AS flights
    FROM flights GROUP BY carrier ORDER BY avg(dep_delay) DESC NULLS LAST LIMIT 1
)
SELECT 0, name FROM worst JOIN airlines USING (carrier)
UNION ALL SELECT 0, minutes::text FROM worst
UNION ALL SELECT 1, flights::text FROM worst
UNION ALL SELECT 1, round(flights * 100.0 / (SELECT count(*) FROM flights), 2)::text FROM worst;
