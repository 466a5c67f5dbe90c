// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/publishing_troubles.hpp"

namespace ba {

std::optional<std::int64_t> PublishingTroubles::failed(int shard, const Error& error,
                                                       SteadyTime now) {
  if (error.code == ErrorCode::PermissionDenied)
    denied_[shard] = error.message;
  else
    denied_.erase(shard);
  return repeats_.tell(error.message, now);
}

}  // namespace ba
