// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/cache/local_results.hpp"

#include <utility>

namespace ba {

const CacheHit* LocalResults::find(const std::string& key, SteadyTime now) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  if (found->second->until <= now) {
    remove(found->second);
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, found->second);
  return &entries_.front().result;
}

void LocalResults::put(const std::string& key, CacheHit result, SteadyTime until, SteadyTime now) {
  if (const auto old = by_key_.find(key); old != by_key_.end()) remove(old->second);
  Entry entry{key, std::move(result), until};
  if (entry.bytes() > limits_.bytes_max || until <= now) return;
  bytes_ += entry.bytes();
  entries_.push_front(std::move(entry));
  by_key_.emplace(key, entries_.begin());
  by_end_.emplace(until, entries_.begin());
  make_room(now);
}

void LocalResults::make_room(SteadyTime now) {
  while (static_cast<std::int64_t>(entries_.size()) > limits_.entries_max ||
         bytes_ > limits_.bytes_max) {
    const auto first = by_end_.begin();
    remove(first->first <= now ? first->second : std::prev(entries_.end()));
  }
}

void LocalResults::remove(Entries::iterator entry) {
  const auto [from, to] = by_end_.equal_range(entry->until);
  for (auto end = from; end != to; ++end) {
    if (end->second != entry) continue;
    by_end_.erase(end);
    break;
  }
  bytes_ -= entry->bytes();
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

}  // namespace ba
