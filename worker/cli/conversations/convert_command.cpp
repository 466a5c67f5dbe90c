// SPDX-License-Identifier: Apache-2.0
// `ba-agent convert`: conversations from one form to another. Neither a database nor a broker is
// asked.
#include <ostream>

#include "worker/cli/conversations/carrier_lines.hpp"

namespace ba::cli {
namespace {

void tell(const Losses& losses, const ConvertArguments& arguments, Terminal& terminal) {
  for (const Losses::Kind& kind : losses.kinds())
    terminal.message("note: the form " + std::string(name_of(kCarrierFormatNames, arguments.to)) +
                     " has no place for " + printable(describe(kind)));
}

int convert_whole(const ConvertArguments& arguments, const InputFile& input, Terminal& terminal) {
  const auto text = read_whole(input, kConversationBytesMax);
  if (!text) return terminal.fail(text.error());
  if (text->find_first_not_of(" \t\r\n") == std::string::npos)
    return refuse(input, "it is empty; a conversation is an array of messages", terminal);
  const auto conversion = convert_conversation(arguments, *text);
  if (!conversion) return refuse(input, conversion.error().message, terminal);
  terminal.out() << carrier_document(arguments.to, conversion->text) << '\n';
  tell(conversion->losses, arguments, terminal);
  return kExitOk;
}

int convert_lines(const ConvertArguments& arguments, const InputFile& input, Terminal& terminal) {
  Losses losses;
  LineAnswers answers;
  answers.of_line = [&](std::string_view line) {
    ConvertedLine converted = convert_line(arguments, line);
    losses.add(converted.losses);
    return std::move(converted.answer);
  };
  answers.of_too_long = refused_conversation_line;
  const AnsweredLines done = answer_lines(input, answers, terminal);
  if (!done.whole) return done.exit_code;
  if (done.answered == 0)
    return refuse(input, "it is empty: there is no line to convert", terminal);
  tell(losses, arguments, terminal);
  return done.exit_code;
}

void declare(CLI::App& app, ConvertArguments& arguments) {
  form_option(app, "--from", arguments.from, FormUse::Read, "The form of the input")->required();
  form_option(app, "--to", arguments.to, FormUse::Written, "The form of the output")->required();
  app.add_flag("--jsonl", arguments.jsonl, "Lines of conversations, answered line by line");
  app.add_flag("--strict", arguments.strict,
               "Refuse a conversation with a part that the other form has no place for");
  app.add_option("file", arguments.file, "Input (default: standard input)");
}

int convert(const ConvertArguments& arguments, const CliSession& session) {
  const InputFile input(arguments.file);
  return arguments.jsonl ? convert_lines(arguments, input, session.terminal)
                         : convert_whole(arguments, input, session.terminal);
}

}  // namespace

Command convert_command() {
  return command<ConvertArguments>(
      {.name = "convert",
       .summary = "Convert conversations from one program's form to another's",
       .notes = "The forms are langchain (messages_to_dict), anthropic (\"system\" and\n"
                "\"messages\"), openai (chat completions), responses (items), and debug,\n"
                "which is only written. Standard error names the parts that the other\n"
                "form has no place for. With --jsonl each line is {\"id\", \"messages\"}, and\n"
                "the answer the same, or {\"id\", \"error\": {\"field\", \"message\"}}.",
       .examples = "  ba-agent convert --from anthropic --to openai conversation.json > "
                   "messages.json\n"
                   "  ba-agent convert --from langchain --to responses --jsonl < many.jsonl",
       .needs = kNeedsNothing},
      declare, convert);
}

}  // namespace ba::cli
