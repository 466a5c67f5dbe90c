// SPDX-License-Identifier: Apache-2.0
// The grammar of `ba-agent outbox`.
#include "worker/cli/program/command_grammar.hpp"

namespace ba {

void add_outbox(CLI::App& parent, const Chosen& chosen) {
  CLI::App* outbox = command(parent, "outbox", "Look into publishing that has stopped",
                             "  ba-agent outbox verify");
  outbox->require_subcommand(1);
  CLI::App* app = command(*outbox, "verify", "Compare stopped outbox shards with the result topics",
                          "  ba-agent outbox verify\n"
                          "  ba-agent outbox verify --adopt --yes   # with all workers stopped");
  auto arguments = std::make_shared<OutboxVerifyArguments>();
  auto* adopt = app->add_flag("--adopt", arguments->adopt,
                              "Take over what was published, and let the shards go on");
  app->add_flag("--yes", arguments->yes, "Do it, after a look at the comparison")->needs(adopt);
  json_flag(*app, arguments->json);
  app->callback([=] { chosen(*arguments); });
}

}  // namespace ba
