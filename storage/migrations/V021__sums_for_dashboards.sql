-- SPDX-License-Identifier: Apache-2.0
-- What dashboards and reports read: a contract (ARCHITECTURE.md, "Numbers for dashboards"). Columns are only ever added.
-- A day is that on which the job ended, in UTC. Work of sub-agents is in the bill of the job that asked for them, so that
-- jobs with a parent are left out where jobs are added up; their calls and replies are rows like all others.

-- A forked job begins with rows of the job that it was forked from. Those were paid for and made there.
ALTER TABLE steps ADD COLUMN copied boolean NOT NULL DEFAULT false;
ALTER TABLE tool_calls ADD COLUMN copied boolean NOT NULL DEFAULT false;
UPDATE steps s SET copied = true FROM jobs j JOIN redrives d ON d.new_tenant = j.tenant AND d.new_job_id = j.job_id
WHERE j.id = s.job AND s.replied_at <= j.received_at;
UPDATE tool_calls t SET copied = true FROM jobs j JOIN redrives d ON d.new_tenant = j.tenant AND d.new_job_id = j.job_id
WHERE j.id = t.job AND t.finished_at <= j.received_at;

CREATE INDEX jobs_by_day ON jobs (((finished_at AT TIME ZONE 'UTC')::date), tenant) WHERE state = 'finished';

-- What jobs left that retention removed, added in the transaction that removes them.
CREATE TABLE removed_jobs (
  tenant             text NOT NULL,
  day                date NOT NULL,
  outcome            text NOT NULL,
  jobs               bigint NOT NULL,
  jobs_without_cost  bigint NOT NULL,
  duration_ms        bigint NOT NULL,
  input_tokens       bigint NOT NULL,
  cache_read_tokens  bigint NOT NULL,
  cache_write_tokens bigint NOT NULL,
  output_tokens      bigint NOT NULL,
  thinking_tokens    bigint NOT NULL,
  cost_micro_usd     bigint NOT NULL,
  wasted_model_calls bigint NOT NULL,
  PRIMARY KEY (tenant, day, outcome)
);

CREATE TABLE removed_replies (
  tenant             text NOT NULL,
  day                date NOT NULL,
  provider           text NOT NULL,
  model              text NOT NULL,
  replies            bigint NOT NULL,
  replies_without_price bigint NOT NULL,
  latency_ms         bigint NOT NULL,
  input_tokens       bigint NOT NULL,
  cache_read_tokens  bigint NOT NULL,
  cache_write_tokens bigint NOT NULL,
  output_tokens      bigint NOT NULL,
  thinking_tokens    bigint NOT NULL,
  cost_micro_usd     bigint NOT NULL,
  PRIMARY KEY (tenant, day, provider, model)
);

-- rank_ms: their durations, from 64 ms on rounded up by at most a 32nd, so that a p95 can be told of what is gone.
CREATE TABLE removed_calls (
  tenant      text NOT NULL,
  day         date NOT NULL,
  tool_name   text NOT NULL,
  rank_ms     bigint NOT NULL,
  calls       bigint NOT NULL,
  successes   bigint NOT NULL,
  retried     bigint NOT NULL,
  cache_hits  bigint NOT NULL,
  duration_ms bigint NOT NULL,
  tokens      bigint NOT NULL,
  PRIMARY KEY (tenant, day, tool_name, rank_ms)
);

DO $$
DECLARE
  one name;
BEGIN
  FOREACH one IN ARRAY ARRAY['removed_jobs', 'removed_replies', 'removed_calls'] LOOP
    EXECUTE format('CREATE POLICY of_tenant ON %I USING ((SELECT tenants_read_by(current_user)) IS NULL OR tenant = ANY '
                   '((SELECT tenants_read_by(current_user))::text[]))', one);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
  END LOOP;
END $$;

-- Each ended job, reply and call as the removed ones are kept; what retention adds and what the views below read.
CREATE VIEW ended_jobs WITH (security_invoker = true) AS
  SELECT id AS job, tenant, (finished_at AT TIME ZONE 'UTC')::date AS day, outcome, 1::bigint AS jobs,
         (NOT cost_known)::integer::bigint AS jobs_without_cost,
         greatest(0, extract(epoch FROM finished_at - coalesce(first_claimed_at, finished_at)) * 1000)::bigint AS duration_ms,
         input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens, cost_micro_usd,
         wasted_model_calls::bigint AS wasted_model_calls
  FROM jobs WHERE state = 'finished' AND parent IS NULL;

