// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/world.hpp"

#include <algorithm>
#include <cstdio>

#include "tests/simulation/process.hpp"

namespace ba::sim {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash ^= value;
  hash *= 0x9fb21c651e98df25ULL;
  return hash ^ (hash >> 32);
}

std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mixed(hash, text.size());
}

}  // namespace

World::World(std::uint64_t seed, bool print) : dice(seed), print_(print) {
  slots_.reserve(256);
  due_.reserve(256);
}

World::Ticket World::at(Microseconds delay, Process* process, Task task) {
  if (closed_) return {};
  std::uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
    slots_.back().generation = 1;
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Slot& slot = slots_[index];
  slot.task = std::move(task);
  slot.process = process;
  const Ticket ticket{index, slot.generation};
  push(now_ + delay, ticket);
  return ticket;
}

void World::push(SteadyTime when, Ticket ticket) {
  due_.push_back({when.time_since_epoch().count(), ++numbers_, ticket});
  std::push_heap(due_.begin(), due_.end(), std::greater<>());
}

void World::cancel(Ticket ticket) {
  if (closed_ || ticket.generation == 0 || slots_[ticket.slot].generation != ticket.generation)
    return;
  Slot& slot = slots_[ticket.slot];
  ++slot.generation;
  const Task dropped = std::exchange(slot.task, nullptr);
  free_.push_back(ticket.slot);
}

void World::again(const std::vector<Ticket>& waiting) {
  for (const Ticket ticket : waiting)
    if (slots_[ticket.slot].generation == ticket.generation) push(now_, ticket);
}

void World::close() {
  closed_ = true;
  const std::vector<Slot> dropped = std::exchange(slots_, {});
}

bool World::run_one() {
  while (!due_.empty()) {
    std::pop_heap(due_.begin(), due_.end(), std::greater<>());
    const Due next = due_.back();
    due_.pop_back();
    if (slots_[next.ticket.slot].generation != next.ticket.generation) continue;
    now_ = SteadyTime(std::chrono::nanoseconds(next.at));
    run(next.ticket);
    return true;
  }
  return false;
}

void World::run(Ticket ticket) {
  Process* process = slots_[ticket.slot].process;
  if (process && process->keep_for_later(ticket)) return;
  const Task task = std::exchange(slots_[ticket.slot].task, nullptr);
  cancel(ticket);
  if (process && process->dead()) return;
  ++tasks_run_;
  current_ = process;
  task();
  current_ = nullptr;
  if (process) process->end_of_task();
}

void World::note(std::string_view what, std::int64_t a, std::int64_t b, std::string_view text) {
  hash_ = mixed(hash_, static_cast<std::uint64_t>(now_.time_since_epoch().count()));
  hash_ = mixed(hash_, what);
  hash_ = mixed(mixed(hash_, static_cast<std::uint64_t>(a)), static_cast<std::uint64_t>(b));
  hash_ = mixed(hash_, text);
  if (!print_) return;
  const double seconds = std::chrono::duration<double>(now_.time_since_epoch()).count() - 3600.0;
  std::printf("%10.6f  %-28.*s %4lld %6lld  %.*s\n", seconds, static_cast<int>(what.size()),
              what.data(), static_cast<long long>(a), static_cast<long long>(b),
              static_cast<int>(text.size()), text.data());
}

}  // namespace ba::sim
