// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/sub_agent_rows.hpp"

#include "pipeline/core/tool/observation.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "storage/ledger/finish_rows.hpp"
#include "storage/ledger/shared_columns.hpp"
#include "storage/ledger/step_rows.hpp"
#include "storage/ledger/sub_agents_cancel.sql.hpp"

namespace ba::storage {
namespace {

// Its end, which may be on its way under the same incarnation, comes before or after this.
// `state || ''`, here and below: jobs whose ids or parents are known are found by these alone.
// Plans may be made when nothing runs, and would go through all that runs or waits later.
constexpr Statement kAskingJob{"asking_job", R"sql(
  SELECT conversation FROM jobs WHERE id = $1 AND incarnation = $2 AND state || '' = 'running'
  FOR SHARE)sql"};

constexpr Statement kKnown{"sub_agent_known", R"sql(
  SELECT id, state, outcome, error_type, error_code, error_message,
         (SELECT r.final_answer FROM rounds r
          WHERE r.job = j.id AND r.status = 'completed' ORDER BY r.round DESC LIMIT 1) AS answer,
         coalesce(parent = $3 AND parent_round = $4 AND parent_step = $5 AND parent_idx = $6, false)
           AS of_call
  FROM jobs j WHERE tenant = $1 AND job_id = $2)sql"};

constexpr Statement kAddConversation{"sub_agent_conversation", R"sql(
  INSERT INTO conversations (tenant, conversation_id, user_id) VALUES ($1, $2, $3)
  ON CONFLICT DO NOTHING)sql"};

// One call at a time resumes it.
constexpr Statement kLockConversation{"sub_agent_lock", R"sql(
  SELECT id FROM conversations WHERE tenant = $1 AND conversation_id = $2 FOR UPDATE)sql"};

// $2: the asking job's conversation.
constexpr Statement kEarlier{"sub_agent_earlier", R"sql(
  SELECT j.state, j.outcome, j.agent
  FROM jobs j JOIN jobs p ON p.id = j.parent AND p.conversation = $2
  WHERE j.conversation = $1 ORDER BY j.id DESC LIMIT 1)sql"};

constexpr Statement kAdd{"sub_agent_add", R"sql(
  INSERT INTO jobs (tenant, job_id, conversation, lane, user_id, agent, payload, created_at,
                    source_topic, source_topic_id, source_partition, source_offset,
                    parent, parent_round, parent_step, parent_idx, state, idle_since)
  SELECT $2, $3, c.id, $5, $6, $7, $8, now(), p.source_topic, p.source_topic_id,
         p.source_partition, p.source_offset, p.id, $9, $10, $11, 'held', now()
  FROM jobs p JOIN conversations c ON c.tenant = $2 AND c.conversation_id = $4
  WHERE p.id = $1)sql"};

constexpr Statement kClaim{"sub_agent_claim", R"sql(
  WITH claimed AS (
    UPDATE jobs
    SET state = 'running', incarnation = $2, attempt = attempt + 1, claims = claims + 1,
        claimed_at = now(), first_claimed_at = coalesce(first_claimed_at, now()),
        idle_ms = idle_ms + coalesce(extract(epoch FROM now() - idle_since) * 1000, 0),
        idle_since = NULL
    WHERE id = $1 AND state || '' = 'held'
    RETURNING id, claims, attempt
  )
  INSERT INTO attempts (job, claim, attempt, incarnation)
  SELECT id, claims, attempt, $2 FROM claimed)sql"};

constexpr Statement kClaimed{"sub_agent_claimed", R"sql(
  SELECT conversation, attempt, after_crash,
         (extract(epoch FROM first_claimed_at) * 1000000)::bigint AS claimed_us, idle_ms, payload
  FROM jobs WHERE id = $1)sql"};

// What the asking conversation may read when it asks. As a fork's, they have no call here: step -1.
constexpr Statement kLendArtifacts{"sub_agent_artifacts", R"sql(
  INSERT INTO artifact_references (conversation, artifact, job, round, step, idx, tenant)
  SELECT a.conversation, r.artifact, a.id, 0, -1, 0, r.tenant
  FROM jobs a JOIN artifact_references r ON r.conversation = $2
  WHERE a.id = $1 GROUP BY a.conversation, a.id, r.artifact, r.tenant
  ON CONFLICT DO NOTHING)sql"};

constexpr Statement kPassOnArtifacts{"sub_agents_artifacts", R"sql(
  INSERT INTO artifact_references (conversation, artifact, job, round, step, idx, tenant)
  SELECT p.conversation, r.artifact, p.id, 0, -1, 0, r.tenant
  FROM jobs a JOIN jobs p ON p.id = a.parent
  JOIN artifact_references r ON r.job = a.id AND r.step >= 0
  WHERE a.id = ANY ($1::bigint[]) GROUP BY p.conversation, p.id, r.artifact, r.tenant
  ON CONFLICT DO NOTHING)sql"};

constexpr Statement kCloseRounds{"sub_agents_rounds", R"sql(
  UPDATE rounds SET status = 'error', closed_at = now(), final_answer = ''
  WHERE status = 'in_progress' AND job IN (
    SELECT id FROM jobs WHERE parent = ANY ($1::bigint[])
      AND state || '' <> 'finished'))sql"};

constexpr Statement kOpenCalls{"sub_agents_calls", R"sql(
  SELECT j.id, j.job_id, c.conversation_id, j.user_id, t.round, t.step, t.idx, t.tool_call_id,
         t.tool_name, t.state = 'running' AND t.effect <> 'pure' AS may_have_run,
         (extract(epoch FROM now()) * 1000000)::bigint AS now_us
  FROM jobs j JOIN conversations c ON c.id = j.conversation JOIN tool_calls t ON t.job = j.id
  WHERE j.parent = ANY ($1::bigint[]) AND j.state || '' <> 'finished'
    AND t.state IN ('intended', 'running'))sql"};

/// Failed for a job that has none yet.
Outcome outcome_of(const Row& row) {
  return parse_outcome(row.text_or_empty("outcome")).value_or(Outcome::Failed);
}

SubAgentEnd end_of(const Row& row) {
  SubAgentEnd end;
  end.outcome = outcome_of(row);
  if (std::string code = row.text_or_empty("error_code"); !code.empty())
    end.error = JobError{row.text_or_empty("error_type"), std::move(code),
                         row.text_or_empty("error_message")};
  end.answer = row.text_or_empty("answer");
  return end;
}

std::optional<EarlierSubAgent> earlier_of(const Rows& rows) {
  if (rows.empty()) return std::nullopt;
  const Row row = rows[0];
  EarlierSubAgent earlier;
  earlier.state = parse_job_state(row.view("state")).value();
  earlier.outcome = outcome_of(row);
  earlier.agent = row.text("agent");
  return earlier;
}

ClaimedJob claim(Transaction& transaction, IncarnationId self, LedgerJobId id) {
  transaction.send(kClaim, id.value, self.value);
  const Row row = transaction.run(kClaimed, id.value).first();
  ClaimedJob job;
  job.id = id;
  job.conversation = LedgerConversationId(row.big("conversation"));
  job.attempt = row.number("attempt");
  job.after_crash = row.flag("after_crash");
  job.first_claimed_at = row.micros("claimed_us");
  job.idle = row.milliseconds("idle_ms");
  job.payload = row.bytes("payload");
  return job;
}

/// A job that is held until it is claimed.
Result<void> add(Transaction& transaction, const SubAgentOrder& order, std::int64_t asking) {
  const Job& job = order.job;
  const std::string& conversation = job.conversation_id.value;
  if (!order.resumes)
    transaction.send(kAddConversation, job.tenant.value, conversation, storable(job.user_id));
  const auto locked = transaction.run(kLockConversation, job.tenant.value, conversation);
  if (order.resumes) {
    std::optional<EarlierSubAgent> earlier;
    if (!locked.empty())
      earlier = earlier_of(transaction.run(kEarlier, locked[0].big("id"), asking));
    if (auto may = may_resume(earlier, order); !may) return may;
  }
  const Position& call = order.asked_by.position;
  transaction.send(kAdd, order.asked_by.job.value, job.tenant.value, job.job_id.value, conversation,
                   static_cast<int>(job.lane), storable(job.user_id), storable(job.agent),
                   Bytes{order.payload}, call.round, call.step, call.index);
  return {};
}

/// So that their conversations stay whole.
void end_calls(Transaction& transaction, const Rows& open) {
  std::vector<Delta> deltas;  // the rows borrow them
  for (const Row& row : open) {
    const Position at = position_of(row);
    const MessageOwner owner{JobId(row.text("job_id")), ConversationId(row.text("conversation_id")),
                             row.text("user_id")};
    const ToolCallId id(row.text("tool_call_id"));
    ToolResult result = row.flag("may_have_run") ? unknown_result(id) : not_completed_result(id);
    ToolMessage message = observation_message(message_meta(owner, at, row.micros("now_us")),
                                              row.text("tool_name"), result);
    Delta& delta = deltas.emplace_back();
    delta.job = LedgerJobId(row.big("id"));
    delta.calls_finished.push_back({at, std::move(result), std::move(message)});
  }
  StepRows rows;
  for (const Delta& delta : deltas) rows.add(delta, IncarnationId{});
  rows.write(transaction);
}

}  // namespace

Result<SubAgentStanding> begin_sub_agent(Transaction& transaction, IncarnationId self,
                                         const SubAgentOrder& order) {
  const auto asking = transaction.run(kAskingJob, order.asked_by.job.value, self.value);
  if (asking.empty()) return asking_job_gone(order);
  const Position& call = order.asked_by.position;
  const auto known = [&] {
    return transaction.run(kKnown, order.job.tenant.value, order.job.job_id.value,
                           order.asked_by.job.value, call.round, call.step, call.index);
  };
  auto rows = known();
  if (rows.empty()) {
    if (auto added = add(transaction, order, asking[0].big("conversation")); !added)
      return added.error();
    rows = known();
  }
  if (rows.empty() || !rows[0].flag("of_call")) return sub_agent_id_taken(order);
  SubAgentStanding standing;
  if (rows[0].view("state") == "finished") {
    standing.ended = end_of(rows[0]);
    return standing;
  }
  const LedgerJobId id(rows[0].big("id"));
  standing.claimed = claim(transaction, self, id);
  transaction.send(kLendArtifacts, id.value, asking[0].big("conversation"));
  standing.claimed->asked_by = order.asked_by;
  return standing;
}

void pass_on_artifacts(Transaction& transaction, const BigintArray& sub_agents) {
  transaction.send(kPassOnArtifacts, sub_agents);
}

void end_sub_agents(Transaction& transaction, const BigintArray& jobs) {
  transaction.send(kCloseRounds, jobs);
  end_calls(transaction, transaction.run(kOpenCalls, jobs));
  const JobError why = asking_job_ended();
  const auto cancelled =
      transaction.run(sql::kSubAgentsCancel, jobs, why.type, why.code, why.message);
  if (cancelled.empty()) return;
  BigintArray ids;
  for (const Row& row : cancelled) ids.add(row.big("id"));
  close_finished(transaction, ids);
}

}  // namespace ba::storage
