// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/skill/read_skill.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "pipeline/core/skill/skill.hpp"
#include "pipeline/core/tool/output_level.hpp"

namespace ba {
namespace {

constexpr std::size_t kIdDigits = 16;
constexpr std::size_t kNamesShown = 50;
constexpr std::size_t kFilesShown = 200;
constexpr std::size_t kNameShown = 100;  // code points

ToolError error_of(ToolErrorType type, const char* code, std::string message) {
  return {.type = type, .code = code, .message = std::move(message)};
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const auto near = nearest_word(word, known);
  return near ? "; did you mean '" + *near + "'?" : ".";
}

std::string listed(std::vector<std::string> names) {
  if (names.size() <= kNamesShown) return joined_or_none(names);
  const std::size_t more = names.size() - kNamesShown;
  names.resize(kNamesShown);
  return joined(names) + " and " + std::to_string(more) + " more";
}

ToolError unknown_skill(const SkillSet& offered, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, skill] : offered)
    if (!skill->disable_model_invocation) names.push_back(known);
  return error_of(ToolErrorType::NotFound, "SKILL_NOT_FOUND",
                  "There is no skill '" + cut_code_points(name, kNameShown) + "'" +
                      did_you_mean(name, names) + " There are: " + listed(names));
}

ToolError only_a_job(const std::string& name) {
  return error_of(ToolErrorType::PermissionDenied, "SKILL_NOT_FOR_MODELS",
                  "Skill '" + name +
                      "' has disable_model_invocation: only a job that names it in `skills` "
                      "activates it");
}

ToolError unknown_file(const Skill& skill, const std::string& path) {
  std::vector<std::string> paths;
  for (const SkillFile& file : skill.files) paths.push_back(file.path);
  return error_of(ToolErrorType::NotFound, "SKILL_RESOURCE_NOT_FOUND",
                  "Skill '" + skill.name + "' has no file '" + cut_code_points(path, kNameShown) +
                      "'" + did_you_mean(path, paths) + " Its files: " + listed(paths));
}

std::string why_not_readable(const SkillFile& file) {
  constexpr const char* kTooLarge = "larger than what is read (skills.resource_bytes_max)";
  if (!file.binary) return std::string("is no UTF-8 text, or ") + kTooLarge;
  if (!*file.binary) return std::string("is ") + kTooLarge;
  return "is binary, no UTF-8 text; it can't be read here";
}

ToolError not_readable(const Skill& skill, const SkillFile& file) {
  return error_of(ToolErrorType::ValidationError, "SKILL_RESOURCE_NOT_READABLE",
                  "File '" + file.path + "' of skill '" + skill.name + "' (" +
                      std::to_string(file.bytes) + " bytes) " + why_not_readable(file));
}

std::string file_list(const Skill& skill) {
  if (skill.files.empty()) return "";
  std::string list = "<skill_resources>\n";
  for (std::size_t i = 0; i < std::min(skill.files.size(), kFilesShown); ++i)
    list += markup_element("file", skill.files[i].path);
  if (skill.files.size() > kFilesShown)
    list += "<!-- " + std::to_string(skill.files.size() - kFilesShown) + " more -->\n";
  return list + "</skill_resources>\n";
}

std::string opening_tag(const char* tag, const Skill& skill) {
  return "<" + std::string(tag) + " name=\"" + markup_escaped(skill.name) + "\"";
}

std::string instructions(const Skill& skill) {
  std::string text = opening_tag("skill_content", skill) + ">\n" + skill.body;
  if (!text.ends_with('\n')) text += '\n';
  return text + file_list(skill) + "</skill_content>";
}

std::string metadata_text(const Skill& skill) {
  std::string text = opening_tag("skill_metadata", skill) + ">\n";
  text += markup_element("description", skill.description);
  if (!skill.capabilities.empty())
    text += markup_element("capabilities", joined(skill.capabilities));
  if (!skill.compatibility.empty()) text += markup_element("compatibility", skill.compatibility);
  return text + "</skill_metadata>";
}

ContextModifier modifier_of(const Skill& skill) {
  return {skill.allowed_tools, skill.model, skill.disable_model_invocation};
}

std::string permissions_text(const Skill& skill) {
  std::string text = opening_tag("skill_permissions", skill) + ">\n";
  if (skill.allowed_tools)
    text +=
        "While this skill is active only these tools may be used, beside activate_skill and "
        "deactivate_skill: " +
        joined_or_none(*skill.allowed_tools) + "\n";
  if (!skill.model.empty()) text += "Steps are answered by model " + skill.model + " meanwhile.\n";
  return text + "</skill_permissions>";
}

