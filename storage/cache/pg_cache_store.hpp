#pragma once
// SPDX-License-Identifier: Apache-2.0
// CacheStore over PostgreSQL. What it writes may be lost with a crash of the server: that costs
// a run. Owned by the storage; control thread only.

#include "pipeline/core/cache/cache_store.hpp"
#include "pipeline/core/port/executor.hpp"
#include "storage/postgres/session_pool.hpp"

namespace ba::storage {

class PgCacheStore final : public CacheStore {
 public:
  PgCacheStore(SessionPool& sessions, Executor& executor)
      : sessions_(sessions), executor_(executor) {}

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
  SessionPool& sessions_;
  Executor& executor_;
};

}  // namespace ba::storage
