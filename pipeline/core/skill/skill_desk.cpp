// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/skill/skill_desk.hpp"

namespace ba {
namespace {

struct Waiting final : ToolRun {
  std::unique_ptr<Timer> timer;
};

}  // namespace

void SkillDesk::leave(LedgerJobId job, const JobSkills& skills) {
  const auto here = jobs_.find(job);
  if (here != jobs_.end() && here->second == &skills) jobs_.erase(here);
}

SkillHost::Answer SkillDesk::answer_to(const SkillRequest& request) const {
  const auto job = jobs_.find(request.job);
  if (job == jobs_.end())
    return ToolError{.type = ToolErrorType::DependencyError,
                     .code = "NO_WORKER",
                     .message = "Skills are activated in the jobs of a worker only"};
  return read_skill(*job->second, request);
}

std::unique_ptr<ToolRun> SkillDesk::start(SkillRequest request, std::function<void(Answer)> done) {
  auto waiting = std::make_unique<Waiting>();
  waiting->timer = executor_.after(
      Milliseconds(0),
      [this, request = std::move(request), done = std::move(done)] { done(answer_to(request)); });
  return waiting;
}

}  // namespace ba
