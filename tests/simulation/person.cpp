// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/person.hpp"

#include "pipeline/text/contract/result_id.hpp"

namespace ba::sim {
namespace {

constexpr Microseconds kBetweenLooks{300'000};
constexpr int kAnswersPermille = 400;  ///< else she comes back to it later
constexpr int kGivesUpPermille = 150;

}  // namespace

void Person::begin() {
  world_.at(kBetweenLooks, [this] {
    look();
    begin();
  });
}

void Person::look() {
  if (database_.down()) return;
  std::vector<LedgerJobId> waiting;
  for (const auto& [id, job] : database_.rows().jobs())
    if (job.state == JobState::Waiting && job.request == JobRequest::None) waiting.push_back(id);
  for (const LedgerJobId id : waiting) look_at(database_.rows().jobs().at(id));
}

/// About one call at a time.
void Person::look_at(const FakeJob& job) {
  const Job& asked = job.intake.job;
  for (const auto& [position, call] : job.calls) {
    if (call.state != ToolCallState::Running || !world_.dice.hit(kAnswersPermille)) continue;
    const auto said = verdict(effect_key(asked.tenant, asked.job_id, position, call.tool_name));
    if (!said) continue;
    if (*said == CallVerdict::Happened) world_.mark(Mark::CallHappened);
    if (*said == CallVerdict::DidNotHappen) world_.mark(Mark::CallDidNotHappen);
    if (*said == CallVerdict::GiveUp) world_.mark(Mark::CallGivenUp);
    if (*said == CallVerdict::GiveUp) checker_.given_up(job.id, position);
    world_.note("a person says", job.id.value, position.index, to_string(*said));
    CallAnswer answer;
    answer.verdict = *said;
    answer.call = call.tool_call_id;
    return database_.resolve(asked.tenant, asked.job_id, answer);
  }
}

std::optional<CallVerdict> Person::verdict(const std::string& key) {
  if (world_.dice.hit(kGivesUpPermille)) return CallVerdict::GiveUp;
  if (tools_.done.contains(key)) return CallVerdict::Happened;
  const auto under_way = tools_.under_way.find(key);
  if (under_way != tools_.under_way.end() && under_way->second > 0) return std::nullopt;
  if (nemesis_.zombies()) return std::nullopt;
  return CallVerdict::DidNotHappen;
}

}  // namespace ba::sim
