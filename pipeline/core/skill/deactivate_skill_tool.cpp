// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/skill/deactivate_skill_tool.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/skill/read_skill.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

constexpr const char* kDescription =
    "Ends a skill whose work is done: its restrictions are lifted from the next step on. Only the "
    "skill that was activated last can be ended.";

constexpr const char* kSchema = R"({"type":"object","properties":{
  "skill_name":{"type":"string","minLength":1,"maxLength":100},
  "activation_id":{"type":"string","minLength":1,"maxLength":64,"description":"as its activation gave it"}},
  "required":["skill_name","activation_id"],"additionalProperties":false})";

struct Answer final : ToolRun {
  std::unique_ptr<Timer> timer;
};

}  // namespace

SkillEnd skill_end_of(const std::string& args_json) {
  const auto args = parse_exact_known<nlohmann::json>(args_json);
  return {args.at("skill_name").get<std::string>(), args.at("activation_id").get<std::string>()};
}

ToolDescriptor DeactivateSkillTool::description() {
  ToolDescriptor tool;
  tool.name = kDeactivateSkillTool;
  tool.description = kDescription;
  tool.parameters_schema = kSchema;
  tool.effect = EffectClass::Keyed;
  tool.permission = PermissionLevel::Restricted;
  return tool;
}

DeactivateSkillTool::DeactivateSkillTool(Executor& executor) : executor_(executor) {}

std::unique_ptr<ToolRun> DeactivateSkillTool::run(ToolInvocation invocation,
                                                  std::function<void(RawToolResult)> done) {
  RawToolResult raw;
  raw.data = R"({"success":true,"deactivated":)";
  append_json_string(raw.data, skill_end_of(invocation.parameters).name);
  raw.data += '}';
  auto answer = std::make_unique<Answer>();
  answer->timer = executor_.after(Milliseconds(0),
                                  [done = std::move(done), raw = std::move(raw)] { done(raw); });
  return answer;
}

}  // namespace ba
