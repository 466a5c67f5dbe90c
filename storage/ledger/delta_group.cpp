// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/delta_group.hpp"

#include <unordered_map>

#include "storage/ledger/fence.hpp"
#include "storage/ledger/finish_rows.hpp"
#include "storage/ledger/skill_rows.hpp"
#include "storage/ledger/step_rows.hpp"
#include "storage/postgres/statement.hpp"

namespace ba::storage {
namespace {

// Fence and ownership in one round trip. The jobs need no lock of their own: whoever takes a job
// from an incarnation either is the incarnation or must wait for this transaction to end. No row:
// the incarnation is dead. One row, without a job, has its marks as they were before.
constexpr auto kProveOwnershipSql = sql_text(kAlive, "KEY SHARE", kRaised, R"sql(
  SELECT NULL::bigint AS job, NULL::boolean AS running, mark, )sql",
                                             kMarks, R"sql( AS marks
  FROM raised
  UNION ALL
  SELECT j.id, j.state = 'running', NULL, NULL
  FROM alive JOIN jobs j ON j.id = ANY ($3::bigint[]) AND j.incarnation = alive.id)sql");
constexpr Statement kProveOwnership{"prove_ownership", kProveOwnershipSql.data()};

using OwnedJobs = std::unordered_map<std::int64_t, bool>;  // whether it is still running

Result<OwnedJobs> prove_ownership(Transaction& transaction, IncarnationId self,
                                  const std::vector<const Delta*>& deltas) {
  BigintArray ids;
  for (const Delta* delta : deltas) ids.add(delta->job.value);
  const HistoryProof proof(transaction, self);
  if (auto known = proof.begin(); !known) return known.error();
  const auto rows = transaction.run(kProveOwnership, self.value, transaction.slot(), ids);
  if (rows.empty()) return proof.refused();
  OwnedJobs owned;
  for (const Row& row : rows) {
    if (!row.is_null("job")) {
      owned.emplace(row.big("job"), row.flag("running"));
      continue;
    }
    proof.raised(row.big("mark"));
    if (auto same = proof.compare(row.text_or_empty("marks")); !same) return same.error();
  }
  return owned;
}

std::size_t text_bytes(const AiMessage& message) {
  std::size_t bytes = message.text.size() + message.thinking.size();
  for (const ToolCall& call : message.tool_calls) bytes += call.args_json.size();
  if (message.extra) bytes += message.extra->json.size();
  return bytes;
}

/// Of one that was injected.
std::size_t text_bytes(const Message& message) {
  if (const auto* hidden = std::get_if<AiMessage>(&message)) return text_bytes(*hidden);
  const auto* human = std::get_if<HumanMessage>(&message);
  return human ? human->text.size() : 0;
}

}  // namespace

Result<Verdicts> write_deltas(Transaction& transaction, IncarnationId self,
                              const std::vector<const Delta*>& deltas) {
  const auto owned = prove_ownership(transaction, self, deltas);
  if (!owned) return owned.error();
  Verdicts verdicts;
  StepRows steps;
  SkillRows skills;
  FinishRows finishes;
  for (const Delta* delta : deltas) {
    const auto job = owned->find(delta->job.value);
    const bool repeated = job != owned->end() && !job->second && delta->finished;
    if (job == owned->end() || (!job->second && !repeated)) {
      verdicts.emplace_back(not_running(delta->job, self));
      continue;
    }
    verdicts.emplace_back();
    if (repeated) continue;
    steps.add(*delta, self);
    skills.add(*delta);
    if (delta->finished) finishes.add(*delta);
  }
  steps.write(transaction);
  skills.write(transaction);
  finishes.write(transaction);
  return verdicts;
}

std::size_t delta_bytes(const Delta& delta) {
  std::size_t bytes = 500;
  for (const RoundOpened& round : delta.rounds_opened) bytes += round.message.text.size();
  for (const StepReplied& step : delta.steps) {
    bytes += text_bytes(step.message);
    if (step.answer_repair) bytes += step.answer_repair->text.size();
  }
  for (const ToolCallIntended& call : delta.calls_intended) bytes += call.parameters.size();
  for (const ToolCallFinished& call : delta.calls_finished) bytes += call.message.content.size();
  for (const RoundClosed& round : delta.rounds_closed) bytes += round.final_answer.size();
  for (const ReminderRow& row : delta.reminders) bytes += row.message.text.size();
  for (const CompressedHistoryRow& row : delta.compressed_histories) bytes += row.kept_json.size();
  for (const SummaryRow& row : delta.summaries) bytes += row.text.size();
  for (const SkillUsed& used : delta.skills_used) bytes += used.content.size();
  for (const MessageRow& row : delta.messages_injected) bytes += text_bytes(row.message);
  if (!delta.finished) return bytes;
  bytes += 2 * delta.finished->result_bytes.size() + delta.finished->metrics_json.size();
  for (const OutboxRecord& record : delta.finished->outbox) bytes += 2 * record.value.size();
  return bytes;
}

}  // namespace ba::storage
