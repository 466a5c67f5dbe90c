// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/publishing_troubles.hpp"

#include <algorithm>

namespace ba::driver {
namespace {

constexpr std::size_t kFencedOften = 3;
constexpr std::chrono::minutes kFencedOfLate{10};

}  // namespace

std::optional<std::int64_t> PublishingTroubles::failed(int shard, const Error& error,
                                                       SteadyTime now) {
  if (error.code == ErrorCode::PermissionDenied)
    denied_[shard] = error.message;
  else
    denied_.erase(shard);
  if (error.code == ErrorCode::Fenced) {
    std::deque<SteadyTime>& times = fenced_[shard];
    times.push_back(now);
    if (times.size() > kFencedOften) times.pop_front();
  }
  return repeats_.tell(error.message, now);
}

bool PublishingTroubles::contested(SteadyTime now) const {
  return std::any_of(fenced_.begin(), fenced_.end(), [now](const auto& entry) {
    return entry.second.size() == kFencedOften && entry.second.front() + kFencedOfLate > now;
  });
}

}  // namespace ba::driver
