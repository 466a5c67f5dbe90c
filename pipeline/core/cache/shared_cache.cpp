// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/cache/shared_cache.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/assert.hpp"

namespace ba {
namespace {

constexpr Milliseconds kFirstLook{20};  // at a result that another process makes
constexpr Milliseconds kLastLook{500};
constexpr Milliseconds kCountHitsAfter{1000};

bool young_enough(const CacheQuestion& question, const CacheHit& hit, SteadyTime now) {
  return hit.made_at <= now && now - hit.made_at < question.time_to_live;
}

/// Never 0, never negative: databases have no unsigned numbers.
CacheOwner new_owner(Random& random) { return static_cast<CacheOwner>(random.next() >> 1 | 1); }

}  // namespace

/// What a call holds. Outlived by the cache.
class SharedCache::Claim final : public CacheClaim {
 public:
  Claim(SharedCache& cache, Waiter waiter) : cache_(cache), waiter_(std::move(waiter)) {}
  ~Claim() override {
    waiter_->done = nullptr;
    waiter_->patience.reset();
    cache_.leave(waiter_);
  }

  using CacheClaim::keep;
  void keep(std::string data, std::string note) override {
    cache_.keep(waiter_, {std::move(data), std::move(note)});
  }
  void failed() override { cache_.failed(waiter_); }

