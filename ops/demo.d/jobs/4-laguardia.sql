-- SPDX-License-Identifier: Apache-2.0
-- What the answers must contain: round, text.
SELECT 0, count(*) FROM flights WHERE origin = 'LGA' AND month = 7
UNION ALL
SELECT 0, count(*) FILTER (WHERE origin = 'JFK') - count(*) FILTER (WHERE origin = 'LGA')
FROM flights WHERE month = 7;
