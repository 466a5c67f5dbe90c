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
#include "worker/cli/program/commands.hpp"
#include "worker/cli/program/input_file.hpp"
#include "worker/cli/program/line_id.hpp"
#include "worker/cli/program/line_source.hpp"
#include "worker/cli/tools/call_targets.hpp"
#include "worker/cli/tools/server_tools.hpp"
#include "worker/cli/tools/tool_calls.hpp"
#include "worker/tools/sql/statement/sql_meaning.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

/// Explains calls of one tool, each an object `{"allowed", "cacheable", …}`.
class Explainer {
 public:
  Explainer(const ToolCatalogue& catalogue, const Config& config, ToolRequest request)
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
  SqlMeaning meaning_;
};

std::string line(std::string_view id, const Json& answer) {
  return with_id(id, dump_exact(answer)) + "\n";
}

/// The call in a line, or why there is none.
class LineReader {
 public:
  LineReader(Explainer& explainer, LineSource& lines) : explainer_(explainer), lines_(lines) {}

  /// Blank lines hold nothing and are passed over. False at the end, or when no more can be read.
  bool next(std::string& answer) {
    do {
      state_ = lines_.next(text_);
      ++number_;
    } while (state_ == LineSource::Read::Line &&
             text_.find_first_not_of(" \t\r") == std::string::npos);
    if (state_ == LineSource::Read::End || state_ == LineSource::Read::Failed) return false;
    ++all_;
    answer = state_ == LineSource::Read::TooLong
                 ? no_call(kNoId, "longer than " + std::to_string(kLineBytesMax) + " bytes")
                 : explained();
    return true;
  }

  bool failed() const { return state_ == LineSource::Read::Failed; }
  std::size_t all() const { return all_; }
  std::size_t unreadable() const { return unreadable_; }

 private:
  std::string no_call(std::string_view id, const std::string& why) {
    ++unreadable_;
    return line(id, Explainer::refused("line " + std::to_string(number_) + ": " + why));
  }

  std::string explained() {
    if (json_shape(text_).depth > JsonView::kDepthMax)
      return no_call(kNoId, "JSON of more than " + std::to_string(JsonView::kDepthMax) + " levels");
    const Result<JsonView> call = JsonView::parse(text_);
    if (!call) return no_call(kNoId, "not JSON: " + call.error().message);
    if (!call->is(JsonKind::Object)) return no_call(kNoId, "not an object {\"id\", \"args\"}");
    const std::string_view id = id_of_line(text_);
    const JsonView args = (*call)["args"];
    if (args.is(JsonKind::Missing)) return no_call(id, "\"args\" is missing: the call's arguments");
    return line(id, explainer_.explain(args.raw()));
  }

  Explainer& explainer_;
  LineSource& lines_;
  LineSource::Read state_ = LineSource::Read::Line;
  std::string text_;
  std::size_t number_ = 0;  ///< of the line, from 1
  std::size_t all_ = 0;     ///< lines that were answered
  std::size_t unreadable_ = 0;
};

/// Answers each line before it waits for the next one; a file needs no haste.
int explain_lines(Explainer& explainer, const std::string& file, Terminal& terminal) {
  const InputFile input(file);
  if (input.descriptor() < 0) {
    terminal.failure(input.failure());
    return kExitFailed;
  }
  LineSource lines(input.descriptor(), kLineBytesMax);
  LineReader reader(explainer, lines);
  const bool at_once = !input.is_regular_file();
  std::string answer;
  while (reader.next(answer)) {
    terminal.out() << answer;
    if (at_once) terminal.out().flush();
    if (!terminal.out()) return kExitFailed;
  }
  if (reader.failed()) {
    terminal.failure(input.failure());
    return kExitFailed;
  }
  if (reader.unreadable() == 0) return kExitOk;
  terminal.failure(std::to_string(reader.unreadable()) + " of " + std::to_string(reader.all()) +
                   " lines hold no call; each answer says why");
  return kExitFailed;
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
    terminal.out() << line(kNoId, answer);
  else
    show(answer, terminal);
  return answer["allowed"] == true ? kExitOk : kExitFailed;
}

}  // namespace

int tool_explain_command(const ToolExplainArguments& arguments, const CliSession& session) {
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

}  // namespace ba