std::string began_text(const SkillActivation& activation, const std::string& parameters) {
  std::string text = "Skill '" + activation.skill_name + "' is active (activation_id " +
                     activation.activation_id + "). Follow its instructions.";
  if (parameters != "{}") text += " Parameters: " + parameters + ".";
  return text + " When its work is done, call deactivate_skill with this name and activation_id.";
}

SkillActivation activated(const Skill& skill, const std::string& key,
                          const std::string& parameters) {
  SkillActivation activation;
  activation.activation_id = activation_id_of(key);
  activation.skill_name = skill.name;
  activation.modifier = modifier_of(skill);
  activation.messages.push_back(
      {SkillMessageKind::Metadata, began_text(activation, parameters), SkillVisibility::Visible});
  activation.messages.push_back(
      {SkillMessageKind::Instruction, instructions(skill), SkillVisibility::Hidden});
  if (skill.allowed_tools || !skill.model.empty())
    activation.messages.push_back(
        {SkillMessageKind::Permissions, permissions_text(skill), SkillVisibility::Hidden});
  return activation;
}

const SkillActivation* active_one(const SkillStack& stack, const std::string& name) {
  const auto found = std::ranges::find(stack.active(), name, &SkillActivation::skill_name);
  return found == stack.active().end() ? nullptr : &*found;
}

/// Of a skill that is read and not activated.
SkillActivation read_only(const JobSkills& skills, const Skill& skill, std::string content) {
  SkillActivation reading;
  reading.skill_name = skill.name;
  reading.modifier = modifier_of(skill);
  reading.activates = false;
  if (const auto* active = active_one(skills.stack, skill.name))
    reading.activation_id = active->activation_id;
  reading.messages.push_back(
      {SkillMessageKind::Metadata, std::move(content), SkillVisibility::Visible});
  return reading;
}

SkillAnswer resources(const JobSkills& skills, const Skill& skill, const std::string& path) {
  if (path.empty())
    return read_only(skills, skill,
                     opening_tag("skill_files", skill) + ">\n" +
                         (skill.files.empty() ? "none\n" : file_list(skill)) + "</skill_files>");
  const std::string wanted = path.starts_with("./") ? path.substr(2) : path;
  const auto file = std::ranges::find(skill.files, wanted, &SkillFile::path);
  if (file == skill.files.end()) return unknown_file(skill, path);
  if (!file->text) return not_readable(skill, *file);
  return read_only(skills, skill,
                   opening_tag("skill_resource", skill) + " file=\"" + markup_escaped(file->path) +
                       "\">\n" + *file->text + (file->text->ends_with('\n') ? "" : "\n") +
                       "</skill_resource>");
}

}  // namespace

std::string activation_id_of(const std::string& key) { return "skill-" + key.substr(0, kIdDigits); }

std::vector<std::shared_ptr<const Skill>> active_skills(const JobSkills& skills) {
  std::vector<std::shared_ptr<const Skill>> active;
  for (const SkillActivation& activation : skills.stack.active())
    if (const auto found = skills.offered.find(activation.skill_name);
        found != skills.offered.end())
      active.push_back(found->second);
  return active;
}

SkillAnswer read_skill(const JobSkills& skills, const SkillRequest& request) {
  const auto found = skills.offered.find(request.name);
  if (found == skills.offered.end()) return unknown_skill(skills.offered, request.name);
  const Skill& skill = *found->second;
  const bool of_active =
      request.level != SkillLevel::Instructions && active_one(skills.stack, skill.name) != nullptr;
  if (skill.disable_model_invocation && !of_active) return only_a_job(skill.name);
  if (request.level == SkillLevel::Description)
    return read_only(skills, skill, metadata_text(skill));
  if (request.level == SkillLevel::Resources) return resources(skills, skill, request.resource);
  return activated(skill, request.key, request.parameters);
}

SkillActivation job_activation(const Skill& skill, const std::string& key) {
  return activated(skill, key, "{}");
}

SkillRequest skill_request_of(const std::string& args_json) {
  const auto args = parse_exact_known<nlohmann::json>(args_json);
  // As the schema's check takes them: null is not given, 2.00 is 2.
  const auto given = [&args](const char* name) {
    return !args.value(name, nlohmann::json()).is_null();
  };
  SkillRequest request;
  request.name = args.at("skill_name").get<std::string>();
  if (given("load_level"))
    request.level =
        static_cast<SkillLevel>(static_cast<int>(nearest_double(args.at("load_level"))));
  if (given("resource")) request.resource = args.at("resource").get<std::string>();
  if (given("parameters")) request.parameters = dump_exact(args.at("parameters"));
  return request;
}

}  // namespace ba
