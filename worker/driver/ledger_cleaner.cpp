// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/ledger_cleaner.hpp"

#include <algorithm>

namespace ba::driver {
namespace {

bool keeps_everything(const RetentionRules& rules) {
  return !rules.jobs && !rules.outbox && !rules.dead_letters &&
         std::none_of(rules.tenants.begin(), rules.tenants.end(),
                      [](const auto& rule) { return rule.second.has_value(); });
}

}  // namespace

LedgerCleaner::LedgerCleaner(Retention& retention, Executor& executor, CleanerOptions options,
                             CleanerEvents events)
    : retention_(retention),
      executor_(executor),
      options_(std::move(options)),
      events_(std::move(events)) {}

void LedgerCleaner::start(IncarnationId self) {
  if (keeps_everything(options_.rules)) return;
  self_ = self;
  arm(options_.interval);
}

void LedgerCleaner::stop() {
  lifetime_.end();
  timer_.reset();
}

void LedgerCleaner::arm(Milliseconds delay) {
  timer_ = executor_.after(delay, [this] { remove(); });
}

void LedgerCleaner::remove() {
  retention_.remove_batch(
      self_, options_.rules,
      lifetime_.guarded([this](Result<RemovedRows> result) { removed(std::move(result)); }));
}

void LedgerCleaner::removed(Result<RemovedRows> result) {
  if (!result) {
    if (result.error().code == ErrorCode::Fenced) return;  // this life ends by its lease
    events_.trouble(result.error());
    return arm(options_.interval);
  }
  if (result->total() > 0) events_.removed(*result);
  arm(result->more ? options_.pause : options_.interval);
}

}  // namespace ba::driver
