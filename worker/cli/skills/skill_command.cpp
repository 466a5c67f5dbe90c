// SPDX-License-Identifier: Apache-2.0
// `ba-agent skill`: reads directories, and asks no server.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <system_error>
#include <utility>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/tools/skills/skill_directory.hpp"

namespace ba::cli {
namespace {

struct SkillShowArguments {
  std::string skill;
  bool json = false;
};

struct CheckArguments {
  std::vector<std::string> directories;  ///< at least one
  bool json = false;
};

void declare_show(CLI::App& app, SkillShowArguments& arguments) {
  app.add_option("skill", arguments.skill, "The skill's name (`ba-agent skill list`)")->required();
  json_flag(app, arguments.json, JsonForm::Document);
}

void declare_check(CLI::App& app, CheckArguments& arguments) {
  app.add_option("directory", arguments.directories,
                 "Directories with a SKILL.md, or with such directories in them")
      ->required();
  json_flag(app, arguments.json, JsonForm::Document);
}

using Json = nlohmann::ordered_json;
using Severity = skills::SkillFinding::Severity;

constexpr std::size_t kHashShown = 12;
constexpr std::size_t kDescriptionShown = 72;

const char* word_of(Severity severity) {
  if (severity == Severity::Warning) return "warning";
  return severity == Severity::Fatal ? "fatal" : "error";
}

void write_json(const Json& json, std::ostream& out) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

Json as_json(const std::vector<skills::SkillFinding>& findings) {
  Json list = Json::array();
  for (const skills::SkillFinding& finding : findings)
    list.push_back({{"severity", word_of(finding.severity)}, {"text", finding.text}});
  return list;
}

void show(const std::vector<skills::SkillFinding>& findings, Terminal& terminal) {
  for (const skills::SkillFinding& finding : findings) {
    const bool warning = finding.severity == Severity::Warning;
    terminal.out() << terminal.styled(warning ? Style::Yellow : Style::Red,
                                      warning ? "warning" : "error")
                   << "  " << printable(finding.text) << "\n";
  }
}

std::string first_line(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  const std::string cut = shortened(line, kDescriptionShown);
  return cut.size() < text.size() && cut == line ? cut + " …" : cut;
}

/// Of a model that isn't configured: the skill would switch to it.
std::vector<skills::SkillFinding> unknown_model(const Skill& skill, const config::Config& config) {
  if (skill.model.empty() || config.llm.model(skill.model) != nullptr) return {};
  return {{Severity::Error, skill.name + ": model: \"" + skill.model +
                                "\" is no model of llm.models here, so the skill isn't offered"}};
}

Json as_json(const skills::FoundSkill& found) {
  const Skill& skill = found.document.skill;
  return {{"name", skill.name},           {"description", skill.description},
          {"directory", found.directory}, {"hash", skill.hash},
          {"files", skill.files.size()},  {"offered", found.left_out.empty()},
          {"left_out", found.left_out},   {"findings", as_json(found.document.findings)}};
}

Json whole_as_json(const Skill& skill) {
  Json files = Json::array();
  for (const SkillFile& file : skill.files)
    files.push_back(
        {{"path", file.path}, {"bytes", file.bytes}, {"readable", file.text.has_value()}});
  Json tools;
  if (skill.allowed_tools) tools = *skill.allowed_tools;
  return {{"name", skill.name},
          {"description", skill.description},
          {"capabilities", skill.capabilities},
          {"license", skill.license},
          {"compatibility", skill.compatibility},
          {"allowed_tools", tools},
          {"model", skill.model},
          {"disable_model_invocation", skill.disable_model_invocation},
          {"metadata", skill.metadata},
          {"hash", skill.hash},
          {"files", std::move(files)},
          {"body", skill.body}};
}

void show_fields(const Skill& skill, std::ostream& out) {
  const auto line = [&](const char* key, const std::string& value) {
    if (!value.empty()) out << key << printable(value) << "\n";
  };
  line("description:   ", skill.description);
  line("capabilities:  ", joined(skill.capabilities));
  line("license:       ", skill.license);
  line("compatibility: ", skill.compatibility);
  if (skill.allowed_tools) line("allowed tools: ", joined_or_none(*skill.allowed_tools));
  line("model:         ", skill.model);
  if (skill.disable_model_invocation) line("activated by:  ", "jobs only (field skills)");
  line("hash:          ", skill.hash);
}

/// By directory: of a root, which has skills below it and is none, each of its skills.
std::vector<std::pair<std::string, skills::SkillDocument>> documents_of(
    const std::string& directory, const skills::SkillLimits& limits) {
  std::error_code failure;
  std::vector<std::pair<std::string, skills::SkillDocument>> documents;
  if (!std::filesystem::exists(std::filesystem::path(directory) / skills::kSkillFile, failure)) {
    skills::SkillsConfig root;
    root.roots = {directory};
    root.limits = limits;
    skills::FoundSkills below = skills::find_skills(root);
    for (skills::FoundSkill& found : below.found)
      documents.emplace_back(found.directory, std::move(found.document));
    skills::SkillDocument itself{{}, std::move(below.findings)};
    if (!documents.empty() && !itself.valid()) documents.emplace_back(directory, std::move(itself));
  }
  if (documents.empty())
    documents.emplace_back(directory, skills::read_skill_directory(directory, limits));
  return documents;
}

int not_there(const std::string& name, const skills::FoundSkills& skills, Terminal& terminal) {
  std::vector<std::string> names;
  for (const auto& [known, skill] : skills.skills) names.push_back(known);
  const auto near = nearest_word(name, names);
  terminal.failure("there is no skill '" + printable(name) + "'" +
                   (near ? "; did you mean '" + *near + "'?" : "") +
                   " (there are: " + joined_or_none(names) + ")");
  return kExitFailed;
}

int list(const OnlyJson& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  skills::FoundSkills skills =
      skills::find_skills(session.config().tools.of<skills::SkillsConfig>());
  for (skills::FoundSkill& found : skills.found)
    if (auto wrong = unknown_model(found.document.skill, session.config());
        !wrong.empty() && found.left_out.empty())
      found.left_out = wrong.front().text;
  const bool complete = skills.findings.empty();
  if (arguments.json) {
    Json list = Json::array();
    for (const skills::FoundSkill& found : skills.found) list.push_back(as_json(found));
    write_json({{"skills", std::move(list)}, {"findings", as_json(skills.findings)}},
               terminal.out());
    return complete ? kExitOk : kExitFailed;
  }
  if (session.config().tools.of<skills::SkillsConfig>().roots.empty())
    terminal.out() << "no directories of skills are configured (skills.roots)\n";
  Table table({"skill", "hash", "files", "description"});
  for (const skills::FoundSkill& found : skills.found) {
    const Skill& skill = found.document.skill;
    if (!found.left_out.empty()) continue;
    table.add({skill.name, skill.hash.substr(0, kHashShown), std::to_string(skill.files.size()),
               first_line(skill.description)});
  }
  if (table.rows() > 0) table.write(terminal);
  for (const skills::FoundSkill& found : skills.found)
    if (!found.left_out.empty())
      terminal.out() << terminal.styled(Style::Yellow, "left out") << "  "
                     << printable(found.directory + ": " + found.left_out) << "\n";
  show(skills.findings, terminal);
  return complete ? kExitOk : kExitFailed;
}

int show_one(const SkillShowArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const skills::FoundSkills skills =
      skills::find_skills(session.config().tools.of<skills::SkillsConfig>());
  const auto found = skills.skills.find(arguments.skill);
  if (found == skills.skills.end()) return not_there(arguments.skill, skills, terminal);
  const Skill& skill = *found->second;
  if (arguments.json) {
    write_json(whole_as_json(skill), terminal.out());
    return kExitOk;
  }
  std::ostream& out = terminal.out();
  show_fields(skill, out);
  for (const SkillFile& file : skill.files)
    out << "file:          " << printable(file.path) << " (" << file.bytes << " bytes"
        << (file.text ? "" : ", not readable as a text") << ")\n";
  out << "\n";
  for (std::size_t at = 0; at < skill.body.size();) {
    const std::size_t end = std::min(skill.body.find('\n', at), skill.body.size());
    out << printable(skill.body.substr(at, end - at)) << "\n";
    at = end + 1;
  }
  return kExitOk;
}

int check(const CheckArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  bool all_valid = true;
  Json list = Json::array();
  const skills::SkillLimits& limits = session.config().tools.of<skills::SkillsConfig>().limits;
  for (const std::string& given : arguments.directories) {
    for (const auto& [directory, document] : documents_of(given, limits)) {
      all_valid = all_valid && document.valid();
      if (arguments.json) {
        list.push_back({{"directory", directory},
                        {"valid", document.valid()},
                        {"findings", as_json(document.findings)}});
        continue;
      }
      show(document.findings, terminal);
      if (document.valid())
        terminal.out() << terminal.styled(Style::Green, "valid") << "  " << printable(directory)
                       << "\n";
    }
  }
  if (arguments.json) write_json({{"skills", std::move(list)}}, terminal.out());
  return all_valid ? kExitOk : kExitFailed;
}

}  // namespace

Command skill_list_command() {
  return command<OnlyJson>({.name = "skill list",
                            .summary = "List the skills of the configured directories",
                            .examples = "  ba-agent skill list\n  ba-agent skill list --json"},
                           declare_json<JsonForm::Document>, list);
}

Command skill_show_command() {
  return command<SkillShowArguments>({.name = "skill show",
                                      .summary = "Show a skill's text and its files",
                                      .examples = "  ba-agent skill show delay-analysis"},
                                     declare_show, show_one);
}

Command skill_check_command() {
  return command<CheckArguments>(
      {.name = "skill check",
       .summary = "Check that directories are skills in the Agent Skills format",
       .examples = "  ba-agent skill check skills/delay-analysis\n"
                   "  ba-agent skill check skills --json   # each skill in it",
       .needs = kNeedsNothing},
      declare_check, check);
}

}  // namespace ba::cli