CREATE VIEW ended_replies WITH (security_invoker = true) AS
  SELECT j.id AS job, j.tenant, (j.finished_at AT TIME ZONE 'UTC')::date AS day, s.provider, s.model, 1::bigint AS replies,
         (s.cost_micro_usd IS NULL)::integer::bigint AS replies_without_price, s.latency_ms, s.input_tokens,
         s.cache_read_tokens, s.cache_write_tokens, s.output_tokens, s.thinking_tokens,
         coalesce(s.cost_micro_usd, 0) AS cost_micro_usd
  FROM jobs j JOIN steps s ON s.job = j.id WHERE j.state = 'finished' AND NOT s.copied;

CREATE VIEW ended_calls WITH (security_invoker = true) AS
  SELECT j.id AS job, j.tenant, (j.finished_at AT TIME ZONE 'UTC')::date AS day, t.tool_name, t.duration_ms AS rank_ms,
         1::bigint AS calls, (t.state = 'succeeded')::integer::bigint AS successes,
         (t.retry_count > 0)::integer::bigint AS retried, t.cache_hit::integer::bigint AS cache_hits, t.duration_ms,
         coalesce((t.telemetry->>'output_tokens')::bigint, 0) AS tokens
  FROM jobs j JOIN tool_calls t ON t.job = j.id
  WHERE j.state = 'finished' AND t.finished_at IS NOT NULL AND NOT t.copied;

CREATE VIEW job_days WITH (security_invoker = true) AS
  SELECT tenant, day, outcome, sum(jobs)::bigint AS jobs, sum(jobs_without_cost)::bigint AS jobs_without_cost,
         sum(duration_ms)::bigint AS total_duration_ms, sum(input_tokens)::bigint AS input_tokens,
         sum(cache_read_tokens)::bigint AS cache_read_tokens, sum(cache_write_tokens)::bigint AS cache_write_tokens,
         sum(output_tokens)::bigint AS output_tokens, sum(thinking_tokens)::bigint AS thinking_tokens,
         sum(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens)::bigint AS total_tokens,
         sum(cost_micro_usd)::bigint AS cost_micro_usd, sum(wasted_model_calls)::bigint AS wasted_model_calls
  FROM (SELECT tenant, day, outcome, jobs, jobs_without_cost, duration_ms, input_tokens, cache_read_tokens,
               cache_write_tokens, output_tokens, thinking_tokens, cost_micro_usd, wasted_model_calls FROM ended_jobs
        UNION ALL SELECT * FROM removed_jobs) AS all_jobs
  GROUP BY tenant, day, outcome;

CREATE VIEW model_days WITH (security_invoker = true) AS
  SELECT tenant, day, provider, model, sum(replies)::bigint AS replies,
         sum(replies_without_price)::bigint AS replies_without_price,
         round(sum(latency_ms) / sum(replies), 1) AS avg_latency_ms, sum(input_tokens)::bigint AS input_tokens,
         sum(cache_read_tokens)::bigint AS cache_read_tokens, sum(cache_write_tokens)::bigint AS cache_write_tokens,
         sum(output_tokens)::bigint AS output_tokens, sum(thinking_tokens)::bigint AS thinking_tokens,
         sum(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens)::bigint AS total_tokens,
         coalesce(round(sum(cache_read_tokens)
                        / nullif(sum(input_tokens + cache_read_tokens + cache_write_tokens), 0), 4), 0) AS cached_input_share,
         sum(cost_micro_usd)::bigint AS cost_micro_usd
  FROM (SELECT tenant, day, provider, model, replies, replies_without_price, latency_ms, input_tokens, cache_read_tokens,
               cache_write_tokens, output_tokens, thinking_tokens, cost_micro_usd FROM ended_replies
        UNION ALL SELECT * FROM removed_replies) AS all_replies
  GROUP BY tenant, day, provider, model;

