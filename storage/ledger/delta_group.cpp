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

// The lock and the mark, and then whether all is as expected, for whoever doesn't wait for the
// answers: if it isn't, the division fails, and the transaction with it. It is a statement of its
// own, as one that has waited for the lock would still see the jobs as they were before it waited.
// That this transaction has raised the mark says that the incarnation lives, and is locked. $4 is
// the number of jobs, $5 and $6 are the marks that must be there. The state is looked at behind the
// ids, so that no index of running jobs is of use.
constexpr auto kRaiseMarkSql = sql_text(kAlive, "KEY SHARE", kRaised, "SELECT mark FROM raised");
constexpr Statement kRaiseMark{"raise_mark", kRaiseMarkSql.data()};

constexpr Statement kExpectOwnership{"expect_ownership", R"sql(
  SELECT 1 / (
    EXISTS (SELECT FROM incarnation_marks m WHERE m.incarnation = $1 AND m.slot = $2::smallint
            AND m.xmin = pg_current_xact_id()::xid)
    AND (SELECT count(*) FILTER (WHERE j.state = 'running') FROM jobs j
         WHERE j.id = ANY ($3::bigint[]) AND j.incarnation = $1) = $4::bigint
    AND NOT EXISTS (
      SELECT FROM unnest($5::smallint[], $6::bigint[]) AS known (slot, mark)
      WHERE known.mark > coalesce((SELECT m.mark FROM incarnation_marks m
                                   WHERE m.incarnation = $1 AND m.slot = known.slot), 0))
  )::integer AS expected)sql"};

// Of the division; no other statement of a group has one.
constexpr std::string_view kNotAsExpected = "22012";

using OwnedJobs = std::unordered_map<std::int64_t, bool>;  // whether it is still running

BigintArray jobs_of(const std::vector<const Delta*>& deltas) {
  BigintArray ids;
  for (const Delta* delta : deltas) ids.add(delta->job.value);
  return ids;
}

Result<void> expect_ownership(Transaction& transaction, IncarnationId self,
                              const std::vector<const Delta*>& deltas) {
  const HistoryProof proof(transaction, self);
  if (auto known = proof.begin(); !known) return known;
  SmallintArray slots;
  BigintArray marks;
  for (const auto& [slot, mark] : proof.expected()) {
    slots.add(slot);
    marks.add(slot == transaction.slot() ? mark + 1 : mark);
  }
  proof.raised(transaction.ask(kRaiseMark, self.value, transaction.slot()));
  transaction.send(kExpectOwnership, self.value, transaction.slot(), jobs_of(deltas),
                   static_cast<std::int64_t>(deltas.size()), slots, marks);
  return {};
}

Result<OwnedJobs> prove_ownership(Transaction& transaction, IncarnationId self,
                                  const std::vector<const Delta*>& deltas) {
  const HistoryProof proof(transaction, self);
  if (auto known = proof.begin(); !known) return known.error();
  const auto rows =
      transaction.run(kProveOwnership, self.value, transaction.slot(), jobs_of(deltas));
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

void write_rows(Transaction& transaction, IncarnationId self,
                const std::vector<const Delta*>& deltas) {
  StepRows steps;
  SkillRows skills;
  FinishRows finishes;
  for (const Delta* delta : deltas) {
    steps.add(*delta, self);
    skills.add(*delta);
    if (delta->finished) finishes.add(*delta);
  }
  steps.write(transaction);
  skills.write(transaction);
  finishes.write(transaction);
}

Result<Verdicts> write_expected(Transaction& transaction, IncarnationId self,
                                const std::vector<const Delta*>& deltas) {
  if (auto known = expect_ownership(transaction, self, deltas); !known) return known.error();
  write_rows(transaction, self, deltas);
  return Verdicts(deltas.size());
}

Result<Verdicts> write_proven(Transaction& transaction, IncarnationId self,
                              const std::vector<const Delta*>& deltas) {
  const auto owned = prove_ownership(transaction, self, deltas);
  if (!owned) return owned.error();
  Verdicts verdicts;
  std::vector<const Delta*> running;
  for (const Delta* delta : deltas) {
    const auto job = owned->find(delta->job.value);
    const bool repeated = job != owned->end() && !job->second && delta->finished;
    if (job == owned->end() || (!job->second && !repeated)) {
      verdicts.emplace_back(not_running(delta->job, self));
      continue;
    }
    verdicts.emplace_back();
    if (!repeated) running.push_back(delta);
  }
  write_rows(transaction, self, running);
  return verdicts;
}

}  // namespace

Result<Verdicts> commit_deltas(Session& session, IncarnationId self,
                               const std::vector<const Delta*>& deltas,
                               std::atomic<std::int64_t>& transactions) {
  ++transactions;
  auto written = session.run(
      [&](Transaction& transaction) { return write_expected(transaction, self, deltas); });
  if (written || written.error().detail != kNotAsExpected) return written;
  const bool maybe_done = written.error().maybe_done;
  ++transactions;
  written = session.run(
      [&](Transaction& transaction) { return write_proven(transaction, self, deltas); });
  if (written) return written;
  Error error = written.error();
  error.maybe_done = error.maybe_done || maybe_done;
  return error;
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
