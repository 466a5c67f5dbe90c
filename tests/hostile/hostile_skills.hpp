#pragma once
// SPDX-License-Identifier: Apache-2.0
// The skills of three jobs: one that the hostile model may activate, one that only its job may, and
// those of other jobs.

#include <string>

#include "pipeline/core/skill/skill_desk.hpp"

namespace ba {

class HostileSkills {
 public:
  explicit HostileSkills(Executor& executor) : desk_(executor) {}

  SkillHost& host() { return desk_; }

  /// What `own` may activate, and what it may not: a skill has the canary wherever it can be read.
  void offer(LedgerJobId own, const std::string& instructions, const std::string& canary);

  /// Of another job.
  void offer_elsewhere(LedgerJobId job, const std::string& name, const std::string& canary);

 private:
  SkillDesk desk_;
  std::map<LedgerJobId, JobSkills> skills_;
};

}  // namespace ba
