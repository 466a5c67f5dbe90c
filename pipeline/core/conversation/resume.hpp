#pragma once
// SPDX-License-Identifier: Apache-2.0
// Rebuilds a job's state from the ledger's rows: messages, not replayed code.

#include "pipeline/core/conversation/event.hpp"
#include "pipeline/core/ledger/claim_records.hpp"

namespace ba {

struct ResumeInput {
  ClaimedJob claimed;
  Job job;
  StoredJob stored;
  RunProfile profile;
  std::string worker_version;
};

/// Corrupt when the rows contradict each other (a reply without its calls, a gap in the steps).
Result<ConversationState> resume(ResumeInput input, const Moment& moment);

struct SalvageInput {
  ClaimedJob claimed;
  Job job;
  JobRemains remains;
  RunProfile profile;
  std::string worker_version;
};

/// The state of a job that must not or cannot be loaded: it knows no messages and can only be
/// stopped, which closes its open round and answers its open calls.
ConversationState salvage(SalvageInput input, const Moment& moment);

}  // namespace ba
