#pragma once
// SPDX-License-Identifier: Apache-2.0
// A new job from an old one's durable conversation, as `job fork` and `dlq redrive` make it.
// Blocking.

#include <optional>
#include <string>

#include "pipeline/text/contract/limits.hpp"
#include "storage/dead_letters.hpp"

namespace ba::cli {

struct CopyWish {
  storage::JobName source;
  std::string new_id;  ///< empty: the source's with `suffix` and a number
  std::string suffix;  ///< "fork" or "redrive"
  std::optional<int> from_round;
  std::optional<std::string> message;  ///< in the place of that of from_round, or after the last
  std::optional<std::string> edited;   ///< bytes of a whole job, in any form a record may have
  std::string by;
  WallTime now{};            ///< when the new job is made
  JobContractLimits limits;  ///< those of the configuration
};

/// What copy_job() is to be asked for; writes nothing. The new job passes the same checks as one
/// from a topic, and is created now, not when its source was, unless it goes on just as that was.
/// An edited job without from_round keeps no round: its answers may no longer fit.
Result<storage::JobCopy> plan_copy(const storage::PgAccess& access, const CopyWish& wish);

}  // namespace ba::cli
