-- SPDX-License-Identifier: Apache-2.0
-- What the answers must contain: round, text.
SELECT 0, unnest(ARRAY[distance::text, origin, dest])
FROM (SELECT * FROM flights ORDER BY distance DESC LIMIT 1) AS longest;