 private:
  SharedCache& cache_;
  const Waiter waiter_;
};

SharedCache::SharedCache(SharedCacheConfig config, SharedCachePorts ports)
    : config_(config), ports_(ports), owner_(new_owner(ports.random)), local_(config.local) {
  clean_later(config_.clean_interval);
}

SharedCache::~SharedCache() { BA_ASSERT(flights_.empty()); }

std::unique_ptr<CacheClaim> SharedCache::claim(CacheQuestion question,
                                               std::function<void(CacheAnswer)> done) {
  auto waiter = std::make_shared<CacheWaiter>();
  waiter->question = std::move(question);
  waiter->done = std::move(done);
  const SteadyTime now = ports_.clock.now();
  const CacheHit* known = local_.find(waiter->question.key, now);
  if (known && young_enough(waiter->question, *known, now))
    answer_later(waiter, *known);
  else
    wait(waiter);
  return std::make_unique<Claim>(*this, std::move(waiter));
}

void SharedCache::answer_later(Waiter waiter, CacheHit hit) {
  ++counters_.local_hits;
  count_local_hit(waiter->question.key);
  ports_.executor.post([waiter = std::move(waiter), hit = std::move(hit)]() mutable {
    answer(waiter, std::move(hit));
  });
}

// ---- waiting -----------------------------------------------------------------------------------

void SharedCache::wait(Waiter waiter) {
  const CacheQuestion& question = waiter->question;
  const std::string key = question.key;
  waiter->patience = ports_.executor.after(
      question.wait_max, [this, key, raw = waiter.get()] { out_of_patience(key, raw); });
  if (const auto flight = flights_.find(key); flight != flights_.end()) {
    ++counters_.waits;
    return flight->second.join(std::move(waiter));
  }
  flights_.emplace(key, Flight(std::move(waiter)));
  ask_store(key);
}

/// It runs by itself then, beside whoever else does.
void SharedCache::out_of_patience(const std::string& key, const CacheWaiter* waiter) {
  Flight& flight = flights_.at(key);
  const Waiter place = flight.leave(waiter);
  if (flight.empty()) give_up(std::string(key));
  ++counters_.impatient;
  answer(place, CacheMiss{});
}

// ---- the store ---------------------------------------------------------------------------------

void SharedCache::ask_store(const std::string& key) {
  Flight& flight = flights_.at(key);
  flight.state = Flight::State::Asking;
  ports_.store.ask(flight.first()->question, owner_, config_.lease,
                   lifetime_.guarded([this, key](Result<StoreAnswer> result) {
                     store_answered(key, std::move(result));
                   }));
}

void SharedCache::store_answered(const std::string& key, Result<StoreAnswer> result) {
  const auto flight = flights_.find(key);
  const bool asked = flight != flights_.end() && flight->second.state == Flight::State::Asking;
  if (!asked) {
    // Everybody has gone meanwhile. A flight that began anew asks, and is told, by itself.
    const bool taken = result && std::holds_alternative<FlightTaken>(*result);
    if (taken && flight == flights_.end()) ports_.store.give_up({key}, owner_, reported("give up"));
    return;
  }
  if (!result) return without_store(key, result.error());
  if (auto* stored = std::get_if<StoredResult>(&*result)) return found(key, std::move(*stored));
  if (std::holds_alternative<FlightTaken>(*result)) return take_off(key);
  look_again(key);
}

/// Who wants a younger one asks again.
void SharedCache::found(const std::string& key, StoredResult result) {
  const SteadyTime now = ports_.clock.now();
  CacheHit hit{std::move(result.data), result.origin, now - result.age, std::move(result.note)};
  local_.put(key, hit, now + std::min(result.time_left, config_.confirm_after), now);
  auto waiters = flights_.at(key).take_all();
  std::erase_if(waiters, [&](const Waiter& waiter) {
    if (young_enough(waiter->question, hit, now)) return false;
    flights_.at(key).join(waiter);
    return true;
  });
  if (flights_.at(key).empty())
    flights_.erase(key);
  else
    ask_store(key);
  counters_.stored_hits += static_cast<std::int64_t>(waiters.size());
  for (const Waiter& waiter : waiters) answer(waiter, hit);
}

void SharedCache::take_off(const std::string& key) {
  Flight& flight = flights_.at(key);
  flight.state = Flight::State::Leading;
  ++(flight.waited() ? counters_.takeovers : counters_.misses);
  renew_later();
  answer(Waiter(flight.first()), CacheMiss{});
}

void SharedCache::look_again(const std::string& key) {
  Flight& flight = flights_.at(key);
  flight.state = Flight::State::Elsewhere;
  if (!flight.waited()) ++counters_.waits;  // the first; whoever joined it counted by itself
  flight.pause = std::clamp(flight.pause * 2, kFirstLook, kLastLook);
  flight.next_look = ports_.executor.after(flight.pause, [this, key] { ask_store(key); });
}

/// Everyone runs by itself: the cache is never in the way.
void SharedCache::without_store(const std::string& key, const Error& error) {
  ports_.log.debug("the result cache can't be asked", {{"error", error.message}});
  const auto waiters = flights_.at(key).take_all();
  flights_.erase(key);
  counters_.unreachable += static_cast<std::int64_t>(waiters.size());
  for (const Waiter& waiter : waiters) answer(waiter, CacheMiss{});
}

// ---- what became of a run ----------------------------------------------------------------------

void SharedCache::keep(const Waiter& waiter, ResultToStore result) {
  const CacheQuestion question = waiter->question;
  const auto flight = flights_.find(question.key);
  const bool led = flight != flights_.end() && flight->second.leads(waiter.get());
  const SteadyTime now = ports_.clock.now();
  const CacheHit hit{std::move(result.data), question.origin, now, std::move(result.note)};
  if (static_cast<std::int64_t>(hit.data.size()) <= config_.result_bytes_max) {
    local_.put(question.key, hit, now + std::min(question.time_to_live, config_.confirm_after),
               now);
    ports_.store.keep(question, owner_, {hit.data, hit.note}, reported("keep a result"));
  } else if (led) {
    ports_.store.give_up({question.key}, owner_, reported("give up"));
  }
  if (!led) return;
  flight->second.leave(waiter.get());
  const auto others = flight->second.take_all();
  flights_.erase(flight);
  counters_.flight_hits += static_cast<std::int64_t>(others.size());
  for (const Waiter& other : others) answer(other, hit);
}

void SharedCache::failed(const Waiter& waiter) {
  const std::string key = waiter->question.key;
  const auto flight = flights_.find(key);
  if (flight == flights_.end() || !flight->second.leads(waiter.get())) return;
  flight->second.leave(waiter.get());
  const auto others = flight->second.take_all();
  give_up(key);
  counters_.takeovers += static_cast<std::int64_t>(others.size());
  for (const Waiter& other : others) answer(other, CacheMiss{});
}

void SharedCache::leave(const Waiter& waiter) {
  const std::string key = waiter->question.key;
  const auto found = flights_.find(key);
  if (found == flights_.end()) return;
  Flight& flight = found->second;
  const bool led = flight.leads(waiter.get());
  flight.leave(waiter.get());
  if (flight.empty()) return give_up(key);
  if (!led) return;
  ++counters_.takeovers;
  ports_.executor.post([next = Waiter(flight.first())] { answer(next, CacheMiss{}); });
}

/// Nobody of us wants it any more, or nobody brings it.
void SharedCache::give_up(const std::string& key) {
  const auto flight = flights_.find(key);
  const bool ours = flight->second.state == Flight::State::Leading;
  flights_.erase(flight);
  if (ours) ports_.store.give_up({key}, owner_, reported("give up"));
}

// ---- what is too old or too much ---------------------------------------------------------------

void SharedCache::clean_later(Milliseconds delay) {
  cleaning_ = ports_.executor.after(delay, [this] { clean(); });
}

void SharedCache::clean() {
  ports_.store.clean(config_.store, lifetime_.guarded([this](const Result<CacheCleaning>& cleaned) {
    if (!cleaned)
      ports_.log.debug("the result cache can't be cleaned", {{"error", cleaned.error().message}});
    else
      count_removed(*cleaned);
    clean_later(cleaned && cleaned->more ? Milliseconds(0) : config_.clean_interval);
  }));
}

void SharedCache::count_removed(const CacheCleaning& cleaning) {
  counters_.expired += cleaning.expired;
  counters_.unused += cleaning.unused;
}

// ---- leases and counts -------------------------------------------------------------------------

void SharedCache::renew_later() {
  if (!renewal_) renewal_ = ports_.executor.after(config_.lease / 3, [this] { renew(); });
}

void SharedCache::renew() {
  renewal_.reset();
  std::vector<std::string> keys;
  for (const auto& [key, flight] : flights_)
    if (flight.state == Flight::State::Leading) keys.push_back(key);
  if (keys.empty()) return;
  ports_.store.renew(std::move(keys), owner_, config_.lease, reported("renew"));
  renew_later();
}

void SharedCache::count_local_hit(const std::string& key) {
  ++uncounted_hits_[key];
  if (!counting_) counting_ = ports_.executor.after(kCountHitsAfter, [this] { flush_hits(); });
}

void SharedCache::flush_hits() {
  counting_.reset();
  std::vector<std::pair<std::string, std::int64_t>> hits(uncounted_hits_.begin(),
                                                         uncounted_hits_.end());
  uncounted_hits_.clear();
  if (!hits.empty()) ports_.store.count_hits(std::move(hits), reported("count hits"));
}

/// What becomes of a write that nobody waits for.
Completion<void> SharedCache::reported(const char* what) {
  ++writes_;
  return [this, watch = lifetime_.watch(), &log = ports_.log, what](const Result<void>& result) {
    if (!watch.over()) --writes_;
    if (!result)
      log.debug("the result cache can't be written",
                {{"what", what}, {"error", result.error().message}});
  };
}

}  // namespace ba
