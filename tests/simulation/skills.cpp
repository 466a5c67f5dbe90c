// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/skills.hpp"

#include <algorithm>
#include <array>

#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/core/skill/read_skill.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"
#include "tests/simulation/plan.hpp"

namespace ba::sim {
namespace {

constexpr std::string_view kActivates = "activate ";
constexpr std::string_view kReads = "read ";
constexpr std::string_view kReadsFile = "file of ";
constexpr std::string_view kEnds = "end";
constexpr std::string_view kEndsWrongly = "end wrongly";
constexpr const char* kNobodysActivation = "skill-none";

std::string rest_of(const std::string& planned, std::string_view prefix) {
  return planned.substr(prefix.size());
}

std::optional<std::vector<std::string>> tools_of(const std::string& skill) {
  using Tools = std::vector<std::string>;
  if (skill == kNarrowSkill) return Tools{"look", "pay", kReadTool, std::string(kTaskTool)};
  if (skill == kDutySkill) return Tools{"look", "pay", "mail", "ticket", kReadTool, kSendTool};
  return std::nullopt;
}

std::shared_ptr<const Skill> made(const std::string& name, int process) {
  auto skill = std::make_shared<Skill>();
  skill->name = name;
  skill->description = "About " + name;
  skill->body = "Instructions of " + name + ", as process " + std::to_string(process) + " read it";
  skill->files = {{"a.md", 1, std::to_string(process)}};
  skill->allowed_tools = tools_of(name);
  if (name == kSageSkill) skill->model = kElder;
  skill->disable_model_invocation = name == kDutySkill;
  seal(*skill);
  return skill;
}

std::string quoted(const std::string& name) { return "{\"skill_name\":\"" + name + "\""; }

ToolCall ending(const SkillEnd& end) {
  ToolCall call;
  call.name = kDeactivateSkillTool;
  call.args_json = quoted(end.name) + ",\"activation_id\":\"" + end.activation_id + "\"}";
  return call;
}

/// One that is active but not the newest, if there is any.
ToolCall ending_wrongly(const std::vector<SkillEnd>& active) {
  return ending(active.size() > 1 ? active.front() : SkillEnd{kPlainSkill, kNobodysActivation});
}

}  // namespace

SkillOffers skill_offers(int process) {
  SkillOffers offers;
  for (const char* name : {kPlainSkill, kNarrowSkill, kSageSkill, kDutySkill})
    offers.skills[name] = made(name, process);
  offers.agents = {{"default", {"*"}}, {"helper", {kPlainSkill, kNarrowSkill}}};
  offers.tenants = {{kTenants[1], {kPlainSkill, kNarrowSkill, kDutySkill}}};
  return offers;
}

bool may_have(const std::string& tenant, const std::string& skill) {
  return tenant != kTenants[1] || skill != kSageSkill;
}

bool skill_allows(const std::string& skill, const std::string& tool) {
  const auto tools = tools_of(skill);
  return !tools || std::ranges::find(*tools, tool) != tools->end();
}

bool is_skill_tool(const std::string& tool) {
  return tool == kActivateSkillTool || tool == kDeactivateSkillTool;
}

std::string activating(const std::string& skill) { return std::string(kActivates) + skill; }

std::string draw_skill_call(Dice& dice) {
  constexpr std::array kNames{kPlainSkill, kNarrowSkill, kSageSkill};
  std::string name = kNames.at(static_cast<std::size_t>(dice.below(kNames.size())));
  if (dice.hit(50)) name = kDutySkill;
  if (dice.hit(650)) return activating(name);
  if (dice.hit(550)) return std::string(kEnds);
  if (dice.hit(300)) return std::string(kEndsWrongly);
  return std::string(dice.hit(500) ? kReads : kReadsFile) + name;
}

bool is_skill_call(const std::string& planned) {
  return planned == kEnds || planned == kEndsWrongly || planned.starts_with(kActivates) ||
         planned.starts_with(kReads) || planned.starts_with(kReadsFile);
}

ToolCall skill_call(const std::string& planned, std::vector<SkillEnd>& active) {
  if (planned == kEndsWrongly || (planned == kEnds && active.empty()))
    return ending_wrongly(active);
  if (planned == kEnds) {
    const SkillEnd newest = active.back();
    active.pop_back();
    return ending(newest);
  }
  ToolCall call;
  call.name = kActivateSkillTool;
  if (planned.starts_with(kActivates))
    call.args_json = quoted(rest_of(planned, kActivates)) + "}";
  else if (planned.starts_with(kReads))
    call.args_json = quoted(rest_of(planned, kReads)) + ",\"load_level\":1}";
  else
    call.args_json = quoted(rest_of(planned, kReadsFile)) + R"(,"load_level":3,"resource":"a.md"})";
  return call;
}

bool brought_by_skill(const Message& message) {
  return meta_of(message).additional_kwargs.contains("skill");
}

std::optional<SkillEnd> activation_in(const Message& message) {
  constexpr std::string_view kName = "Skill '";
  constexpr std::string_view kId = "' is active (activation_id ";
  const auto* human = std::get_if<HumanMessage>(&message);
  if (!human || !brought_by_skill(message) || !human->text.starts_with(kName)) return std::nullopt;
  const std::size_t id = human->text.find(kId);
  if (id == std::string::npos) return std::nullopt;
  const std::size_t from = id + kId.size();
  return SkillEnd{human->text.substr(kName.size(), id - kName.size()),
                  human->text.substr(from, human->text.find(')', from) - from)};
}

std::vector<SkillEnd> active_skills(const ModelRequest& request) {
  std::vector<SkillEnd> active;
  for (const Message* message : request.messages) {
    const auto* tool = std::get_if<ToolMessage>(message);
    if (std::holds_alternative<HumanMessage>(*message) && !is_hidden(*message)) active.clear();
    if (auto began = activation_in(*message)) active.push_back(std::move(*began));
    if (tool && tool->tool_name == kDeactivateSkillTool && tool->status == ToolStatus::Success &&
        !active.empty())
      active.pop_back();
  }
  return active;
}

}  // namespace ba::sim
