// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/outbox/taint_guard.hpp"

namespace ba {
namespace {

constexpr std::int16_t kEndTxn = 26;

thread_local bool this_thread_sends = false;

/// Produce, InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, EndTxn, TxnOffsetCommit.
bool counts(std::int16_t api_key) {
  switch (api_key) {
    case 0:
    case 22:
    case 24:
    case 25:
    case kEndTxn:
    case 28:
      return true;
    default:
      return false;
  }
}

}  // namespace

void TaintGuard::begin() {
  ends_sent_ = 0;
  connection_lost_ = false;
}

bool TaintGuard::clean() const {
  return unanswered_ == 0 && !failed_ && ends_sent_ <= 1 && !connection_lost_;
}

void TaintGuard::on_sent(std::int16_t api_key) {
  if (!counts(api_key)) return;
  this_thread_sends = true;
  ++unanswered_;
  if (api_key == kEndTxn) ++ends_sent_;
}

void TaintGuard::on_received(std::int16_t api_key, bool failed) {
  if (!counts(api_key)) return;
  if (failed) failed_ = true;
  if (this_thread_sends) --unanswered_;
}

}  // namespace ba
