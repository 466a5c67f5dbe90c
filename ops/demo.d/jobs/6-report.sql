-- SPDX-License-Identifier: Apache-2.0
-- What the answers must contain: round, text.
WITH july AS (SELECT dep_delay FROM flights WHERE origin = 'JFK' AND month = 7)
SELECT 0, round(avg(dep_delay), 1)::text || ' minutes' FROM july
UNION ALL SELECT 0, count(*)::text || ' cancelled' FROM july WHERE dep_delay IS NULL;
