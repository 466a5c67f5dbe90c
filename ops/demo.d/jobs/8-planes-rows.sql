-- SPDX-License-Identifier: Apache-2.0
-- What the answers must contain: round, text.
SELECT 0, count(*) FROM planes;
