// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/fence.hpp"

#include <charconv>

#include "storage/postgres/statement.hpp"

namespace ba::storage {
namespace {

constexpr auto kFenceSql =
    sql_text(kAlive, "KEY SHARE", kRaised, "SELECT ", kMarks, " AS marks, mark FROM raised");
constexpr Statement kFence{"fence", kFenceSql.data()};

constexpr auto kFenceAloneSql =
    sql_text(kAlive, "UPDATE", kRaised, "SELECT ", kMarks, " AS marks, mark FROM raised");
constexpr Statement kFenceAlone{"fence_alone", kFenceAloneSql.data()};

// Marks go with the end of their incarnation.
constexpr auto kLookSql = sql_text(
    "SELECT ", kMarks, " AS marks, state = 'alive' AS alive FROM incarnations WHERE id = $1");
constexpr Statement kLook{"look_at_marks", kLookSql.data()};

/// As kMarks selects them.
HistoryMarks parse_marks(std::string_view text) {
  HistoryMarks marks;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int slot = 0;
    std::int64_t mark = 0;
    at = std::from_chars(at, end, slot).ptr + 1;
    at = std::from_chars(at, end, mark).ptr + 1;
    marks[slot] = mark;
  }
  return marks;
}

Result<void> prove(Transaction& transaction, const Statement& statement, IncarnationId self) {
  const HistoryProof proof(transaction, self);
  if (auto known = proof.begin(); !known) return known;
  const auto raised = transaction.run(statement, self.value, transaction.slot());
  if (raised.empty()) return proof.refused();
  proof.raised(raised[0].big("mark"));
  return proof.compare(raised[0].text_or_empty("marks"));
}

}  // namespace

Error fenced(IncarnationId incarnation) {
  return fenced_because("incarnation " + std::to_string(incarnation.value) +
                        " is dead: its lease ran out or it was reaped");
}

Error not_running(LedgerJobId job, IncarnationId self) {
  return make_error(ErrorCode::Fenced, "job " + std::to_string(job.value) +
                                           " does not run under incarnation " +
                                           std::to_string(self.value));
}

Result<void> fence(Transaction& transaction, IncarnationId incarnation) {
  return prove(transaction, kFence, incarnation);
}

Result<void> fence_alone(Transaction& transaction, IncarnationId incarnation) {
  return prove(transaction, kFenceAlone, incarnation);
}

Result<void> same_history(Transaction& transaction, IncarnationId incarnation) {
  const HistoryProof proof(transaction, incarnation);
  if (auto known = proof.begin(); !known) return known;
  return proof.look();
}

HistoryProof::HistoryProof(Transaction& transaction, IncarnationId self)
    : transaction_(transaction),
      self_(self),
      expected_(transaction.history() != nullptr ? transaction.history()->expected(self)
                                                 : HistoryMarks{}) {}

Result<void> HistoryProof::begin() const {
  if (!expected_) return expected_.error();
  return {};
}

Result<void> HistoryProof::compare(std::string_view found) const {
  if (transaction_.history() == nullptr) return {};
  return transaction_.history()->compare(self_, *expected_, parse_marks(found));
}

void HistoryProof::raised(std::int64_t mark) const {
  KnownHistory* const history = transaction_.history();
  if (history == nullptr) return;
  transaction_.after_commit([history, self = self_, slot = transaction_.slot(), mark] {
    history->acknowledged(self, slot, mark);
  });
}

void HistoryProof::raised(LaterRows answer) const {
  KnownHistory* const history = transaction_.history();
  if (history == nullptr) return;
  transaction_.after_commit(
      [history, self = self_, slot = transaction_.slot(), answer = std::move(answer)] {
        history->acknowledged(self, slot, answer.rows().first().big("mark"));
      });
}

Result<void> HistoryProof::look() const {
  const auto found = transaction_.run(kLook, self_.value);
  if (found.empty() && transaction_.history() != nullptr)
    return transaction_.history()->unknown(self_);
  if (found.empty() || !found[0].flag("alive")) return fenced(self_);
  return compare(found[0].text_or_empty("marks"));
}

Error HistoryProof::refused() const {
  const auto alive = look();
  return alive ? fenced(self_) : alive.error();
}

}  // namespace ba::storage
