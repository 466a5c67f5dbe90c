// SPDX-License-Identifier: Apache-2.0
// Results that calls share or keep: each is one that a run of the tool gave, for the same tenant,
// and is told with the call that ran. Where nothing goes wrong, one run serves all calls of a
// tenant.
#include <charconv>

#include "tests/simulation/checker.hpp"
#include "tests/simulation/kept_artifacts.hpp"

namespace ba::sim {
namespace {

/// The number behind "run" in an observation, however it is formatted; 0: there is none.
int run_in(const std::string& observation) {
  const std::size_t digit = observation.find_first_of("0123456789", observation.find("run"));
  int run = 0;
  if (observation.find("run") == std::string::npos || digit == std::string::npos) return run;
  std::from_chars(observation.data() + digit, observation.data() + observation.size(), run);
  return run;
}

}  // namespace

void Checker::read_ran(int run, const ToolInvocation& call) {
  reads_[run] = {call.job, call.position};
}

void Checker::read_told(LedgerJobId job, const TenantId& tenant, const ToolResult& result) {
  if (result.state != ToolCallState::Succeeded) return;
  const auto run = reads_.find(run_in(result.observation));
  if (run == reads_.end()) return fail("a result that no run gave was told: " + result.observation);
  check_tenant(result.observation, tenant.value, "a shared result");
  const CallKey origin{result.telemetry.origin_job, result.telemetry.origin};
  if (!result.telemetry.cache_hit) {
    if (++misses_[tenant.value] > 1 && scenario_.calm)
      fail("a call of " + tenant.value + " ran though another one's result was to be shared");
    return;
  }
  if (run->second != origin)
    fail("a shared result was told with another call than the one that ran");
  if (result.telemetry.origin_job != job) world_.mark(Mark::ResultShared);
}

/// What a call of this job has told can be read as long as the job runs.
void Checker::fetch_told(const ToolCall& call, const TenantId& tenant, const ToolResult& result) {
  const std::string id = artifact_in(call.args_json);
  const bool absent = result.error && result.error->code == "ARTIFACT_NOT_FOUND";
  if (absent && id != kNoArtifact && !set_back_)
    fail("a job of " + tenant.value + " was led nowhere: " + id);
  if (result.state != ToolCallState::Succeeded) return;
  if (!reads_.contains(run_in(result.observation)))
    fail("an artifact that no run gave was read: " + result.observation);
  check_tenant(result.observation, tenant.value, "an artifact");
  world_.mark(Mark::ArtifactFetched);
}

}  // namespace ba::sim
