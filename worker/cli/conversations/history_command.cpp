// SPDX-License-Identifier: Apache-2.0
// `ba-agent history compress`: what a model would be sent of a conversation. Neither a database nor
// a broker is asked.
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/core/context/context_view.hpp"
#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/text/message/langchain_json.hpp"
#include "pipeline/text/message/validate.hpp"
#include "worker/cli/program/command_options.hpp"
#include "worker/cli/program/input_file.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/cli/tokens/token_counts.hpp"
#include "worker/config/text_counter.hpp"

namespace ba::cli {
namespace {

// What would become of an exported conversation that is too long for a window. Pure functions but
// for the counter; its thread.

struct HistoryCompression {
  std::vector<Message> messages;         ///< what a model would be sent
  std::vector<CompressionEvent> events;  ///< none: the whole history
  std::int64_t tokens = 0;               ///< of the history, without margin
  std::string summary;                   ///< that a model would be asked for; empty: none
};

struct CompressionQuestion {
  std::string model;  ///< that would read it; empty: not known
  std::int64_t window = 200'000;
  CompressionRules rules;
  config::TextCounter count;
  std::int64_t margin_millionths = 1'000'000;
};

class CounterMeter final : public TokenMeter {
 public:
  explicit CounterMeter(const CompressionQuestion& question) : question_(question) {}

  std::int64_t count(const std::string&, std::string_view text) override {
    return question_.count(text);
  }
  std::int64_t margin_millionths(const std::string&) const override {
    return question_.margin_millionths;
  }

 private:
  const CompressionQuestion& question_;
};

void give_ids(std::vector<Message>& history) {
  int round = 0;
  for (std::size_t i = 0; i < history.size(); ++i) {
    MessageMeta& meta = meta_of(history[i]);
    if (meta.message_id.empty()) meta.message_id = MessageId("message-" + std::to_string(i + 1));
    if (std::holds_alternative<HumanMessage>(history[i]) && !is_hidden(history[i])) ++round;
    if (meta.round_id.empty() && round > 0) meta.round_id = std::to_string(round);
  }
}

/// The history is told without an agent, whose model would do it.
std::string writer_of(const SummaryRequest& wanted) {
  return wanted.model.empty() ? "the agent's model" : "\"" + wanted.model + "\"";
}

/// `json` is what LangChain's messages_to_dict writes. Ids that its messages don't have are given;
/// where there are no round ids, a round begins with what the user says.
Result<std::vector<Message>> read_exported_history(std::string_view json) {
  Result<std::vector<Message>> history = messages_from_json(json);
  if (!history) return history;
  give_ids(*history);
  if (const auto valid = validate_history(*history, HistoryEnd::Answered); !valid)
    return valid.error();
  return history;
}

/// As if the model was asked now for the first time.
HistoryCompression compressed_for(const std::vector<Message>& history,
                                  const CompressionQuestion& question) {
  CounterMeter meter(question);
  ContextFrame frame;
  frame.model = question.model;
  frame.window = question.window;
  frame.earlier_messages = history.size();
  ContextView view(frame, question.rules, &meter);
  HistoryCompression result;
  for (const Message* message : view.messages({history})) result.messages.push_back(*message);
  result.events = view.take_events();
  if (const SummaryRequest* wanted = view.wanted_summary())
    result.summary = "a worker would have " + writer_of(*wanted) + " write a summary up to round " +
                     wanted->round_id + ", estimated at " + thousands(wanted->estimate_tokens) +
                     " tokens; here extracts stand for it";
  for (const Message& message : history) result.tokens += message_tokens(message, question.count);
  return result;
}

/// "extract: 120 messages, 170,000 tokens → 40 messages, 99,000 tokens"
std::string describe(const CompressionEvent& event) {
  std::string text(name_of(kCompressionModeNames, event.mode));
  text += ": " + thousands(static_cast<std::int64_t>(event.messages_before)) + " messages, " +
          thousands(event.tokens_before) + " tokens → " +
          thousands(static_cast<std::int64_t>(event.messages_after)) + " messages, " +
          thousands(event.tokens_after) + " tokens";
  if (!event.missed.empty()) text += "; the target was missed: " + event.missed;
  return text;
}

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
  Result<config::TextCounter> count = config::text_counter(profile);
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
       .summary = "Print the messages of a long conversation that a model would read",
       .notes = "It reads messages as LangChain's messages_to_dict writes them, and prints the\n"
                "messages for the model. Standard error tells of each change. The rules are\n"
                "those of section `context`.",
       .examples = "  ba-agent history compress conversation.json > shorter.json\n"
                   "  ba-agent history compress --model claude-sonnet-5 --window 32000 "
                   "conversation.json"},
      declare, compress);
}

}  // namespace ba::cli
