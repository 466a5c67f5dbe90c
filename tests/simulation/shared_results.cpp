// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/shared_results.hpp"

#include <utility>

namespace ba::sim {

CacheStore* SharedResults::store() {
  if (std::exchange(age_, database_.age()) != database_.age()) store_.flights.clear();
  if (std::exchange(set_backs_, database_.set_backs()) != database_.set_backs())
    store_.results.clear();
  return database_.down() ? nullptr : &store_;
}

template <typename T>
void ResultsConnection::call(std::function<void(CacheStore&, Completion<T>)> work,
                             Completion<T> done) {
  call_store<CacheStore, T>(
      link_, [&results = results_] { return results.store(); }, std::move(work), std::move(done));
}

void ResultsConnection::ask(CacheQuestion question, CacheOwner owner, Milliseconds lease,
                            Completion<StoreAnswer> done) {
  const auto told = [&world = link_.world, mutant = mutant_,
                     done = std::move(done)](Result<StoreAnswer> answer) {
    if (answer && std::holds_alternative<FlightElsewhere>(*answer)) {
      world.mark(Mark::FlightElsewhere);
      if (mutant == Mutant::FlightsNotHeld) answer = StoreAnswer(FlightTaken{});
    }
    done(std::move(answer));
  };
  call<StoreAnswer>(
      [question = std::move(question), owner, lease](CacheStore& store,
                                                     Completion<StoreAnswer> answer) {
        store.ask(question, owner, lease, std::move(answer));
      },
      told);
}

void ResultsConnection::keep(CacheQuestion question, CacheOwner owner, ResultToStore result,
                             Completion<void> done) {
  call<void>(
      [question = std::move(question), owner, result = std::move(result)](CacheStore& store,
                                                                          Completion<void> answer) {
        store.keep(question, owner, result, std::move(answer));
      },
      std::move(done));
}

void ResultsConnection::give_up(std::vector<std::string> keys, CacheOwner owner,
                                Completion<void> done) {
  call<void>(
      [keys = std::move(keys), owner](CacheStore& store, Completion<void> answer) {
        store.give_up(keys, owner, std::move(answer));
      },
      std::move(done));
}

void ResultsConnection::renew(std::vector<std::string> keys, CacheOwner owner, Milliseconds lease,
                              Completion<void> done) {
  call<void>(
      [keys = std::move(keys), owner, lease](CacheStore& store, Completion<void> answer) {
        store.renew(keys, owner, lease, std::move(answer));
      },
      std::move(done));
}

void ResultsConnection::count_hits(std::vector<std::pair<std::string, std::int64_t>> hits,
                                   Completion<void> done) {
  call<void>(
      [hits = std::move(hits)](CacheStore& store, Completion<void> answer) {
        store.count_hits(hits, std::move(answer));
      },
      std::move(done));
}

void ResultsConnection::clean(CacheBounds bounds, Completion<CacheCleaning> done) {
  call<CacheCleaning>(
      [bounds](CacheStore& store, Completion<CacheCleaning> answer) {
        store.clean(bounds, std::move(answer));
      },
      std::move(done));
}

}  // namespace ba::sim
