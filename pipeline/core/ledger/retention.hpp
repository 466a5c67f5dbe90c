#pragma once
// SPDX-License-Identifier: Apache-2.0
// Removing from the ledger what nobody needs any more, a small batch at a time. Control thread
// only; completions come there.

#include <cstdint>
#include <map>
#include <optional>

#include "pipeline/base/error.hpp"
#include "pipeline/base/ids.hpp"
#include "pipeline/base/time.hpp"

namespace ba {

/// How long what is done with is kept; none: for ever.
struct RetentionRules {
  using Age = std::optional<Milliseconds>;

  Age jobs;                         ///< from the end of the last job of their conversation
  std::map<TenantId, Age> tenants;  ///< the same for jobs of these tenants, instead
  Age outbox;                       ///< from their publication
  Age dead_letters;                 ///< from their arrival
  int batch_rows_max = 100;         ///< jobs, outbox rows and letters of one transaction, each

  friend bool operator==(const RetentionRules&, const RetentionRules&) = default;
};

/// What one batch removed.
struct RemovedRows {
  std::int64_t jobs = 0;  ///< each with its rounds, steps, tool calls, attempts and report
  std::int64_t outbox_rows = 0;
  std::int64_t dead_letters = 0;
  bool more = false;  ///< a batch was full: ask again soon

  std::int64_t total() const { return jobs + outbox_rows + dead_letters; }
};

class Retention {
 public:
  virtual ~Retention() = default;

  /// ONE transaction under the fence, which removes at most one batch of each kind. Never what an
  /// unfinished job needs: jobs go once all of their conversation have ended, and the last of these
  /// is old enough; and their histories go whole, so that no later job finds half of one (the
  /// oldest even where it is longer than a batch). Never a job of a conversation with a result that
  /// isn't published, nor outbox rows that aren't, or that `outbox verify` would compare. One
  /// worker removes at a time: while another one does, nothing is removed, which is no error.
  virtual void remove_batch(IncarnationId self, RetentionRules rules,
                            Completion<RemovedRows> done) = 0;
};

}  // namespace ba
