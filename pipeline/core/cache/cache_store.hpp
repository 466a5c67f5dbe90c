#pragma once
// SPDX-License-Identifier: Apache-2.0
// What all workers share of the result cache, as a port: results, and who is about to make one.
// Control thread; answers as completion.hpp says.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/result_cache.hpp"

namespace ba {

/// Names one process that makes results; random.
using CacheOwner = std::int64_t;

struct StoredResult {
  std::string data;
  std::string note;
  CacheOrigin origin;
  Milliseconds age{0};        ///< since it was stored
  Milliseconds time_left{0};  ///< until it expires
};

/// What is stored of a call.
struct ResultToStore {
  std::string data;
  std::string note;
};

struct FlightTaken {};      ///< the asker is to make the result, and holds a lease on that
struct FlightElsewhere {};  ///< another process is making it

using StoreAnswer = std::variant<StoredResult, FlightTaken, FlightElsewhere>;

/// How much the store holds at most.
struct CacheBounds {
  std::int64_t entries_max = 100'000;
  std::int64_t bytes_max = 1LL << 30;
  int batch_rows_max = 1000;  ///< expired ones of one call

  friend bool operator==(const CacheBounds&, const CacheBounds&) = default;
};

struct CacheCleaning {
  std::int64_t expired = 0;
  std::int64_t unused = 0;  ///< removed though they held, down to 80 % of what is allowed
  bool more = false;        ///< there may be more that has expired
};

class CacheStore {
 public:
  virtual ~CacheStore() = default;

  /// The result, if it is no older than the question's time to live; or who makes it: the asker,
  /// where nobody else does. Repeating it is safe.
  virtual void ask(CacheQuestion question, CacheOwner owner, Milliseconds lease,
                   Completion<StoreAnswer> done) = 0;

  /// Stores a result and ends the owner's flight. The newest one counts.
  virtual void keep(CacheQuestion question, CacheOwner owner, ResultToStore result,
                    Completion<void> done) = 0;

  /// Ends the owner's flights; nothing for those of others.
  virtual void give_up(std::vector<std::string> keys, CacheOwner owner, Completion<void> done) = 0;

  /// Prolongs the leases of the owner's flights.
  virtual void renew(std::vector<std::string> keys, CacheOwner owner, Milliseconds lease,
                     Completion<void> done) = 0;

  /// Counts hits that were answered without asking.
  virtual void count_hits(std::vector<std::pair<std::string, std::int64_t>> hits,
                          Completion<void> done) = 0;

  /// Removes what has expired, then, above the bounds, the least recently used. Nothing where
  /// another process is at it.
  virtual void clean(CacheBounds bounds, Completion<CacheCleaning> done) = 0;
};

}  // namespace ba
