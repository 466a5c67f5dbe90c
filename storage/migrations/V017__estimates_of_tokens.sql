-- SPDX-License-Identifier: Apache-2.0
-- What a model call's input was estimated at before it was sent, by the model's encoder and margin, beside what the reply
-- says of it; null: it wasn't.
ALTER TABLE steps ADD COLUMN estimated_input_tokens bigint;

-- How well each model's input is estimated, for dashboards. Tokens that a provider read from or wrote to its cache are input,
-- too; replies that tell no input are left out. error: by how much the estimate is above what was reported (below: negative),
-- as a share of it; 0.15 is what a margin of 1.15 gives to an encoder that is exact.
CREATE VIEW token_estimates WITH (security_invoker = true) AS
  SELECT j.tenant, s.provider, s.model, count(*) AS replies,
         sum(s.estimated_input_tokens) AS estimated_tokens, sum(r.tokens) AS reported_tokens,
         round(sum(s.estimated_input_tokens) / sum(r.tokens) - 1, 4) AS error
  FROM steps s
  JOIN jobs j ON j.id = s.job
  CROSS JOIN LATERAL (SELECT s.input_tokens + s.cache_read_tokens + s.cache_write_tokens) AS r (tokens)
  WHERE s.estimated_input_tokens IS NOT NULL AND r.tokens > 0
  GROUP BY j.tenant, s.provider, s.model;
