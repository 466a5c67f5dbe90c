// SPDX-License-Identifier: Apache-2.0
// `ba-agent tool explain`: does a call pass the first filter, what does it mean, might its result
// be kept? Neither a database nor a broker is asked, and no tool; a server of tools only for the
// list that has its tool. What names in SQL stand for, the data source decides when the call runs.
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/explain.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "worker/cli/program/answer_lines.hpp"
#include "worker/cli/tools/server_tools.hpp"
#include "worker/cli/tools/tool_calls.hpp"
#include "worker/tools/sql/statement/sql_meaning.hpp"

namespace ba::cli {
namespace {

struct ExplainArguments {
  ToolCallArguments call;  ///< without arguments where lines hold them
  bool jsonl = false;
  std::string file;  ///< of --jsonl; empty or "-": standard input
  bool json = false;
};

void declare(CLI::App& app, ExplainArguments& arguments) {
  const GivenArguments given =
      declare_call(app, arguments.call,
                   "The arguments as JSON, or - for standard input; with --jsonl a file (default: "
                   "standard input)");
  app.add_flag("--jsonl", arguments.jsonl, "Answer each line of a log of calls")
      ->excludes(given.file);
  json_flag(app, arguments.json, JsonForm::Document);
  app.callback([given, &arguments] {
    if (!arguments.jsonl && !given.any())
      throw CLI::RequiredError(std::string(kNoCallArguments) + ", or --jsonl,");
    if (arguments.jsonl) arguments.file = std::exchange(arguments.call.args, "");
  });
}

using Json = nlohmann::ordered_json;

/// Explains calls of one tool, each an object `{"allowed", "cacheable", …}`.
class Explainer {
 public:
  Explainer(const ToolCatalogue& catalogue, const config::Config& config, ToolRequest request)
      : catalogue_(catalogue),
        runtime_(config.tool_runtime),
        args_bytes_max_(config.llm.limits.tool_args_bytes_max),
        request_(std::move(request)) {
    // Without its configuration a tool knows nobody, and would be refused whoever was named.
    if (catalogue.configured(request_.call.name)) targets_.emplace(config, request_);
  }

  Json explain(std::string_view args) {
    if (args.size() > static_cast<std::size_t>(args_bytes_max_))
      return refused("the arguments: " + too_long_arguments(args_bytes_max_));
    request_.call.args_json = args;
    CallExplanation explanation = explain_call(catalogue_.tools(), runtime_, request_, meaning_);
    if (!explanation.refused && targets_)
      explanation.refused = targets_->refusal(request_.call.args_json);
    Json answer = empty_answer();
    answer["allowed"] = !explanation.refused;
    if (explanation.refused) answer["reason"] = explanation.refused->message;
    if (!explanation.reading) return answer;
    const CallReading& reading = *explanation.reading;
    answer["cacheable"] = !explanation.refused && !reading.not_cacheable;
    answer["key"] = reading.key.digest;
    answer["canonical"] = reading.key.canonical;
    if (!explanation.refused && reading.not_cacheable) answer["reason"] = *reading.not_cacheable;
    return answer;
  }

  /// Of what can't be looked at, also of a line that holds no call.
  static Json refused(const std::string& why) {
    Json answer = empty_answer();
    answer["reason"] = why;
    return answer;
  }

 private:
  static Json empty_answer() {
    return {{"allowed", false},
            {"cacheable", false},
            {"key", nullptr},
            {"canonical", nullptr},
            {"reason", nullptr}};
  }

  const ToolCatalogue& catalogue_;
  const ToolRuntimeConfig& runtime_;
  const std::int64_t args_bytes_max_;
  ToolRequest request_;
  std::optional<CallTargets> targets_;
  sql::SqlMeaning meaning_;
};

std::string line(std::string_view id, const Json& answer) {
  return with_id(id, dump_exact(answer));
}

/// Answers lines {"id", "args"}; the good ones are those that hold a call.
class LineExplainer {
 public:
  explicit LineExplainer(Explainer& explainer) : explainer_(explainer) {}

  /// A blank line holds nothing and is passed over.
  LineAnswer answer(std::string_view text) {
    ++number_;
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) return {};
    if (json_shape(text).depth > JsonView::kDepthMax)
      return no_call(kNoId, "JSON of more than " + std::to_string(JsonView::kDepthMax) + " levels");
    const Result<JsonView> call = JsonView::parse(text);
    if (!call) return no_call(kNoId, "not JSON: " + call.error().message);
    if (!call->is(JsonKind::Object)) return no_call(kNoId, "not an object {\"id\", \"args\"}");
    const std::string_view id = id_of_line(text);
    const JsonView args = (*call)["args"];
    if (args.is(JsonKind::Missing)) return no_call(id, "\"args\" is missing: the call's arguments");
    return {line(id, explainer_.explain(args.raw()))};
  }

