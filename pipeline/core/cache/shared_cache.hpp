#pragma once
// SPDX-License-Identifier: Apache-2.0
// The result cache of a process: what it knows itself, then what all workers share; and of calls
// that mean the same at the same time, one that runs. Owned by the process; every claim goes
// before it. Control thread only.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/base/lifetime.hpp"
#include "pipeline/base/setting_problem.hpp"
#include "pipeline/core/cache/cache_store.hpp"
#include "pipeline/core/cache/flight.hpp"
#include "pipeline/core/cache/local_results.hpp"
#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/port/log.hpp"
#include "pipeline/core/port/random.hpp"
#include "pipeline/core/tool/result_cache.hpp"

namespace ba {

/// Section `tools.cache` of the configuration.
struct SharedCacheConfig {
  bool enabled = true;
  LocalResults::Limits local;
  std::int64_t result_bytes_max = 4 << 20;  ///< a larger result isn't kept
  Milliseconds confirm_after{5000};  ///< a local result older than this is looked up in the store
  Milliseconds lease{10'000};        ///< of a run, after which others take over from a dead worker
  CacheBounds store;
  Milliseconds clean_interval{60'000};

  friend bool operator==(const SharedCacheConfig&, const SharedCacheConfig&) = default;
};

/// Grows only. Each call counts as one of the first seven, unless it goes before its answer.
struct CacheCounters {
  std::int64_t local_hits = 0;
  std::int64_t stored_hits = 0;  ///< from the store
  std::int64_t flight_hits = 0;  ///< from a run that was under way in this process
  std::int64_t misses = 0;       ///< nobody had it or was about to
  std::int64_t takeovers = 0;    ///< misses after waiting for a run that brought nothing
  std::int64_t impatient = 0;    ///< misses after waiting for a run as long as the call may
  std::int64_t unreachable = 0;  ///< misses because the store could not be asked
  std::int64_t waits = 0;        ///< calls that found another that means the same under way
  std::int64_t expired = 0;      ///< results removed from the store
  std::int64_t unused = 0;       ///< removed for room, though they held
};

struct SharedCachePorts {
  CacheStore& store;
  Executor& executor;
  const Clock& clock;
  Random& random;
  Log& log;
};

class SharedCache final : public ResultCache {
 public:
  SharedCache(SharedCacheConfig config, SharedCachePorts ports);
  ~SharedCache() override;

  std::unique_ptr<CacheClaim> claim(CacheQuestion question,
                                    std::function<void(CacheAnswer)> done) override;

  const CacheCounters& counters() const { return counters_; }

  /// Whether something that was to be stored isn't yet.
  bool writing() const { return writes_ > 0; }

 private:
  class Claim;
  using Waiter = Flight::Place;
  using Flights = std::map<std::string, Flight, std::less<>>;

  void answer_later(Waiter waiter, CacheHit hit);
  void wait(Waiter waiter);
  void out_of_patience(const std::string& key, const CacheWaiter* waiter);

  void ask_store(const std::string& key);
  void store_answered(const std::string& key, Result<StoreAnswer> result);
  void found(const std::string& key, StoredResult result);
  void take_off(const std::string& key);
  void look_again(const std::string& key);
  void without_store(const std::string& key, const Error& error);

  void keep(const Waiter& waiter, ResultToStore result);
  void failed(const Waiter& waiter);
  void leave(const Waiter& waiter);
  void give_up(const std::string& key);

  void clean_later(Milliseconds delay);
  void clean();
  void count_removed(const CacheCleaning& cleaning);

  void renew_later();
  void renew();
  void count_local_hit(const std::string& key);
  void flush_hits();
  Completion<void> reported(const char* what);

  const SharedCacheConfig config_;
  const SharedCachePorts ports_;
  const CacheOwner owner_;
  LocalResults local_;
  Flights flights_;
  CacheCounters counters_;
  int writes_ = 0;  ///< under way
  std::map<std::string, std::int64_t> uncounted_hits_;
  std::unique_ptr<Timer> renewal_;  ///< while something of ours is under way
  std::unique_ptr<Timer> counting_;
  std::unique_ptr<Timer> cleaning_;
  Lifetime lifetime_;
};

}  // namespace ba
