// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "worker/cli/doctor/check.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/config/descriptors.hpp"

namespace ba::cli {
namespace {

struct DoctorArguments {
  bool call = false;
  bool json = false;
};

void declare(CLI::App& app, DoctorArguments& arguments) {
  app.add_flag("--call", arguments.call,
               "Also make one small call of each model in use: the default model, those of agents, "
               "skills and summaries");
  json_flag(app, arguments.json, JsonForm::Document);
}

/// What can be asked about: not those whose key is in a file that can't be read, which is told as
/// an error of the configuration.
config::Config askable(const config::LoadedConfig& loaded) {
  config::Config config = loaded.config;
  std::erase_if(config.llm.providers, [&](const llm::ProviderConfig& provider) {
    return loaded.findings.wrong_keys.contains("llm.providers." + provider.name + ".api_key");
  });
  return config;
}

/// Two checks want what the servers of tools say.
ListMcpServers asked_once(const ListMcpServers& list) {
  if (!list) return {};
  return [list, answer = std::make_shared<std::optional<std::vector<mcp::McpServerReport>>>()](
             const config::LoadedConfig& loaded) {
    if (!*answer) *answer = list(loaded);
    return **answer;
  };
}

int diagnose(const DoctorArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  auto json = nlohmann::ordered_json::array();
  int exit_code = kExitOk;
  const auto take = [&](const Checks& checks) {
    for (Check check : checks) {
      check.message = terminal.clean(check.message);  // servers and libraries repeat what they got
      check.remedy = terminal.clean(check.remedy);
      for (std::string& finding : check.findings) finding = terminal.clean(finding);
      if (exit_code == kExitOk && check.status == CheckStatus::Fail) exit_code = check.exit_code;
      if (arguments.json)
        json.push_back(check_json(check));
      else
        show_check(check, terminal);
    }
  };
  const config::Config config = askable(session.loaded);
  take(check_configuration(session.loaded));
  take(check_descriptors(session.config(), config::descriptor_limit()));
  take(check_kafka(session.config()));
  if (!session.loaded.findings.wrong_keys.contains("postgres.url"))
    take(check_postgres(session.config()));
  const std::set<std::string> called =
      arguments.call ? models_in_use(session.loaded) : std::set<std::string>();
  take(check_models(config, called));
  if (arguments.call) take(check_model_calls(session.loaded, called, session.hooks.ask_model));
  take(check_data_sources(session.config(), session.loaded.findings));
  take(check_skills(session.loaded));
  take(check_services(session.config()));
  take(check_traces(session.config()));
  const ListMcpServers servers = asked_once(session.hooks.list_mcp_servers);
  take(check_mcp_servers(session.loaded, servers));
  take(check_tools(session.loaded, servers));
  if (arguments.json)
    terminal.out()
        << nlohmann::ordered_json{{"ok", exit_code == kExitOk}, {"checks", std::move(json)}}.dump(2)
        << "\n";
  return exit_code;
}

}  // namespace

Command doctor_command() {
  return command<DoctorArguments>(
      {.name = "doctor",
       .summary = "Check every dependency and print the remedies",
       .examples = "  ba-agent doctor\n"
                   "  ba-agent doctor --call   # one tiny paid call of each model in use\n"
                   "  ba-agent doctor --json",
       .needs = kNeedsNothing},
      declare, diagnose);
}

}  // namespace ba::cli
