// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "pipeline/text/encoding/json_document.hpp"
#include "worker/cli/encode/document_codec.hpp"
#include "worker/cli/program/answer_lines.hpp"
#include "worker/cli/program/command_options.hpp"

namespace ba::cli {
namespace {

int convert_whole(const EncodeArguments& arguments, const InputFile& input, Terminal& terminal) {
  std::string text;
  if (input.descriptor() < 0 || !input.read_all(text, kEncodedBytesMax)) {
    terminal.failure(input.failure());
    return kExitFailed;
  }
  const auto converted = convert_document(arguments, text);
  if (!converted) return refuse(input, converted.error().message, terminal);
  terminal.out() << *converted;
  if (!converted->ends_with('\n')) terminal.out() << '\n';
  return kExitOk;
}

int convert_lines(const EncodeArguments& arguments, const InputFile& input, Terminal& terminal) {
  LineAnswers answers;
  answers.of_line = [&](std::string_view line) { return answer_line(arguments, line); };
  answers.of_too_long = [](const std::string& why) {
    return refused_line(why + "; split it, or encode it as one document");
  };
  return answer_lines(input, answers, terminal).exit_code;
}

void declare(CLI::App& app, EncodeArguments& arguments) {
  const auto format = [&](const std::string& text) {
    arguments.format = *value_of(kDataEncodingNames, text);
  };
  const auto delimiter = [&](const std::string& text) {
    arguments.delimiter = text == "comma" ? ',' : text == "tab" ? '\t' : '|';
  };
  app.add_option_function<std::string>("--format", format, "compact, yaml or xml")
      ->required()
      ->check(CLI::IsMember({"compact", "yaml", "xml"}));
  app.add_flag("--decode", arguments.decode, "The reverse: to JSON");
  app.add_flag("--jsonl", arguments.jsonl, "One JSON line in, one out, each on its own");
  app.add_option("--name", arguments.name, "Of xml: the tool's name (default: \"tool\")");
  app.add_option_function<std::string>("--delimiter", delimiter,
                                       "Of compact: comma, tab or pipe (default: comma)")
      ->check(CLI::IsMember({"comma", "tab", "pipe"}));
  app.add_option("--indent", arguments.indent, "Of compact: spaces for each level (default: 2)")
      ->check(number_from(1, 16));
  app.add_flag("--lenient", arguments.lenient,
               "Of compact, with --decode: don't check counts, indentation and repeated names");
  app.add_option("file", arguments.file, "JSON, or text to decode (default: standard input)");
}

constexpr const char* kNotes =
    "One document goes in, one comes out. JSON comes out compact, its members in order. With\n"
    "--jsonl each line {\"id\":ID,\"value\":JSON} is answered by {\"id\":ID,\"text\":TEXT}, with\n"
    "--decode the other way round. A bad line is answered by {\"id\":ID,\"error\":WHY}; the exit\n"
    "code is 1 then.\n"
    "compact is TOON 4.0. yaml is `result:` with `data` and `summary`; xml is\n"
    "<tool_result name=\"…\"> with <summary> and <data>. So a model reads a tool's whole result.\n"
    "Both read back to the data.";

constexpr const char* kExamples =
    "  ba-agent encode --format compact rows.json\n"
    "  ba-agent encode --format xml --name query_database < result.json\n"
    "  ba-agent encode --format yaml --decode answer.yaml | jq .\n"
    "  ba-agent encode --format compact --delimiter tab --jsonl < values.jsonl\n"
    "  ba-agent encode --format compact --decode --lenient answer.toon";

int encode(const EncodeArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  if (const auto problem = problem_of(arguments)) {
    terminal.failure(*problem);
    return kExitUsage;
  }
  const InputFile input(arguments.file);
  return arguments.jsonl ? convert_lines(arguments, input, terminal)
                         : convert_whole(arguments, input, terminal);
}

}  // namespace

Command encode_command() {
  return command<EncodeArguments>(
      {.name = "encode",
       .summary = "Write JSON as a model can read tools' results, or read it back",
       .notes = kNotes,
       .examples = kExamples,
       .needs = kNeedsNothing},
      declare, encode);
}

}  // namespace ba::cli
