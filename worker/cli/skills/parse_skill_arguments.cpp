// SPDX-License-Identifier: Apache-2.0
// The grammar of `ba-agent skill`.
#include "worker/cli/program/command_grammar.hpp"

namespace ba {
namespace {

void add_list(CLI::App& skill, const Chosen& chosen) {
  CLI::App* app = command(skill, "list", "The skills of the configured directories",
                          "  ba-agent skill list\n  ba-agent skill list --json");
  auto arguments = std::make_shared<SkillListArguments>();
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_show(CLI::App& skill, const Chosen& chosen) {
  CLI::App* app = command(skill, "show", "What a skill says, and its files",
                          "  ba-agent skill show delay-analysis");
  auto arguments = std::make_shared<SkillShowArguments>();
  app->add_option("skill", arguments->skill, "The skill's name (`ba-agent skill list`)")
      ->required();
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

void add_check(CLI::App& skill, const Chosen& chosen) {
  CLI::App* app = command(skill, "check",
                          "Whether directories are skills as the Agent Skills format asks it.\n"
                          "Needs no server and no configuration",
                          "  ba-agent skill check skills/delay-analysis\n"
                          "  ba-agent skill check skills --json   # each skill in it");
  auto arguments = std::make_shared<SkillCheckArguments>();
  app->add_option("directory", arguments->directories,
                  "Directories with a SKILL.md, or with such directories in them")
      ->required();
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

}  // namespace

void add_skill(CLI::App& parent, const Chosen& chosen) {
  CLI::App* skill = command(parent, "skill", "Look at the skills of agents",
                            "  ba-agent skill list\n"
                            "  ba-agent skill check skills/delay-analysis");
  skill->require_subcommand(1);
  add_list(*skill, chosen);
  add_show(*skill, chosen);
  add_check(*skill, chosen);
}

}  // namespace ba
