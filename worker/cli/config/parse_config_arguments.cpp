// SPDX-License-Identifier: Apache-2.0
// The grammar of `ba-agent config`.
#include "worker/cli/program/command_grammar.hpp"

namespace ba {

void add_config(CLI::App& parent, const Chosen& chosen) {
  CLI::App* config = command(parent, "config", "Check, print or describe the configuration",
                             "  ba-agent config check --config new.yaml\n  ba-agent config print");
  config->require_subcommand(1);
  CLI::App* check = command(*config, "check", "Say everything that is wrong with it",
                            "  ba-agent config check --config new.yaml");
  auto check_arguments = std::make_shared<ConfigCheckArguments>();
  json_flag(*check, check_arguments->json);
  check->callback([=] { chosen(*check_arguments); });

  CLI::App* print = command(*config, "print", "Print what is in force, secrets masked",
                            "  ba-agent config print\n  ba-agent config print --no-origins\n"
                            "  ba-agent config print --encoders");
  auto print_arguments = std::make_shared<ConfigPrintArguments>();
  json_flag(*print, print_arguments->json);
  print->add_flag_callback(
      "--no-origins", [=] { print_arguments->origins = false; },
      "Leave out where values come from");
  print->add_flag_callback(
      "--encoders", [=] { print_arguments->encoders = true; },
      "Print token_encoders.yaml instead: how the models that it names are counted");
  print->callback([=] { chosen(*print_arguments); });

  CLI::App* schema = command(*config, "schema", "Print it as a JSON Schema, for editors",
                             "  ba-agent config schema > ba-agent.schema.json\n"
                             "  # first line of ba-agent.yaml, for editors that use\n"
                             "  # yaml-language-server:\n"
                             "  # yaml-language-server: $schema=ba-agent.schema.json");
  schema->callback([=] { chosen(ConfigSchemaArguments{}); });
}

}  // namespace ba
