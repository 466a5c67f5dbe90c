#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the stores beside the ledger have in common in the simulated PostgreSQL: their clock, and
// the way to them, on which requests and answers get lost and come late.

#include <functional>
#include <utility>

#include "tests/simulation/faults.hpp"
#include "tests/simulation/network.hpp"

namespace ba::sim {

class WorldClock final : public Clock {
 public:
  explicit WorldClock(const World& world) : world_(world) {}
  SteadyTime now() const override { return world_.now(); }
  WallTime wall() const override {
    return WallTime(std::chrono::duration_cast<Microseconds>(now().time_since_epoch()));
  }

 private:
  const World& world_;
};

/// Runs what a server's double posts at once.
class AtOnce final : public Executor {
 public:
  void post(std::function<void()> task) override { task(); }
  std::unique_ptr<Timer> after(Milliseconds, std::function<void()> task) override {
    task();
    return nullptr;
  }
};

/// A process's way to a store.
struct StoreLink {
  World& world;
  Process& process;
  const LinkFaults& faults;
};

/// Of a transaction: refused or, where `maybe_done`, unheard. All but a fence may be tried again.
Error ledger_error(ErrorCode code, std::string message, bool maybe_done = false);

/// Does `work` with the store that `find` answers when the request arrives; null: it is down.
template <typename Store, typename T>
void call_store(const StoreLink& link, std::function<Store*()> find,
                std::function<void(Store&, Completion<T>)> work, Completion<T> done) {
  if (!link.process.acts("ask a store")) return;
  send<Result<T>>(
      link.world, link.process, link.faults,
      [find = std::move(find), work = std::move(work)](const Reply<Result<T>>& reply) {
        Store* store = find();
        if (store == nullptr)
          return reply->answer(ledger_error(ErrorCode::Unavailable, "PostgreSQL is down"));
        work(*store, [reply](Result<T> answer) { reply->answer(std::move(answer)); });
      },
      [done = std::move(done)](std::optional<Result<T>> answer) {
        done(answer ? std::move(*answer)
                    : Result<T>(ledger_error(ErrorCode::Timeout, "no answer came")));
      });
}

}  // namespace ba::sim
