// SPDX-License-Identifier: Apache-2.0
// The grammar of `ba-agent tokens`.
#include "worker/cli/program/command_grammar.hpp"

namespace ba {
namespace {

constexpr const char* kCountExamples =
    "  ba-agent tokens count --encoding o200k_base prompt.txt notes.md\n"
    "  ba-agent tokens count --model claude-sonnet-5 --margin < prompt.txt\n"
    "  ba-agent tokens count --encoding cl100k_base --jsonl < texts.jsonl\n"
    "  ba-agent tokens count --tokenizer qwen/tokenizer.json prompt.txt\n\n"
    "Exact counts of the encoding; special tokens are text like any other, broken UTF-8 counts as\n"
    "U+FFFD. By a Hugging Face tokenizer.json (byte-level BPE) the tokens it adds, such as\n"
    "<|im_start|>, count as one each. A model whose tokenizer isn't here is counted by the\n"
    "encoding that stands for it, which is an estimate: a line on standard error says so, and\n"
    "--margin adds what it may have more. --provider, or use_exact_counting in the file of\n"
    "encoders, asks its provider, which costs nothing and counts what stands around a message,\n"
    "too; where that fails, the margin is added. With --jsonl each line {\"id\":ID,\"text\":TEXT}\n"
    "is answered by {\"id\":ID,\"count\":N}, a bad one by {\"id\":ID,\"error\":WHY}; the exit "
    "code\n"
    "is 1 then.";

void add_count(CLI::App& tokens, const Chosen& chosen) {
  CLI::App* app = command(tokens, "count", "How many tokens texts have", kCountExamples);
  auto arguments = std::make_shared<TokensCountArguments>();
  CLI::Option* model =
      app->add_option("--model", arguments->model,
                      "As this model's are counted: its own name, or one of llm.models")
          ->check(not_empty());
  CLI::Option* encoding =
      app->add_option("--encoding", arguments->encoding, "cl100k_base or o200k_base")
          ->check(CLI::IsMember({"cl100k_base", "o200k_base"}))
          ->excludes(model);
  CLI::Option* tokenizer =
      app->add_option("--tokenizer", arguments->tokenizer, "A tokenizer.json of Hugging Face's")
          ->check(not_empty())
          ->excludes(model)
          ->excludes(encoding);
  app->add_flag("--margin", arguments->margin, "With the model's safety margin")->needs(model);
  app->add_flag("--provider", arguments->provider,
                "By the provider's own endpoint, where the configured model has one")
      ->needs(model)
      ->excludes("--margin");
  app->add_flag("--estimate", arguments->estimate, "The cheap estimate, by characters")
      ->excludes("--margin")
      ->excludes("--provider");
  app->add_flag("--jsonl", arguments->jsonl, "One JSON line in, one out");
  app->add_option("file", arguments->files, "Texts (default: standard input)");
  app->callback([=] {
    if (model->count() + encoding->count() + tokenizer->count() == 0 && !arguments->estimate)
      throw CLI::RequiredError("--model, --encoding or --tokenizer");
    if (arguments->jsonl && arguments->files.size() > 1)
      throw CLI::ValidationError("file", "--jsonl reads one file, or standard input");
    if (arguments->files.empty()) arguments->files.emplace_back();
    chosen(*arguments);
  });
}

void add_info(CLI::App& tokens, const Chosen& chosen) {
  CLI::App* app = command(tokens, "info", "How a model's tokens are counted",
                          "  ba-agent tokens info --model gpt-4o");
  auto arguments = std::make_shared<TokensInfoArguments>();
  app->add_option("--model", arguments->model, "The model's name, its own or one of llm.models")
      ->required()
      ->check(not_empty());
  app->callback([=] { chosen(*arguments); });
}

}  // namespace

void add_tokens(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app = command(parent, "tokens", "Count tokens, exactly",
                          "  ba-agent tokens count --encoding o200k_base prompt.txt\n"
                          "  ba-agent tokens info --model gpt-4o");
  app->require_subcommand(1);
  add_count(*app, chosen);
  add_info(*app, chosen);
}

}  // namespace ba