-- p95 by nearest rank: the shortest duration that at least 95 % of the calls are no longer than.
CREATE VIEW tool_days WITH (security_invoker = true) AS
  SELECT tenant, day, tool_name, sum(calls)::bigint AS call_count, round(sum(duration_ms) / sum(calls), 1) AS avg_duration_ms,
         min(rank_ms) FILTER (WHERE up_to_here >= ceil(0.95 * of_the_day)) AS p95_duration_ms,
         round(sum(tokens) / sum(calls), 1) AS avg_tokens, round(sum(successes) / sum(calls), 4) AS success_rate,
         1 - round(sum(successes) / sum(calls), 4) AS error_rate, sum(retried)::bigint AS retried_calls,
         sum(cache_hits)::bigint AS cache_hits, round(sum(cache_hits) / sum(calls), 4) AS cache_hit_rate
  FROM (SELECT all_calls.*, sum(calls) OVER (PARTITION BY tenant, day, tool_name ORDER BY rank_ms ROWS UNBOUNDED PRECEDING)
                 AS up_to_here,
               sum(calls) OVER (PARTITION BY tenant, day, tool_name) AS of_the_day
        FROM (SELECT tenant, day, tool_name, rank_ms, calls, successes, retried, cache_hits, duration_ms, tokens
              FROM ended_calls
              UNION ALL SELECT * FROM removed_calls) AS all_calls) AS ranked
  GROUP BY tenant, day, tool_name;

-- Of everything that ever ended. A conversation's row stays when its jobs are removed; those of sub-agents are part of
-- the conversations that asked for them.
CREATE VIEW tenant_totals WITH (security_invoker = true) AS
  SELECT c.tenant, c.conversations AS total_conversations, coalesce(t.calls, 0) AS total_tool_calls,
         coalesce(j.tokens, 0) AS total_tokens, round(coalesce(j.duration_ms, 0) / 1000.0, 3) AS total_duration_seconds,
         coalesce(round(j.tokens::numeric / nullif(t.calls, 0), 1), 0) AS avg_tokens_per_call,
         coalesce(j.cost_micro_usd, 0) AS total_cost_micro_usd
  FROM (SELECT tenant, count(*) AS conversations FROM conversations
        WHERE jobs > 0 AND NOT starts_with(conversation_id, 'sub-agent:') GROUP BY tenant) AS c
  LEFT JOIN (SELECT tenant, sum(total_tokens)::bigint AS tokens, sum(total_duration_ms)::bigint AS duration_ms,
                    sum(cost_micro_usd)::bigint AS cost_micro_usd
             FROM job_days GROUP BY tenant) AS j ON j.tenant = c.tenant
  LEFT JOIN (SELECT tenant, sum(calls)::bigint AS calls
             FROM (SELECT tenant, calls FROM ended_calls UNION ALL SELECT tenant, calls FROM removed_calls) AS all_calls
             GROUP BY tenant) AS t ON t.tenant = c.tenant;

-- Of all tenants that its reader may read.
CREATE VIEW global_totals WITH (security_invoker = true) AS
  SELECT coalesce(sum(total_conversations), 0)::bigint AS total_conversations,
         coalesce(sum(total_tool_calls), 0)::bigint AS total_tool_calls,
         coalesce(sum(total_tokens), 0)::bigint AS total_tokens,
         coalesce(sum(total_duration_seconds), 0) AS total_duration_seconds,
         coalesce(round(sum(total_tokens) / nullif(sum(total_tool_calls), 0), 1), 0) AS avg_tokens_per_call,
         coalesce(sum(total_cost_micro_usd), 0)::bigint AS total_cost_micro_usd
  FROM tenant_totals;

