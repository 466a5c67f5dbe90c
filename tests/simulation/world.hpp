#pragma once
// SPDX-License-Identifier: Apache-2.0
// The simulated world: virtual time, the tasks that are due in it, the dice, and the trace of what
// happened. A task belongs to a process or to nobody (servers, the network, the nemesis); those of
// a paused process wait, those of a dead one are dropped. One thread. Owned by the history, which
// it outlives nothing of.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/time.hpp"
#include "tests/simulation/dice.hpp"
#include "tests/simulation/marks.hpp"

namespace ba::sim {

class Process;

class World {
 public:
  using Task = std::function<void()>;

  /// Names a task that may still be taken back.
  struct Ticket {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
  };

  World(std::uint64_t seed, bool print);

  SteadyTime now() const { return now_; }
  Ticket at(Microseconds delay, Process* process, Task task);
  Ticket at(Microseconds delay, Task task) { return at(delay, nullptr, std::move(task)); }
  void cancel(Ticket ticket);

  /// A request or an answer is on its way, or a server is busy, for that long.
  void under_way(Microseconds delay) { quiet_from_ = std::max(quiet_from_, now_ + delay); }
  /// By then whatever was sent so far, late or not, has arrived and had its effect.
  SteadyTime quiet_from() const { return quiet_from_; }

  /// Puts back what a paused process did not run.
  void again(const std::vector<Ticket>& waiting);

  /// Runs the next task; false when there is none.
  bool run_one();

  /// The process whose task is running; null outside of one.
  Process* current() const { return current_; }

  /// Drops every task; nothing is scheduled from now on. Comes before the processes go.
  void close();
  bool closed() const { return closed_; }

  Dice dice;
  Microseconds up_to(std::int64_t most_us) { return Microseconds(dice.below(most_us + 1)); }

  void mark(Mark mark) { ++marks_[static_cast<std::size_t>(mark)]; }
  const MarkCounts& marks() const { return marks_; }

  /// Something visible happened: goes into the trace's hash, and to the console when asked for.
  void note(std::string_view what, std::int64_t a = 0, std::int64_t b = 0,
            std::string_view text = {});
  bool prints() const { return print_; }
  std::uint64_t trace_hash() const { return hash_; }
  std::int64_t tasks_run() const { return tasks_run_; }

 private:
  struct Slot {
    Task task;
    Process* process = nullptr;
    std::uint32_t generation = 0;
  };
  struct Due {
    std::int64_t at = 0;
    std::uint64_t number = 0;
    Ticket ticket;
    bool operator>(const Due& other) const {
      return at != other.at ? at > other.at : number > other.number;
    }
  };

  void push(SteadyTime when, Ticket ticket);
  void run(Ticket ticket);

  SteadyTime now_{std::chrono::hours(1)};
  SteadyTime quiet_from_ = now_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<Due> due_;  ///< a heap, the earliest first
  std::uint64_t numbers_ = 0;
  std::int64_t tasks_run_ = 0;
  Process* current_ = nullptr;
  bool closed_ = false;
  bool print_;
  std::uint64_t hash_ = 0x243f6a8885a308d3ULL;
  MarkCounts marks_{};
};

}  // namespace ba::sim
