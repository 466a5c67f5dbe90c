// SPDX-License-Identifier: Apache-2.0
#include "storage/history/known_history.hpp"

#include <algorithm>

namespace ba::storage {
namespace {

std::string name_of(IncarnationId self) { return "incarnation " + std::to_string(self.value); }

}  // namespace

Error fenced_because(std::string message) {
  return make_error(ErrorCode::Fenced, std::move(message));
}

void KnownHistory::entered(IncarnationId self) {
  const std::lock_guard lock(mutex_);
  incarnations_.try_emplace(self);
}

void KnownHistory::acknowledged(IncarnationId self, int slot, std::int64_t mark) {
  const std::lock_guard lock(mutex_);
  std::int64_t& known = incarnations_[self].marks[slot];
  known = std::max(known, mark);
}

Result<HistoryMarks> KnownHistory::expected(IncarnationId self) const {
  const std::lock_guard lock(mutex_);
  const auto known = incarnations_.find(self);
  if (known == incarnations_.end()) return HistoryMarks{};
  if (!known->second.why_void.empty()) return fenced_because(known->second.why_void);
  return known->second.marks;
}

Result<void> KnownHistory::compare(IncarnationId self, const HistoryMarks& expected,
                                   const HistoryMarks& found) {
  for (const auto& [slot, mark] : expected) {
    const auto there = found.find(slot);
    const std::int64_t newest = there == found.end() ? 0 : there->second;
    if (newest >= mark) continue;
    return make_void(
        self, "its transaction " + std::to_string(mark) + " of session " + std::to_string(slot) +
                  " was acknowledged, and the newest there is " + std::to_string(newest));
  }
  return {};
}

Error KnownHistory::unknown(IncarnationId self) {
  {
    const std::lock_guard lock(mutex_);
    if (!incarnations_.contains(self))
      return fenced_because("the ledger knows no " + name_of(self));
  }
  return make_void(self, "it is not there any more");
}

Error KnownHistory::make_void(IncarnationId self, const std::string& why) {
  const std::lock_guard lock(mutex_);
  Known& known = incarnations_[self];
  if (known.why_void.empty())
    known.why_void = name_of(self) +
                     " is void, as the database went back in time (a failover to a " +
                     "replica that lagged, or a restore): " + why;
  return fenced_because(known.why_void);
}

}  // namespace ba::storage
