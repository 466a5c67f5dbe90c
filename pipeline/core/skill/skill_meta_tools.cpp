// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/skill/skill_meta_tools.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/skill/read_skill.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

constexpr const char* kActivateDescription =
    "Activates a skill: its instructions hold from the next step on, until deactivate_skill ends "
    "it or the round ends. What it brings follows the result as messages of their own. load_level "
    "1 "
    "reads what it is for, 2 its instructions, 3 its files: the one that "
    "`resource` names, or the list of them.";

constexpr const char* kActivateSchema = R"({"type":"object","properties":{
  "skill_name":{"type":"string","minLength":1,"maxLength":100},
  "load_level":{"type":"integer","enum":[1,2,3],"default":2},
  "resource":{"type":"string","minLength":1,"maxLength":1000,"x-semantic":"path"},
  "parameters":{"type":"object","description":"what the skill asks for"}},
  "required":["skill_name"],"additionalProperties":false})";

ToolDescriptor descriptor_of(std::string_view name, const char* description, const char* schema) {
  ToolDescriptor tool;
  tool.name = name;
  tool.description = description;
  tool.parameters_schema = schema;
  tool.effect = EffectClass::Keyed;
  tool.permission = PermissionLevel::Restricted;
  return tool;
}

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

constexpr const char* kDeactivateDescription =
    "Ends a skill whose work is done: its restrictions are lifted from the next step on. Only the "
    "skill that was activated last can be ended.";

constexpr const char* kDeactivateSchema = R"({"type":"object","properties":{
  "skill_name":{"type":"string","minLength":1,"maxLength":100},
  "activation_id":{"type":"string","minLength":1,"maxLength":64,"description":"as its activation gave it"}},
  "required":["skill_name","activation_id"],"additionalProperties":false})";

struct Answer final : ToolRun {
  std::unique_ptr<Timer> timer;
};

}  // namespace

ToolDescriptor ActivateSkillTool::description() {
  return descriptor_of(kActivateSkillTool, kActivateDescription, kActivateSchema);
}

std::unique_ptr<ToolRun> ActivateSkillTool::run(ToolInvocation invocation,
                                                std::function<void(RawToolResult)> done) {
  return host_.start(
      request_of(invocation),
      [done = std::move(done)](const SkillHost::Answer& answer) { done(result_of(answer)); });
}

SkillEnd skill_end_of(const std::string& args_json) {
  const auto args = parse_exact_known<nlohmann::json>(args_json);
  return {args.at("skill_name").get<std::string>(), args.at("activation_id").get<std::string>()};
}

ToolDescriptor DeactivateSkillTool::description() {
  return descriptor_of(kDeactivateSkillTool, kDeactivateDescription, kDeactivateSchema);
}

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