-- The sums of its jobs' reports, by the names that those have. Of what is still in the ledger.
CREATE VIEW conversation_metrics WITH (security_invoker = true) AS
  SELECT j.tenant, c.conversation_id, count(*) AS jobs, min((m.report->>'start_time')::timestamptz) AS start_time,
         max((m.report->>'end_time')::timestamptz) AS end_time,
         sum((m.report->>'total_duration_ms')::bigint)::bigint AS total_duration_ms,
         sum((m.report->>'total_input_tokens')::bigint)::bigint AS total_input_tokens,
         sum((m.report->>'total_output_tokens')::bigint)::bigint AS total_output_tokens,
         sum((m.report->>'total_tokens')::bigint)::bigint AS total_tokens,
         sum(j.cost_micro_usd)::bigint AS cost_micro_usd,
         coalesce(sum((m.report->>'successful_calls')::bigint), 0)::bigint AS successful_calls,
         coalesce(sum((m.report->>'failed_calls')::bigint), 0)::bigint AS failed_calls,
         coalesce(sum((m.report->>'retried_calls')::bigint), 0)::bigint AS retried_calls,
         coalesce(sum((m.report->>'skill_activations')::bigint), 0)::bigint AS skill_activations,
         (SELECT coalesce(array_agg(DISTINCT skill ORDER BY skill), '{}')
          FROM jobs o JOIN metrics n ON n.job = o.id
          CROSS JOIN json_array_elements_text(coalesce(n.report->'unique_skills', '[]')) AS skill
          WHERE o.conversation = c.id) AS unique_skills,
         coalesce(sum((m.report->>'messages_count')::bigint), 0)::bigint AS messages_count,
         coalesce(sum((m.report->>'compression_events')::bigint), 0)::bigint AS compression_events
  FROM jobs j JOIN conversations c ON c.id = j.conversation JOIN metrics m ON m.job = j.id
  WHERE j.parent IS NULL
  GROUP BY j.tenant, c.id;

-- Of each reply and what it asked for. Copied ones are another job's.
CREATE VIEW step_metrics WITH (security_invoker = true) AS
  SELECT j.tenant, j.job_id, s.round, s.step, s.provider, s.model,
         s.input_tokens + s.cache_read_tokens + s.cache_write_tokens AS total_input_tokens,
         s.output_tokens AS total_output_tokens, s.cache_read_tokens AS cached_tokens, s.cost_micro_usd,
         s.latency_ms AS duration_ms, s.tries, s.replied_at, t.calls AS total_calls, t.successes AS successful_calls,
         t.calls - t.successes AS failed_calls, t.retried AS retried_calls, t.cache_hits
  FROM steps s JOIN jobs j ON j.id = s.job
  CROSS JOIN LATERAL (
    SELECT count(*) AS calls, count(*) FILTER (WHERE state = 'succeeded') AS successes,
           count(*) FILTER (WHERE retry_count > 0) AS retried, count(*) FILTER (WHERE cache_hit) AS cache_hits
    FROM tool_calls c
    WHERE c.job = s.job AND c.round = s.round AND c.step = s.step AND c.finished_at IS NOT NULL) AS t
  WHERE NOT s.copied;

CREATE VIEW round_metrics WITH (security_invoker = true) AS
  SELECT j.tenant, j.job_id, r.round_id, r.round, r.status, r.opened_at AS start_time, r.closed_at AS end_time,
         r.latency_ms AS duration_ms, s.steps, s.total_input_tokens, s.total_output_tokens, s.cached_tokens, s.cost_micro_usd,
         t.calls AS total_calls, t.successes AS successful_calls, t.calls - t.successes AS failed_calls,
         t.retried AS retried_calls, t.cache_hits
  FROM rounds r JOIN jobs j ON j.id = r.job
  CROSS JOIN LATERAL (
    SELECT count(*) AS steps,
           coalesce(sum(input_tokens + cache_read_tokens + cache_write_tokens), 0)::bigint AS total_input_tokens,
           coalesce(sum(output_tokens), 0)::bigint AS total_output_tokens,
           coalesce(sum(cache_read_tokens), 0)::bigint AS cached_tokens,
           coalesce(sum(cost_micro_usd), 0)::bigint AS cost_micro_usd
    FROM steps x WHERE x.job = r.job AND x.round = r.round AND NOT x.copied) AS s
  CROSS JOIN LATERAL (
    SELECT count(*) AS calls, count(*) FILTER (WHERE state = 'succeeded') AS successes,
           count(*) FILTER (WHERE retry_count > 0) AS retried, count(*) FILTER (WHERE cache_hit) AS cache_hits
    FROM tool_calls c WHERE c.job = r.job AND c.round = r.round AND c.finished_at IS NOT NULL AND NOT c.copied) AS t;
