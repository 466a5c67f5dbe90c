// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "pipeline/core/tool/observation.hpp"
#include "storage/control.hpp"
#include "storage/control/no_such_job.hpp"
#include "storage/control/write_once.hpp"
#include "storage/ledger/shared_columns.hpp"
#include "storage/ledger/step_rows.hpp"

namespace ba::storage {
namespace {

// Two people may answer at once.
constexpr Statement kLockJob{"resolve_lock_job", R"sql(
  SELECT j.id, j.state, coalesce(j.request, '') AS request, c.conversation_id, j.user_id,
         (extract(epoch FROM now()) * 1000000)::bigint AS now_us
  FROM jobs j JOIN conversations c ON c.id = j.conversation
  WHERE j.tenant = $1 AND j.job_id = $2 FOR NO KEY UPDATE OF j)sql"};

constexpr Statement kUnresolved{"resolve_calls", R"sql(
  SELECT round, step, idx, tool_call_id, tool_name FROM tool_calls
  WHERE job = $1 AND state = 'running' ORDER BY round, step, idx)sql"};

constexpr Statement kRunAgain{"resolve_run_again", R"sql(
  UPDATE tool_calls SET state = 'intended', started_at = NULL
  WHERE job = $1 AND round = $2 AND step = $3 AND idx = $4)sql"};

// $3 whether it is the last answer that the job waited for.
constexpr Statement kNoteAnswer{"resolve_note", R"sql(
  UPDATE jobs
  SET requested_at = now(), requested_by = $2, state = CASE WHEN $3 THEN 'ready' ELSE state END,
      idle_ms = idle_ms + CASE WHEN $3 THEN extract(epoch FROM now() - idle_since) * 1000
                               ELSE 0 END,
      idle_since = CASE WHEN NOT $3 THEN idle_since END
  WHERE id = $1)sql"};

UnresolvedCall unresolved_call(const Row& row) {
  return {position_of(row), ToolCallId(row.text("tool_call_id")), row.text("tool_name")};
}

void end_call(Transaction& transaction, LedgerJobId job, const UnresolvedCall& call,
              ToolResult result, MessageMeta meta) {
  Delta delta;
  delta.job = job;
  ToolMessage message = observation_message(std::move(meta), call.tool, result);
  delta.calls_finished.push_back({call.position, std::move(result), std::move(message)});
  StepRows rows;
  rows.add(delta, IncarnationId{});
  rows.write(transaction);
}

Result<ResolvedCall> resolve(Transaction& transaction, const JobName& name,
                             const CallAnswer& answer, const std::string& by) {
  const std::string shown = name.tenant.value + "/" + name.job.value;
  const auto rows = transaction.run(kLockJob, name.tenant.value, name.job.value);
  if (rows.empty()) return no_such_job(transaction, name);
  const Row row = rows[0];
  const JobStanding standing{parse_job_state(row.view("state")).value(),
                             parse_job_request(row.view("request")).value()};
  if (const auto may = may_resolve(standing, shown); !may) return may.error();
  const LedgerJobId job(row.big("id"));
  const auto calls = read_all(transaction.run(kUnresolved, job.value), unresolved_call);
  const auto call = call_meant(calls, answer, shown);
  if (!call) return call.error();
  auto result = resolved_result(answer, call->id);
  if (!result) return result.error();
  const Position& at = call->position;
  if (*result) {
    const MessageOwner owner{name.job, ConversationId(row.text("conversation_id")),
                             row.text("user_id")};
    end_call(transaction, job, *call, std::move(**result),
             message_meta(owner, at, row.micros("now_us")));
  } else {
    transaction.run(kRunAgain, job.value, at.round, at.step, at.index);
  }
  const int left = static_cast<int>(calls.size()) - 1;
  transaction.run(kNoteAnswer, job.value, by, left == 0);
  return ResolvedCall{*call, left};
}

}  // namespace

Result<ResolvedCall> resolve_call(const PgAccess& access, const JobName& name,
                                  const CallAnswer& answer, const std::string& by) {
  return write_once(
      access, [&](Transaction& transaction) { return resolve(transaction, name, answer, by); });
}

}  // namespace ba::storage
