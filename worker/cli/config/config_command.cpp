// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pipeline/base/exact_json.hpp"
#include "worker/cli/config/problem_json.hpp"
#include "worker/cli/config/server_programs.hpp"
#include "worker/cli/config/summary_note.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/needs.hpp"
#include "worker/cli/skills/skill_warnings.hpp"
#include "worker/config/print_settings.hpp"
#include "worker/config/settings_schema.hpp"
#include "worker/config/text_counter.hpp"

namespace ba::cli {
namespace {

struct PrintArguments {
  bool json = false;
  bool origins = true;
  bool encoders = false;  ///< those of token_encoders.yaml
};

void declare_print(CLI::App& app, PrintArguments& arguments) {
  app.add_flag_callback(
      "--no-origins", [&arguments] { arguments.origins = false; },
      "Leave out the origins of values");
  app.add_flag("--encoders", arguments.encoders,
               "Print token_encoders.yaml instead: how the models that it names are counted");
  json_flag(app, arguments.json, JsonForm::Document);
}

using Json = nlohmann::ordered_json;

Json setting_as_json(const settings::Setting& setting) {
  return {{"key", setting.key()},
          {"value", parse_exact<Json>(setting.value_json)},
          {"origin", setting.origin.text()}};
}

void write(std::ostream& out, const Json& json) { out << dump_exact(json, 2) << "\n"; }

std::vector<settings::Finding> problems_of(const config::LoadedConfig& loaded) {
  std::vector<settings::Finding> problems = loaded.findings.problems;
  if (const auto counters = config::text_counters(loaded); !counters)
    problems.push_back(
        {{}, {.kind = SettingProblem::Kind::Unreadable, .words = counters.error().message}});
  return problems;
}

/// Valid without them, for those who need less; a worker can't start.
std::vector<std::string> warnings_of(const config::LoadedConfig& loaded) {
  std::vector<std::string> warnings = loaded.findings.warnings();
  for (const std::string& word : skills_of(loaded).words) warnings.push_back(word);
  for (const std::string& word : missing_programs(loaded)) warnings.push_back(word);
  if (loaded.usable() && loaded.config.llm.models.empty())
    warnings.push_back(std::string(llm::kNoModel) +
                       ", which a worker needs: " + llm::kNoModelRemedy);
  if (!loaded.usable()) return warnings;
  constexpr const char* kNeeded = " (a worker needs it)";
  if (const auto kafka = kafka_of(loaded.config); !kafka)
    warnings.push_back(kafka.error().message + kNeeded);
  if (const auto postgres = postgres_of(loaded.config); !postgres)
    warnings.push_back(postgres.error().message + kNeeded);
  return warnings;
}

/// As what every other command says of them.
std::vector<std::string> cleaned(std::vector<std::string> words, const Terminal& terminal) {
  for (std::string& each : words) each = terminal.clean(each);
  return words;
}

/// Without what was given and nothing reads.
std::vector<settings::Setting> settings_in_force(const settings::Findings& findings) {
  std::vector<settings::Setting> settings = findings.settings;
  std::erase_if(settings, [&](const settings::Setting& setting) {
    return std::ranges::any_of(findings.unused_keys, [&](const std::string& unused) {
      return setting.key().starts_with(unused + ".");
    });
  });
  return settings;
}

int check(const OnlyJson& arguments, const CliSession& session) {
  const settings::Findings& findings = session.loaded.findings;
  const std::vector<settings::Finding> found = problems_of(session.loaded);
  std::vector<std::string> errors;
  Json problems = Json::array();
  for (const settings::Finding& finding : found) {
    errors.push_back(session.terminal.clean(findings.line_of(finding)));
    problems.push_back(problem_as_json(finding, findings, session.terminal));
  }
  const bool good = session.loaded.usable() && errors.empty();
  const std::vector<std::string> warnings = cleaned(warnings_of(session.loaded), session.terminal);
  const std::vector<std::string> notes =
      good ? std::vector<std::string>{session.terminal.clean(summary_note(session.config()))}
           : std::vector<std::string>();
  std::ostream& out = session.terminal.out();
  if (arguments.json) {
    write(out, Json{{"ok", good},
                    {"file", session.loaded.file},
                    {"errors", errors},
                    {"problems", std::move(problems)},
                    {"warnings", warnings},
                    {"notes", notes}});
  } else {
    for (const std::string& error : errors)
      out << session.terminal.styled(Style::Red, "error") << "    " << printable(error) << "\n";
    for (const std::string& warning : warnings)
      out << session.terminal.styled(Style::Yellow, "warning") << "  " << printable(warning)
          << "\n";
    for (const std::string& note : notes) out << "note     " << printable(note) << "\n";
    const std::string file = session.loaded.file.empty() ? "no file" : session.loaded.file;
    if (good) out << "configuration is valid (" << file << ")\n";
  }
  return good ? kExitOk : kExitConfiguration;
}

int print_schema(const NoArguments&, const CliSession& session) {
  session.terminal.out() << config::settings_schema() << "\n";
  return kExitOk;
}

int print(const PrintArguments& arguments, const CliSession& session) {
  const config::TokenEncoders& encoders = session.loaded.token_encoders;
  const settings::Findings& findings =
      arguments.encoders ? encoders.findings : session.loaded.findings;
  const std::string& file = arguments.encoders ? encoders.file : session.loaded.file;
  std::ostream& out = session.terminal.out();
  const std::vector<settings::Setting> in_force = settings_in_force(findings);
  if (arguments.json) {
    Json settings = Json::array();
    for (const settings::Setting& setting : in_force) settings.push_back(setting_as_json(setting));
    write(out, Json{{"file", file}, {"settings", std::move(settings)}});
  } else {
    out << config::settings_as_yaml(
        in_force, arguments.origins,
        arguments.encoders ? config::Variables::NoneAtAll : config::Variables::FilledIn);
  }
  // Of the whole configuration `config check` tells; of this file nobody else does.
  if (arguments.encoders)
    for (const std::string& warning : findings.warnings())
      session.terminal.message("warning: " + printable(warning));
  for (const std::string& key : findings.unused_keys)
    session.terminal.message("warning: " + printable(key) +
                             " is left out: nothing reads it; see `ba-agent config check`");
  for (const std::string& error : findings.errors()) session.terminal.failure(printable(error));
  return findings.problems.empty() ? kExitOk : kExitConfiguration;
}

}  // namespace

Command config_check_command() {
  return command<OnlyJson>({.name = "config check",
                            .summary = "Say everything that is wrong with the configuration",
                            .examples = "  ba-agent config check --config new.yaml",
                            .needs = kNeedsNothing},
                           declare_json<JsonForm::Document>, check);
}

Command config_print_command() {
  return command<PrintArguments>(
      {.name = "config print",
       .summary = "Print the settings in force, secrets masked",
       .examples = "  ba-agent config print\n  ba-agent config print --no-origins\n"
                   "  ba-agent config print --encoders",
       .needs = kNeedsNothing},
      declare_print, print);
}

Command config_schema_command() {
  return command<NoArguments>(
      {.name = "config schema",
       .summary = "Print a JSON Schema of the configuration, for editors",
       .examples = "  ba-agent config schema > ba-agent.schema.json\n"
                   "  # first line of ba-agent.yaml, for editors that use yaml-language-server:\n"
                   "  # yaml-language-server: $schema=ba-agent.schema.json",
       .needs = kNeedsNothing},
      declare_nothing, print_schema);
}

}  // namespace ba::cli
