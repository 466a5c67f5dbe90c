// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/skill/activate_skill_tool.hpp"

#include "pipeline/core/skill/read_skill.hpp"

namespace ba {
namespace {

constexpr const char* kDescription =
    "Activates a skill: its instructions hold from the next step on, until deactivate_skill ends "
    "it "
    "or the round ends. What it brings follows the result as messages of their own. load_level 1 "
    "reads what it is for, 2 its instructions, 3 its files: the one that "
    "`resource` names, or the list of them.";

constexpr const char* kSchema = R"({"type":"object","properties":{
  "skill_name":{"type":"string","minLength":1,"maxLength":100},
  "load_level":{"type":"integer","enum":[1,2,3],"default":2},
  "resource":{"type":"string","minLength":1,"maxLength":1000,"x-semantic":"path"},
  "parameters":{"type":"object","description":"what the skill asks for"}},
  "required":["skill_name"],"additionalProperties":false})";

SkillRequest request_of(const ToolInvocation& invocation) {
  SkillRequest request = skill_request_of(invocation.parameters);
  request.job = invocation.job;
  request.key = invocation.idempotency_key;
  return request;
}

RawToolResult result_of(const SkillHost::Answer& answer) {
  RawToolResult raw;
  if (const auto* activation = std::get_if<SkillActivation>(&answer)) {
    raw.data = activation_json(*activation);
    return raw;
  }
  raw.error = std::get<ToolError>(answer);
  raw.never_happened = true;
  raw.retry_useless = true;
  return raw;
}

}  // namespace

ToolDescriptor ActivateSkillTool::description() {
  ToolDescriptor tool;
  tool.name = kActivateSkillTool;
  tool.description = kDescription;
  tool.parameters_schema = kSchema;
  tool.effect = EffectClass::Keyed;
  tool.permission = PermissionLevel::Restricted;
  return tool;
}

ActivateSkillTool::ActivateSkillTool(SkillHost& host) : host_(host), descriptor_(description()) {}

std::unique_ptr<ToolRun> ActivateSkillTool::run(ToolInvocation invocation,
                                                std::function<void(RawToolResult)> done) {
  return host_.start(
      request_of(invocation),
      [done = std::move(done)](const SkillHost::Answer& answer) { done(result_of(answer)); });
}

}  // namespace ba
