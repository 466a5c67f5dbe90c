#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where the tool `activate_skill` finds the skills of the job that asks: each job that runs leaves
// its own here. Owned by the process; control thread only.

#include <unordered_map>

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/skill/read_skill.hpp"
#include "pipeline/core/skill/skill_meta_tools.hpp"

namespace ba {

class SkillDesk final : public SkillHost {
 public:
  /// Borrows the executor.
  explicit SkillDesk(Executor& executor) : executor_(executor) {}

  /// From now on the job's requests are answered from these, until leave() or another run's.
  void enter(LedgerJobId job, const JobSkills& skills) { jobs_[job] = &skills; }
  void leave(LedgerJobId job, const JobSkills& skills);

  std::unique_ptr<ToolRun> start(SkillRequest request, std::function<void(Answer)> done) override;

 private:
  Answer answer_to(const SkillRequest& request) const;

  Executor& executor_;
  std::unordered_map<LedgerJobId, const JobSkills*> jobs_;
};

}  // namespace ba
