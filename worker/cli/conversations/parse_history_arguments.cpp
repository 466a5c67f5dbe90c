// SPDX-License-Identifier: Apache-2.0
// The grammar of `ba-agent history`.
#include "worker/cli/program/command_grammar.hpp"

namespace ba {
namespace {

constexpr const char* kCompressExamples =
    "  ba-agent history compress conversation.json > shorter.json\n"
    "  ba-agent history compress --model claude-sonnet-5 --window 32000 conversation.json\n\n"
    "Messages as LangChain's messages_to_dict writes them in, what a model would be sent out; "
    "what\n"
    "was done is said on standard error. Rules are those of section `context`.";

}  // namespace

void add_history(CLI::App& parent, const Chosen& chosen) {
  CLI::App* history = command(parent, "history", "Look at conversations",
                              "  ba-agent history compress conversation.json");
  history->require_subcommand(1);
  CLI::App* app =
      command(*history, "compress", "What would be sent of a long conversation", kCompressExamples);
  auto arguments = std::make_shared<HistoryCompressArguments>();
  auto mode = std::make_shared<std::string>();
  app->add_option("--model", arguments->model,
                  "As this model's tokens are counted, with its margin (default: o200k_base)")
      ->check(not_empty());
  app->add_option("--window", arguments->window, "Its window in tokens (default: 200000)")
      ->check(number_from(1, 100'000'000));
  app->add_option("--mode", *mode, "auto, truncate or extract")
      ->check(CLI::IsMember({"auto", "truncate", "extract"}));
  app->add_option("--threshold", arguments->threshold_percent, "Per cent of the window")
      ->check(number_from(1, 100));
  app->add_option("--target", arguments->target_percent, "Per cent of the window")
      ->check(number_from(1, 100));
  app->add_option("file", arguments->file, "Messages (default: standard input)");
  app->callback([=] {
    if (!mode->empty()) arguments->mode = value_of(kCompressionModeNames, *mode);
    chosen(*arguments);
  });
}

}  // namespace ba
