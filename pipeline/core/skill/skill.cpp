// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/skill/skill.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/joined.hpp"
#include "pipeline/text/message/migration.hpp"
#include "pipeline/text/message/utf8.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVersion = "schema_version";

constexpr const char* kIntroduction =
    "You have skills: instructions for kinds of work. When the task is of the kind that a skill's "
    "description names, call activate_skill with its name before you begin; its instructions then "
    "hold until you call deactivate_skill or the round ends.";

Json json_of(const SkillFile& file) {
  Json json{{"path", file.path}, {"bytes", file.bytes}, {"text", nullptr}};
  if (file.binary) json["binary"] = *file.binary;
  if (file.text) json["text"] = *file.text;
  return json;
}

SkillFile file_of(const Json& json) {
  SkillFile file;
  file.path = json.at("path").get<std::string>();
  file.bytes = json.at("bytes").get<std::int64_t>();
  if (json.contains("binary")) file.binary = json.at("binary").get<bool>();
  if (!json.at("text").is_null()) file.text = json.at("text").get<std::string>();
  return file;
}

Skill skill_of(const Json& json) {
  Skill skill;
  skill.name = json.at("name").get<std::string>();
  skill.description = json.at("description").get<std::string>();
  skill.license = json.at("license").get<std::string>();
  skill.compatibility = json.at("compatibility").get<std::string>();
  skill.metadata = json.at("metadata").get<std::map<std::string, std::string>>();
  skill.capabilities = json.at("capabilities").get<std::vector<std::string>>();
  if (const Json& tools = json.at("allowed_tools"); !tools.is_null())
    skill.allowed_tools = tools.get<std::vector<std::string>>();
  skill.model = json.at("model").get<std::string>();
  skill.disable_model_invocation = json.at("disable_model_invocation").get<bool>();
  skill.body = json.at("body").get<std::string>();
  for (const Json& file : json.at("files")) skill.files.push_back(file_of(file));
  return skill;
}

Error corrupt(const std::string& what) {
  Error error = invalid_argument("no skill as it is stored: " + what);
  error.code = ErrorCode::Corrupt;
  return error;
}

/// The first text below that no message could hold, with its place; empty: there is none. The
/// whole is UTF-8, as JSON is; what an escape stands for may be a NUL.
std::string text_defect(const Json& json, const std::string& place) {
  if (json.is_string()) {
    const std::string& text = json.get_ref<const std::string&>();
    const auto at = utf8_defect(text);
    return at ? place + ": " + describe_utf8_defect(text, *at) : "";
  }
  if (!json.is_structured()) return "";
  for (const auto& [key, value] : json.items()) {
    if (utf8_defect(key)) return place + " has a name that is not storable text";
    if (std::string found = text_defect(value, place.empty() ? key : place + "." + key);
        !found.empty())
      return found;
  }
  return "";
}

std::string text_of(const Json& json) { return dump_exact(json); }

/// All that a skill is known by.
Json content_of(const Skill& skill) {
  Json json{{"name", skill.name},
            {"description", skill.description},
            {"license", skill.license},
            {"compatibility", skill.compatibility},
            {"metadata", skill.metadata},
            {"capabilities", skill.capabilities},
            {"allowed_tools", nullptr},
            {"model", skill.model},
            {"disable_model_invocation", skill.disable_model_invocation},
            {"body", skill.body},
            {"files", Json::array()}};
  if (skill.allowed_tools) json["allowed_tools"] = *skill.allowed_tools;
  for (const SkillFile& file : skill.files) json["files"].push_back(json_of(file));
  return json;
}

/// Of the content alone, so that a skill keeps its hash whatever form it is stored in.
std::string hash_of(const Json& content) { return sha256_hex_of(text_of(content)); }

bool names(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end() || std::ranges::find(list, "*") != list.end();
}

}  // namespace

std::string skill_json(const Skill& skill) {
  Json json;
  json[kVersion] = kSkillSchemaVersion;
  json.update(content_of(skill));
  return text_of(json);
}

Result<Skill> skill_from_json(std::string_view json) {
  try {
    Json stored = parse_exact_known<Json>(json);
    const std::string version = stored.value(kVersion, std::string(kSkillSchemaVersion));
    if (auto readable = check_readable_version(version, kSkillSchemaVersion); !readable)
      return corrupt(readable.error().message);
    stored.erase(kVersion);
    if (const std::string defect = text_defect(stored, ""); !defect.empty()) return corrupt(defect);
    Skill skill = skill_of(stored);
    skill.hash = hash_of(stored);
    return skill;
  } catch (const Json::exception& error) {
    return corrupt(error.what());
  }
}

void seal(Skill& skill) { skill.hash = hash_of(content_of(skill)); }

std::string skill_catalogue(const SkillSet& skills) {
  std::string list;
  for (const auto& [name, skill] : skills) {
    if (skill->disable_model_invocation) continue;
    list += "<skill>\n" + markup_element("name", name) +
            markup_element("description", skill->description);
    if (!skill->capabilities.empty())
      list += markup_element("capabilities", joined(skill->capabilities));
    list += "</skill>\n";
  }
  if (list.empty()) return "";
  return std::string(kIntroduction) + "\n\n<available_skills>\n" + list + "</available_skills>";
}

std::string markup_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string markup_element(std::string_view name, std::string_view text) {
  const std::string tag(name);
  return "<" + tag + ">" + markup_escaped(text) + "</" + tag + ">\n";
}

SkillSet offered_skills(const SkillOffers& offers, const std::string& agent,
                        const std::string& tenant) {
  const auto of_agent = offers.agents.find(agent);
  if (of_agent == offers.agents.end()) return {};
  const auto of_tenant = offers.tenants.find(tenant);
  SkillSet offered;
  for (const auto& [name, skill] : offers.skills)
    if (names(of_agent->second, name) &&
        (of_tenant == offers.tenants.end() || names(of_tenant->second, name)))
      offered.emplace(name, skill);
  return offered;
}

}  // namespace ba
