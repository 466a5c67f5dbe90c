// SPDX-License-Identifier: Apache-2.0
// The grammar of `ba-agent encode`.
#include "worker/cli/program/command_grammar.hpp"

namespace ba {
namespace {

constexpr const char* kExamples =
    "  ba-agent encode --format compact rows.json\n"
    "  ba-agent encode --format xml --name query_database < result.json\n"
    "  ba-agent encode --format yaml --decode answer.yaml | jq .\n"
    "  ba-agent encode --format compact --delimiter tab --jsonl < values.jsonl\n"
    "  ba-agent encode --format compact --decode --lenient answer.toon\n\n"
    "One document in, one out; JSON comes out compact, its members in order. With --jsonl each "
    "line\n"
    "{\"id\":ID,\"value\":JSON} is answered by {\"id\":ID,\"text\":TEXT}, with --decode the other "
    "way\n"
    "round, and a bad one by {\"id\":ID,\"error\":WHY}; the exit code is 1 then.\n"
    "compact is TOON 4.0. yaml is `result:` with `data` and `summary`, xml <tool_result "
    "name=\"…\">\n"
    "with <summary> and <data>, as a model reads a tool's whole result; both read back to the "
    "data.";

}  // namespace

void add_encode(CLI::App& parent, const Chosen& chosen) {
  CLI::App* app =
      command(parent, "encode", "Write JSON as a model can read tools' results, or read it back",
              kExamples);
  auto arguments = std::make_shared<EncodeArguments>();
  auto delimiter = std::make_shared<std::string>("comma");
  auto format = std::make_shared<std::string>();
  app->add_option("--format", *format, "compact, yaml or xml")
      ->required()
      ->check(CLI::IsMember({"compact", "yaml", "xml"}));
  app->add_flag("--decode", arguments->decode, "The reverse: to JSON");
  app->add_flag("--jsonl", arguments->jsonl, "One JSON line in, one out, each on its own");
  app->add_option("--name", arguments->name, "Of xml: the tool's name (default: \"tool\")");
  app->add_option("--delimiter", *delimiter, "Of compact: comma, tab or pipe (default: comma)")
      ->check(CLI::IsMember({"comma", "tab", "pipe"}));
  app->add_option("--indent", arguments->indent, "Of compact: spaces for each level (default: 2)")
      ->check(number_from(1, 16));
  app->add_flag("--lenient", arguments->lenient,
                "Of compact, with --decode: don't check counts, indentation and repeated names");
  app->add_option("file", arguments->file, "JSON, or text to decode (default: standard input)");
  app->callback([=] {
    arguments->format = *value_of(kDataEncodingNames, *format);
    if (*delimiter != "comma") arguments->delimiter = *delimiter == "tab" ? '\t' : '|';
    chosen(*arguments);
  });
}

}  // namespace ba
