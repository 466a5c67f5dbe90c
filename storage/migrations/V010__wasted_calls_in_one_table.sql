-- SPDX-License-Identifier: Apache-2.0
-- Tries lost inside an answered call were counted with their step alone. From now on every lost call is counted in
-- wasted_model_calls, at the moment when it is lost; a step's number only says which call they belonged to.

-- Which incarnation lost them isn't known: 0 is none.
INSERT INTO wasted_model_calls (job, incarnation, calls)
SELECT job, 0, sum(wasted_calls) FROM steps GROUP BY job HAVING sum(wasted_calls) > 0;
