#pragma once
// SPDX-License-Identifier: Apache-2.0
// Results in this process, bounded by number and by bytes: expired ones go first, then the least
// recently used. Owned by the shared cache; one thread.

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>

#include "pipeline/base/time.hpp"
#include "pipeline/core/tool/result_cache.hpp"

namespace ba {

class LocalResults {
 public:
  struct Limits {
    std::int64_t entries_max = 10'000;
    std::int64_t bytes_max = 64 << 20;  ///< of data, notes and keys

    friend bool operator==(const Limits&, const Limits&) = default;
  };

  explicit LocalResults(Limits limits) : limits_(limits) {}

  /// Null when there is none that holds at `now`. Valid until the next call.
  const CacheHit* find(const std::string& key, SteadyTime now);

  /// `until`: neither expired nor to be confirmed anew before that. A result larger than all that
  /// may be held is left out.
  void put(const std::string& key, CacheHit result, SteadyTime until, SteadyTime now);

  std::size_t size() const { return entries_.size(); }
  std::int64_t bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string key;
    CacheHit result;
    SteadyTime until;

    std::int64_t bytes() const {
      return static_cast<std::int64_t>(key.size() + result.data.size() + result.note.size());
    }
  };
  using Entries = std::list<Entry>;  ///< the most recently used first

  void remove(Entries::iterator entry);
  void make_room(SteadyTime now);

  const Limits limits_;
  Entries entries_;
  std::map<std::string, Entries::iterator, std::less<>> by_key_;
  std::multimap<SteadyTime, Entries::iterator> by_end_;
  std::int64_t bytes_ = 0;
};

}  // namespace ba
