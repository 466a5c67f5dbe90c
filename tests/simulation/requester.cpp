// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/requester.hpp"

namespace ba::sim {
namespace {

constexpr std::int64_t kBetweenLooksUs = 200'000;
constexpr int kCancelsPermille = 200;
constexpr int kResumesPermille = 300;  ///< of the others; else it is to pause

JobAction draw_action(Dice& dice) {
  if (dice.hit(kCancelsPermille)) return JobAction::Cancel;
  return dice.hit(kResumesPermille) ? JobAction::Resume : JobAction::Pause;
}

bool idle(const FakeJob& job) {
  return job.state == JobState::Paused || job.state == JobState::Waiting;
}

}  // namespace

void Requester::begin() {
  world_.at(world_.up_to(kBetweenLooksUs), [this] {
    look();
    begin();
  });
}

void Requester::look() {
  if (database_.down()) return;
  if (healed_) return resume_what_is_paused();
  if (world_.dice.hit(scenario_.strength(Fault::JobControl))) ask_for_something();
}

void Requester::ask_for_something() {
  std::vector<const FakeJob*> unfinished;
  for (const auto& [id, job] : database_.rows().jobs())
    if (job.state != JobState::Finished) unfinished.push_back(&job);
  if (unfinished.empty()) return;
  const auto count = static_cast<std::int64_t>(unfinished.size());
  const FakeJob& job = *unfinished[static_cast<std::size_t>(world_.dice.below(count))];
  ask(job, draw_action(world_.dice));
}

void Requester::resume_what_is_paused() {
  for (const auto& [id, job] : database_.rows().jobs())
    if (job.state == JobState::Paused && job.request == JobRequest::None)
      ask(job, JobAction::Resume);
}

/// Refused where the job's state doesn't allow it, like anybody else.
void Requester::ask(const FakeJob& job, JobAction action) {
  const bool was_idle = idle(job);
  const bool was_paused = job.state == JobState::Paused;
  const Job& asked = job.intake.job;
  world_.note("a person asks", job.id.value, 0, to_string(action));
  if (!database_.control(asked.tenant, asked.job_id, action)) return;
  if (action == JobAction::Cancel && was_idle) world_.mark(Mark::IdleJobCancelled);
  if (action == JobAction::Resume && was_paused) world_.mark(Mark::JobResumed);
}

}  // namespace ba::sim
