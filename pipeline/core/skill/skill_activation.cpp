// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/skill/skill_activation.hpp"

#include <nlohmann/json.hpp>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/exact_json.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr EnumNames<SkillMessageKind, 3> kKindNames{
    {{SkillMessageKind::Metadata, "metadata"},
     {SkillMessageKind::Instruction, "instruction"},
     {SkillMessageKind::Permissions, "permissions"}}};

Json json_of(const SkillMessage& message) {
  const bool hidden = message.visibility == SkillVisibility::Hidden;
  return {{"type", name_of(kKindNames, message.kind)},
          {"content", message.content},
          {"visibility", hidden ? "hidden" : "visible"}};
}

Json json_of(const ContextModifier& modifier) {
  Json json{{"allowed_tools", nullptr}, {"model", nullptr}};
  if (modifier.allowed_tools) json["allowed_tools"] = *modifier.allowed_tools;
  if (!modifier.model.empty()) json["model"] = modifier.model;
  json["disable_model_invocation"] = modifier.disable_model_invocation;
  return json;
}

}  // namespace

std::string activation_json(const SkillActivation& activation) {
  Json messages = Json::array();
  for (const SkillMessage& message : activation.messages) messages.push_back(json_of(message));
  Json json{{"activation_id", nullptr},
            {"skill_name", activation.skill_name},
            {"messages", std::move(messages)},
            {"context_modifier", json_of(activation.modifier)},
            {"success", true},
            {"error", nullptr}};
  if (!activation.activation_id.empty()) json["activation_id"] = activation.activation_id;
  return dump_exact(json);
}

}  // namespace ba