  LineAnswer too_long() {
    ++number_;
    return no_call(kNoId, "longer than " + std::to_string(kLineBytesMax) + " bytes");
  }

 private:
  LineAnswer no_call(std::string_view id, const std::string& why) const {
    return {line(id, Explainer::refused("line " + std::to_string(number_) + ": " + why)), false};
  }

  Explainer& explainer_;
  std::size_t number_ = 0;  ///< of the line, from 1
};

int explain_lines(Explainer& explainer, const std::string& file, Terminal& terminal) {
  LineExplainer lines(explainer);
  LineAnswers answers;
  answers.of_line = [&](std::string_view text) { return lines.answer(text); };
  answers.of_too_long = [&](const std::string&) { return lines.too_long(); };
  const AnsweredLines done = answer_lines(InputFile(file), answers, terminal);
  if (done.whole && done.not_good > 0)
    terminal.failure(std::to_string(done.not_good) + " of " + std::to_string(done.answered) +
                     " lines hold no call; each answer says why");
  return done.exit_code;
}

void show(const Json& answer, Terminal& terminal) {
  const auto yes_no = [&](const char* name) { return answer[name] == true ? "yes" : "no"; };
  std::ostream& out = terminal.out();
  out << "allowed    " << yes_no("allowed") << "\ncacheable  " << yes_no("cacheable") << "\n";
  for (const char* name : {"reason", "key", "canonical"})
    if (answer[name].is_string())
      out << name << std::string(11 - std::string(name).size(), ' ')
          << printable(answer[name].get<std::string>()) << "\n";
}

int explain_one(Explainer& explainer, const std::string& args, bool json, Terminal& terminal) {
  const Json answer = explainer.explain(args);
  if (json)
    terminal.out() << line(kNoId, answer) << "\n";
  else
    show(answer, terminal);
  return answer["allowed"] == true ? kExitOk : kExitFailed;
}

int explain(const ExplainArguments& arguments, const CliSession& session) {
  Terminal& terminal = session.terminal;
  const std::string& tool = arguments.call.tool;
  const auto args =
      given_arguments(arguments.call, session.config().llm.limits.tool_args_bytes_max);
  if (!args) return terminal.fail(args.error());
  const auto catalogue = catalogue_with(tool, session);
  if (!catalogue) return terminal.fail(catalogue.error());
  if (!catalogue->find(tool))
    return terminal.fail(no_such_tool(*catalogue, session.config(), tool));
  auto request = tool_request(arguments.call, session.config(), catalogue->tools());
  if (!request) return terminal.fail(request.error());
  if (!catalogue->configured(tool)) {
    request->allowed.reset();
    terminal.message(tool + " is not configured: explained as far as it can be without");
  }
  Explainer explainer(*catalogue, session.config(), std::move(*request));
  if (arguments.jsonl) return explain_lines(explainer, arguments.file, terminal);
  return explain_one(explainer, *args, arguments.json, terminal);
}

constexpr const char* kNotes =
    "It says whether the guards allow the call, and whether its result would be kept. It\n"
    "shows the meaning of the call. Nothing is run. Only for a tool of an MCP server\n"
    "(SERVER_TOOL) is a server asked, for its list. When the call runs, the data source\n"
    "resolves the names in SQL. It may refuse more, and keep less.\n"
    "With --jsonl, lines {\"id\", \"args\"} are answered in order by lines {\"id\", \"allowed\",\n"
    "\"cacheable\", \"key\", \"canonical\", \"reason\"}. The key is the SHA-256 of the canonical\n"
    "form.";

}  // namespace

Command tool_explain_command() {
  return command<ExplainArguments>(
      {.name = "tool explain",
       .summary = "Say whether a call is allowed, and show its meaning",
       .notes = kNotes,
       .examples = "  ba-agent tool explain query_database '{\"sql\": \"SELECT now()\"}'\n"
                   "  ba-agent tool explain query_database --jsonl < queries.jsonl\n"
                   "  ba-agent tool explain query_database --jsonl queries.jsonl | jq "
                   "'select(.allowed|not)'"},
      declare, explain);
}

}  // namespace ba::cli
