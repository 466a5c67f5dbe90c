#pragma once
// SPDX-License-Identifier: Apache-2.0
// The way from a process to a server and back. A request may get lost, arrive after its sender gave
// up, or take effect without its answer coming back. Whoever asked hears exactly once: the answer,
// or nothing after the time-out.

#include <memory>
#include <optional>
#include <utility>

#include "tests/simulation/process.hpp"

namespace ba::sim {

struct LinkFaults {
  int lost_permille = 0;
  int answer_lost_permille = 0;
  int late_permille = 0;
  Microseconds delay_max{2'000};  ///< of each way
  Microseconds timeout{400'000};
  Microseconds late_max{2'000'000};  ///< after the time-out
};

/// One question under way. Dropped without an answer, it tells the sender at the time-out.
template <typename R>
class Pending {
 public:
  using Done = std::function<void(std::optional<R>)>;

  Pending(World& world, Process& from, const LinkFaults& faults, Done done)
      : world_(world),
        from_(from),
        delay_max_(faults.delay_max),
        give_up_at_(world.now() + faults.timeout),
        done_(std::move(done)) {}
  ~Pending() {
    if (done_) give_up();
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  /// The server's answer; without effect when the sender has given up.
  void answer(R value) {
    if (!done_ || silent_) return;
    world_.at(world_.up_to(delay_max_.count()), &from_,
              [done = std::exchange(done_, nullptr), value = std::move(value)]() mutable {
                done(std::move(value));
              });
  }

  /// The answer will be lost on its way.
  void lose_answer() { silent_ = true; }

  /// The server will take this long: too long, perhaps.
  void expect(Microseconds duration) {
    if (world_.now() + duration > give_up_at_) give_up();
  }

  void give_up() {
    if (world_.closed() || !done_) return;
    const auto left = std::chrono::duration_cast<Microseconds>(give_up_at_ - world_.now());
    world_.at(std::max(left, Microseconds(0)), &from_,
              [done = std::exchange(done_, nullptr)] { done(std::nullopt); });
  }

 private:
  World& world_;
  Process& from_;
  Microseconds delay_max_;
  SteadyTime give_up_at_;
  Done done_;
  bool silent_ = false;
};

template <typename R>
using Reply = std::shared_ptr<Pending<R>>;

/// How a request fared, for marks.
enum class Fate { Delivered, Lost, AnswerLost, Late };

/// Sends `at_server`, which answers through the reply it is given, at once or later.
template <typename R>
Fate send(World& world, Process& from, const LinkFaults& faults,
          std::function<void(Reply<R>)> at_server, typename Pending<R>::Done done) {
  if (from.dead()) return Fate::Lost;
  auto reply = std::make_shared<Pending<R>>(world, from, faults, std::move(done));
  if (world.dice.hit(faults.lost_permille)) return Fate::Lost;
  Microseconds delay = world.up_to(faults.delay_max.count());
  Fate fate = Fate::Delivered;
  if (world.dice.hit(faults.answer_lost_permille)) {
    fate = Fate::AnswerLost;
    reply->lose_answer();
  } else if (world.dice.hit(faults.late_permille)) {
    fate = Fate::Late;
    reply->give_up();
    delay = faults.timeout + world.up_to(faults.late_max.count());
  }
  world.under_way(delay);
  world.at(delay,
           [at_server = std::move(at_server), reply = std::move(reply)] { at_server(reply); });
  return fate;
}

}  // namespace ba::sim
