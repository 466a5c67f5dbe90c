// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/process.hpp"

#include <utility>

namespace ba::sim {
namespace {

class WorldTimer final : public Timer {
 public:
  WorldTimer(World& world, World::Ticket ticket) : world_(world), ticket_(ticket) {}
  ~WorldTimer() override { world_.cancel(ticket_); }

 private:
  World& world_;
  World::Ticket ticket_;
};

}  // namespace

Process::Process(World& world, ProcessTraits traits, std::function<void()> died)
    : world_(world), traits_(traits), died_(std::move(died)), started_(world.now()) {}

void Process::post(std::function<void()> task) {
  world_.at(Microseconds(0), this, std::move(task));
}

std::unique_ptr<Timer> Process::after(Milliseconds delay, std::function<void()> task) {
  const std::int64_t us = std::chrono::duration_cast<Microseconds>(delay).count();
  const Microseconds world_delay(us * 1000 / (1000 + traits_.drift_permille));
  return std::make_unique<WorldTimer>(world_, world_.at(world_delay, this, std::move(task)));
}

SteadyTime Process::now() const {
  const auto lived = world_.now() - started_;
  return started_ + lived + lived * traits_.drift_permille / 1000;
}

WallTime Process::wall() const {
  return WallTime(std::chrono::duration_cast<Microseconds>(now().time_since_epoch()) +
                  traits_.wall_ahead);
}

bool Process::acts(std::string_view what) {
  if (dead_ || world_.closed()) return false;
  world_.note(what, traits_.number, incarnation.value);
  if (++actions_ != traits_.dies_at_action) return true;
  kill(true);
  return false;
}

void Process::kill(bool mid_task) {
  if (dead_) return;
  dead_ = true;
  world_.mark(mid_task ? Mark::WorkerKilledMidTask : Mark::WorkerKilled);
  world_.note("killed", traits_.number, incarnation.value);
  if (world_.current() != this) end_of_task();
}

void Process::end_of_task() {
  if (dead_ && !std::exchange(gone_, true)) died_();
}

void Process::pause() {
  if (dead_ || paused_) return;
  paused_ = true;
  ++pauses_;
  world_.mark(Mark::WorkerPaused);
  world_.note("paused", traits_.number, incarnation.value);
}

void Process::resume() {
  if (dead_ || !paused_) return;
  paused_ = false;
  world_.note("resumed", traits_.number, incarnation.value);
  world_.again(std::exchange(waiting_, {}));
}

bool Process::keep_for_later(World::Ticket ticket) {
  if (!paused_ || dead_) return false;
  waiting_.push_back(ticket);
  return true;
}

}  // namespace ba::sim
