// SPDX-License-Identifier: Apache-2.0
// `ba-agent history compress`: what a model would be sent of a conversation. Neither a database nor
// a broker is asked.
#include <ostream>

#include "pipeline/text/message/langchain_json.hpp"
#include "worker/cli/conversations/history_compression.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/input_file.hpp"
#include "worker/cli/tokens/provider_counter.hpp"

namespace ba {
namespace {

struct CompressArguments {
  std::string model;  ///< empty: by o200k_base
  std::int64_t window = 200'000;
  std::optional<CompressionMode> mode;
  int threshold_percent = 0;  ///< 0: of the configuration
  int target_percent = 0;     ///< the same
  std::string file;           ///< empty or "-": standard input
};

void declare(CLI::App& app, CompressArguments& arguments) {
  filter_option(app, "--model", arguments.model,
                "As this model's tokens are counted, with its margin (default: o200k_base)");
  app.add_option("--window", arguments.window, "Its window in tokens (default: 200000)")
      ->check(number_from(1, 100'000'000));
  app.add_option_function<std::string>(
         "--mode",
         [&arguments](const std::string& text) {
           arguments.mode = value_of(kCompressionModeNames, text);
         },
         "auto, truncate or extract")
      ->check(CLI::IsMember({"auto", "truncate", "extract"}));
  app.add_option("--threshold", arguments.threshold_percent, "Per cent of the window")
      ->check(number_from(1, 100));
  app.add_option("--target", arguments.target_percent, "Per cent of the window")
      ->check(number_from(1, 100));
  app.add_option("file", arguments.file, "Messages (default: standard input)");
}

constexpr std::size_t kHistoryBytesMax = std::size_t{256} << 20;

Result<CompressionQuestion> question_of(const CompressArguments& arguments,
                                        const CliSession& session) {
  TokenProfile profile;
  profile.encoding_name = name_of(kTokenEncodingNames, TokenEncoding::O200kBase);
  profile.margin_millionths = 1'000'000;
  if (!arguments.model.empty())
    profile = session.loaded.token_encoders.profiles.of(
        model_id_of(session.config().llm, arguments.model));
  Result<TextCounter> count = text_counter(profile);
  if (!count) return count.error();
  CompressionQuestion question;
  question.model = arguments.model;
  question.window = arguments.window;
  question.rules = session.config().context;
  if (arguments.mode) question.rules.mode = *arguments.mode;
  if (arguments.threshold_percent > 0)
    question.rules.threshold_percent = arguments.threshold_percent;
  if (arguments.target_percent > 0) question.rules.target_percent = arguments.target_percent;
  question.count = std::move(*count);
  question.margin_millionths = profile.margin_millionths;
  return question;
}

std::string nothing_done(std::size_t messages, std::int64_t tokens,
                         const CompressionQuestion& question) {
  const bool over = tokens * 100 >= question.window * question.rules.threshold_percent;
  return "nothing is compressed: " + std::to_string(messages) + " messages have " +
         std::to_string(tokens) + " tokens, which is " + (over ? "not " : "") + "below " +
         std::to_string(question.rules.threshold_percent) + " % of " +
         std::to_string(question.window) +
         (over ? "; but none of them may go: they are the last rounds, or system messages" : "");
}

int compress(const CompressArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const Result<CompressionQuestion> question = question_of(arguments, session);
  if (!question) return terminal.fail(question.error());
  const InputFile input(arguments.file);
  const auto text = read_whole(input, kHistoryBytesMax);
  if (!text) return terminal.fail(text.error());
  const Result<std::vector<Message>> history = read_exported_history(*text);
  if (!history) return refuse(input, history.error().message, terminal);
  const HistoryCompression compression = compressed_for(*history, *question);
  for (const CompressionEvent& event : compression.events) terminal.message(describe(event));
  if (!compression.summary.empty()) terminal.message(compression.summary);
  if (compression.events.empty())
    terminal.message(nothing_done(history->size(), compression.tokens, *question));
  terminal.out() << messages_to_json(compression.messages) << '\n';
  return kExitOk;
}

}  // namespace

Command history_compress_command() {
  return command<CompressArguments>(
      {.name = "history compress",
       .summary = "Print what a model would be sent of a long conversation",
       .notes = "It reads messages as LangChain's messages_to_dict writes them, and prints what a "
                "model would\n"
                "be sent. Standard error says what was done. The rules are those of section "
                "`context`.",
       .examples = "  ba-agent history compress conversation.json > shorter.json\n"
                   "  ba-agent history compress --model claude-sonnet-5 --window 32000 "
                   "conversation.json"},
      declare, compress);
}

}  // namespace ba
