#pragma once
// SPDX-License-Identifier: Apache-2.0
// What workers share of the result cache, in memory and under virtual time: it passes the same
// contract suite as PostgreSQL's. It can be out of reach. One thread.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/core/cache/cache_store.hpp"
#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"

namespace ba {

class FakeCacheStore final : public CacheStore {
 public:
  struct Kept {
    CacheQuestion question;
    ResultToStore result;
    SteadyTime made{};
    SteadyTime expires{};
    SteadyTime used{};
    std::int64_t hits = 0;
  };
  struct Lease {
    CacheOwner owner = 0;
    SteadyTime until{};
  };

  FakeCacheStore(Executor& executor, const Clock& clock) : executor_(executor), clock_(clock) {}

  bool reachable = true;
  Milliseconds delay{1};  ///< of every answer
  int asked = 0;
  std::map<std::string, Kept> results;
  std::map<std::string, Lease> flights;

  void ask(CacheQuestion question, CacheOwner owner, Milliseconds lease,
           Completion<StoreAnswer> done) override {
    ++asked;
    later<StoreAnswer>(std::move(done), [this, question = std::move(question), owner, lease] {
      return find_or_take_off(question, owner, lease);
    });
  }

  void keep(CacheQuestion question, CacheOwner owner, ResultToStore result,
            Completion<void> done) override {
    later<void>(std::move(done),
                [this, question = std::move(question), owner,
                 result = std::move(result)]() -> Result<void> {
                  Kept& kept = results[question.key];
                  const SteadyTime now = clock_.now();
                  kept = {question, result, now, now + question.time_to_live, now, kept.hits};
                  land(question.key, owner);
                  return {};
                });
  }

  void give_up(std::vector<std::string> keys, CacheOwner owner, Completion<void> done) override {
    later<void>(std::move(done), [this, keys = std::move(keys), owner]() -> Result<void> {
      for (const std::string& key : keys) land(key, owner);
      return {};
    });
  }

  void renew(std::vector<std::string> keys, CacheOwner owner, Milliseconds lease,
             Completion<void> done) override {
    later<void>(std::move(done), [this, keys = std::move(keys), owner, lease]() -> Result<void> {
      for (const std::string& key : keys)
        if (const auto flight = flights.find(key);
            flight != flights.end() && flight->second.owner == owner)
          flight->second.until = clock_.now() + lease;
      return {};
    });
  }

  void count_hits(std::vector<std::pair<std::string, std::int64_t>> hits,
                  Completion<void> done) override {
    later<void>(std::move(done), [this, hits = std::move(hits)]() -> Result<void> {
      for (const auto& [key, count] : hits)
        if (const auto kept = results.find(key); kept != results.end()) {
          kept->second.hits += count;
          kept->second.used = clock_.now();
        }
      return {};
    });
  }

  void clean(CacheBounds bounds, Completion<CacheCleaning> done) override {
    later<CacheCleaning>(std::move(done),
                         [this, bounds]() -> Result<CacheCleaning> { return clean_up(bounds); });
  }

 private:
  template <typename T, typename Work>
  void later(Completion<T> done, Work work) {
    const int number = ++calls_;
    timers_[number] =
        executor_.after(delay, [this, number, done = std::move(done), work = std::move(work)] {
          Error error;
          error.code = ErrorCode::Unavailable;
          error.message = "the store is away";
          const auto timer = timers_.extract(number);
          if (reachable)
            done(work());
          else
            done(error);
        });
  }

  Result<StoreAnswer> find_or_take_off(const CacheQuestion& question, CacheOwner owner,
                                       Milliseconds lease) {
    const SteadyTime now = clock_.now();
    const auto kept = results.find(question.key);
    if (kept != results.end() && kept->second.expires > now &&
        kept->second.made + question.time_to_live > now) {
      ++kept->second.hits;
      kept->second.used = now;
      return StoreAnswer(StoredResult{
          kept->second.result.data, kept->second.result.note, kept->second.question.origin,
          std::chrono::duration_cast<Milliseconds>(now - kept->second.made),
          std::chrono::duration_cast<Milliseconds>(kept->second.expires - now)});
    }
    const auto flight = flights.find(question.key);
    const bool taken =
        flight != flights.end() && flight->second.until > now && flight->second.owner != owner;
    if (taken) return StoreAnswer(FlightElsewhere{});
    flights[question.key] = {owner, now + lease};
    return StoreAnswer(FlightTaken{});
  }

  void land(const std::string& key, CacheOwner owner) {
    const auto flight = flights.find(key);
    if (flight != flights.end() && flight->second.owner == owner) flights.erase(flight);
  }

  CacheCleaning clean_up(const CacheBounds& bounds) {
    CacheCleaning cleaning;
    for (auto kept = results.begin(); kept != results.end();) {
      const bool old = kept->second.expires <= clock_.now();
      if (old && cleaning.expired == bounds.batch_rows_max) break;
      cleaning.expired += old ? 1 : 0;
      kept = old ? results.erase(kept) : std::next(kept);
    }
    cleaning.more = cleaning.expired >= bounds.batch_rows_max;
    cleaning.unused = remove_unused(bounds);
    return cleaning;
  }

  std::int64_t remove_unused(const CacheBounds& bounds) {
    std::int64_t bytes = 0;
    std::vector<std::pair<SteadyTime, std::string>> newest;
    for (const auto& [key, kept] : results) {
      bytes += static_cast<std::int64_t>(kept.result.data.size());
      newest.emplace_back(kept.used, key);
    }
    const auto count = static_cast<std::int64_t>(results.size());
    if (count <= bounds.entries_max && bytes <= bounds.bytes_max) return 0;
    std::ranges::sort(newest, std::greater<>());
    std::int64_t removed = 0;
    std::int64_t place = 0;
    std::int64_t sum = 0;
    for (const auto& [used, key] : newest) {
      sum += static_cast<std::int64_t>(results.at(key).result.data.size());
      if (++place <= bounds.entries_max * 8 / 10 && sum <= bounds.bytes_max / 10 * 8) continue;
      results.erase(key);
      ++removed;
    }
    return removed;
  }

  Executor& executor_;
  const Clock& clock_;
  std::map<int, std::unique_ptr<Timer>> timers_;  ///< by the number of the call
  int calls_ = 0;
};

}  // namespace ba
