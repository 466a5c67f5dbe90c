#pragma once
// SPDX-License-Identifier: Apache-2.0
// The built-in tools of a configuration, to be looked at: nobody runs them, and what they would run
// on does nothing. Whoever wants their names or descriptors owns it; one thread.

#include <memory>

#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/skill/skill_meta_tools.hpp"
#include "pipeline/core/sub_agent/sub_agent_host.hpp"
#include "worker/config/config.hpp"
#include "worker/tools/base/tool_maker.hpp"

namespace ba::tools {

/// The tools go first: they refer to what stands before them.
struct DescribedTools {
  std::unique_ptr<Executor> idle;
  std::unique_ptr<const SubAgentDesk> nobody;
  std::unique_ptr<SkillHost> no_skills;
  BuiltTools built;
};

/// What can't work is told in `built.unmade`.
DescribedTools describe_built_in_tools(const config::Config& config);

}  // namespace ba::tools
