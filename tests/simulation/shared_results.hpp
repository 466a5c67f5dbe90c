#pragma once
// SPDX-License-Identifier: Apache-2.0
// The result cache that all simulated workers share, in the simulated PostgreSQL: the store in
// memory that passes the contract suite, behind a network that loses and delays. Who makes a result
// is forgotten in a crash, results are in a database that is set back.

#include "tests/simulation/store_call.hpp"
#include "tests/support/fake_cache_store.hpp"

namespace ba::sim {

class SharedResults {
 public:
  SharedResults(World& world, const Database& database)
      : clock_(world), database_(database), store_(at_once_, clock_) {}

  /// As the database is when a request arrives; null while it is down.
  CacheStore* store();

 private:
  WorldClock clock_;
  AtOnce at_once_;
  const Database& database_;
  FakeCacheStore store_;
  int age_ = 0;        ///< of the database, when it was last looked at
  int set_backs_ = 0;  ///< likewise
};

/// A process's connection to it.
class ResultsConnection final : public CacheStore {
 public:
  ResultsConnection(StoreLink link, SharedResults& results, Mutant mutant)
      : link_(link), results_(results), mutant_(mutant) {}

  void ask(CacheQuestion question, CacheOwner owner, Milliseconds lease,
           Completion<StoreAnswer> done) override;
  void keep(CacheQuestion question, CacheOwner owner, ResultToStore result,
            Completion<void> done) override;
  void give_up(std::vector<std::string> keys, CacheOwner owner, Completion<void> done) override;
  void renew(std::vector<std::string> keys, CacheOwner owner, Milliseconds lease,
             Completion<void> done) override;
  void count_hits(std::vector<std::pair<std::string, std::int64_t>> hits,
                  Completion<void> done) override;
  void clean(CacheBounds bounds, Completion<CacheCleaning> done) override;

 private:
  template <typename T>
  void call(std::function<void(CacheStore&, Completion<T>)> work, Completion<T> done);

  const StoreLink link_;
  SharedResults& results_;
  const Mutant mutant_;
};

}  // namespace ba::sim
