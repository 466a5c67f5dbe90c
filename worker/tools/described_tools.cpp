// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/described_tools.hpp"

#include "pipeline/core/skill/skill_desk.hpp"
#include "worker/config/configured_tools.hpp"

namespace ba::tools {
namespace {

/// Never runs anything.
class IdleExecutor final : public Executor {
 public:
  void post(std::function<void()>) override {}
  std::unique_ptr<Timer> after(Milliseconds, std::function<void()>) override { return nullptr; }
};

}  // namespace

DescribedTools describe_built_in_tools(const config::Config& config) {
  DescribedTools tools;
  tools.idle = std::make_unique<IdleExecutor>();
  tools.nobody = std::make_unique<SubAgentDesk>();
  tools.no_skills = std::make_unique<SkillDesk>(*tools.idle);
  tools.built = describe_tools(tool_makers(config), config.tools.settings,
                               {*tools.idle, nullptr, tools.nobody.get(), tools.no_skills.get()});
  return tools;
}

}  // namespace ba::tools
