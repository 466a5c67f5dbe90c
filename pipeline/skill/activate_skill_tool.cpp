// SPDX-License-Identifier: Apache-2.0
#include "pipeline/skill/activate_skill_tool.hpp"

#include <nlohmann/json.hpp>

namespace ba {
namespace {

using Json = nlohmann::json;

constexpr const char* kDescription =
    "Activates a skill: its instructions hold from the next step on, until it is done or the round "
    "ends. load_level 1 reads what it is for, 2 its instructions, 3 its files: the one that "
    "`resource` names, or the list of them.";

constexpr const char* kSchema = R"({"type":"object","properties":{
  "skill_name":{"type":"string","minLength":1,"maxLength":100},
  "load_level":{"type":"integer","enum":[1,2,3],"default":2},
  "resource":{"type":"string","minLength":1,"maxLength":1000,"x-semantic":"path"},
  "parameters":{"type":"object","description":"what the skill asks for"}},
  "required":["skill_name"],"additionalProperties":false})";

ToolDescriptor description() {
  ToolDescriptor tool;
  tool.name = "activate_skill";
  tool.description = kDescription;
  tool.parameters_schema = kSchema;
  tool.effect = EffectClass::Keyed;
  tool.permission = PermissionLevel::Restricted;
  return tool;
}

/// Of arguments that the schema has let through.
SkillRequest request_of(const ToolInvocation& invocation) {
  const Json args = Json::parse(invocation.parameters);
  SkillRequest request;
  request.name = args.at("skill_name").get<std::string>();
  request.level = static_cast<SkillLevel>(args.value("load_level", 2));
  request.resource = args.value("resource", "");
  if (args.contains("parameters")) request.parameters = args.at("parameters").dump();
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
  return raw;
}

}  // namespace

ActivateSkillTool::ActivateSkillTool(SkillHost& host) : host_(host), descriptor_(description()) {}

std::unique_ptr<ToolRun> ActivateSkillTool::run(ToolInvocation invocation,
                                                std::function<void(RawToolResult)> done) {
  return host_.start(
      request_of(invocation),
      [done = std::move(done)](const SkillHost::Answer& answer) { done(result_of(answer)); });
}

}  // namespace ba
