// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/timeline_view.hpp"

#include <ostream>

#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/text/contract/encode_job.hpp"
#include "pipeline/text/message/langchain_json.hpp"
#include "worker/cli/program/wording.hpp"

namespace ba::cli {
namespace {

constexpr std::size_t kShortText = 200;
constexpr std::size_t kWordColumn = 9;

class TimelineWriter {
 public:
  TimelineWriter(const storage::JobTimeline& timeline, bool full, Terminal& terminal)
      : timeline_(timeline), full_(full), terminal_(terminal), out_(terminal.out()) {}

  void write() {
    head();
    for (const storage::AttemptView& attempt : timeline_.attempts) this->attempt(attempt);
    int round = -1;
    for (const storage::MessageView& view : timeline_.messages) {
      if (view.position.round != round) round_head(round = view.position.round);
      message(view);
    }
    unanswered_calls();
    next_question();
    tail();
  }

 private:
  const storage::JobSummary& job() const { return timeline_.job; }

  void head() {
    out_ << terminal_.styled(Style::Bold, printable(job().tenant.value + "/" + job().job_id.value));
    out_ << "  " << state_text() << "\n";
    if (!job().asked_by.empty()) field("sub-agent of", job().asked_by);
    if (!job().waits_for.empty())
      field("waits for", "a person's word on " + job().waits_for + ": `ba-agent job resolve`");
    field("conversation", job().conversation_id.value);
    field("lane", job().lane);
    if (!job().model.empty()) field("model", job().model);
    if (!job().worker.empty()) field("worker", job().worker);
    field("created", clock_text(job().created_at) + " UTC");
    if (job().started_at) field("started", clock_text(*job().started_at) + " UTC");
    if (job().finished_at)
      field("finished", clock_text(*job().finished_at) + " UTC" + duration_text());
  }

  std::string state_text() const {
    if (job().outcome.empty()) return terminal_.styled(Style::Yellow, job().state);
    const bool good = job().outcome == "completed";
    return terminal_.styled(good ? Style::Green : Style::Red, job().outcome);
  }

  std::string duration_text() const {
    if (!job().started_at) return "";
    return " (" + seconds_text(*job().finished_at - *job().started_at) + ")";
  }

  void attempt(const storage::AttemptView& attempt) {
    if (timeline_.attempts.size() < 2 && attempt.ending != "crashed") return;
    const std::string ending = attempt.ending.empty() ? "running" : attempt.ending;
    field("attempt " + std::to_string(attempt.attempt),
          clock_text(attempt.started_at) + " " + attempt.worker + ": " + ending);
  }

  void field(const std::string& name, const std::string& value) {
    std::string label = name;
    label.resize(std::max<std::size_t>(label.size() + 1, 14), ' ');
    out_ << "  " << terminal_.styled(Style::Dim, label) << printable(value) << "\n";
  }

  void round_head(int round) {
    std::string title = "Round " + std::to_string(round);
    for (const storage::RoundView& view : timeline_.rounds)
      if (view.round == round && view.status != "completed") title += " (" + view.status + ")";
    out_ << "\n" << terminal_.styled(Style::Bold, title) << "\n";
  }

  void message(const storage::MessageView& view) {
    const auto message = message_from_json(view.json);
    if (!message) return line("", "unreadable", message.error().message, Style::Red);
    if (meta_of(*message).additional_kwargs.contains("skill")) return of_skill(*message);
    if (const auto* human = std::get_if<HumanMessage>(&*message))
      said_to_model(*human);
    else if (const auto* system = std::get_if<SystemMessage>(&*message))
      line(at(system->meta.timestamp), "system", system->text, Style::Dim);
    else if (const auto* ai = std::get_if<AiMessage>(&*message))
      reply(*ai, view.position);
    else
      observation(std::get<ToolMessage>(*message), view.position);
  }

  /// What no person wrote stands there as such.
  void said_to_model(const HumanMessage& message) {
    const bool hidden = is_hidden(message);
    line(at(message.meta.timestamp), hidden ? "hidden" : "user", message.text,
         hidden ? Style::Dim : Style::Cyan);
  }

  /// What a skill has brought, in a role that nobody spoke in.
  void of_skill(const Message& message) {
    const auto* hidden = std::get_if<AiMessage>(&message);
    const auto* visible = std::get_if<HumanMessage>(&message);
    const std::string text = hidden ? hidden->text : visible ? visible->text : "";
    line(at(meta_of(message).timestamp), "skill", text, Style::Dim);
  }

  void reply(const AiMessage& message, const Position& position) {
    const storage::StepView* step = step_at(position);
    line(at(message.meta.timestamp), "step " + std::to_string(position.step),
         step != nullptr ? step_text(*step) : "", Style::Dim);
    if (!message.thinking.empty()) line("", "thinking", message.thinking, Style::Dim);
    const bool last = message.tool_calls.empty();
    if (!message.text.empty())
      line("", last ? "answer" : "thought", message.text, last ? Style::Green : Style::Plain);
    for (const ToolCall& call : message.tool_calls)
      line("", "call", call.name + " " + (call.valid() ? call.args_json : call.invalid_args),
           Style::Cyan);
  }

  void observation(const ToolMessage& message, const Position& position) {
    const bool good = message.status == ToolStatus::Success;
    const storage::ToolCallView* call = call_at(position);
    std::string text = good ? "✓ " : "✗ ";
    if (call != nullptr) {
      text += seconds_text(call->duration);
      if (!call->cache_origin.empty()) text += ", cached";
      if (!call->sub_agent.empty()) text += ", " + call->sub_agent;
      if (call->retry_count > 0) text += ", " + std::to_string(call->retry_count) + " retried";
      text += "  ";
    }
    line(at(message.meta.timestamp), "result", text + message.content,
         good ? Style::Plain : Style::Red);
  }

  /// Calls under way have no message yet.
  void unanswered_calls() {
    for (const storage::ToolCallView& call : timeline_.tool_calls)
      if (call.state == "intended" || call.state == "running")
        line("", call.state, call.tool_name + " " + call.parameters, Style::Yellow);
  }

  /// A round gets its row with its first reply: until then its question stands in the job only.
  void next_question() {
    if (job().state == "finished") return;
    const auto asked = decode_job_payload(timeline_.payload);
    const std::size_t next = timeline_.rounds.size();
    if (!asked || next >= asked->messages.size()) return;
    out_ << "\n"
         << terminal_.styled(Style::Bold, "Round " + std::to_string(next) + " (no reply yet)")
         << "\n";
    line("", "user", asked->messages[next], Style::Cyan);
    const auto later = static_cast<std::int64_t>(asked->messages.size() - next - 1);
    if (later > 0) line("", "", "then " + counted(later, "more question"), Style::Dim);
  }

  void tail() {
    JobTotals totals;
    totals.usage = job().usage;
    totals.cost_micro_usd = job().cost_micro_usd;
    totals.cost_known = job().cost_known;
    totals.rounds = job().rounds;
    totals.steps = job().steps;
    totals.tool_calls = job().tool_calls;
    totals.tool_calls_failed = job().tool_calls_failed;
    totals.wasted_model_calls = job().wasted_model_calls;
    out_ << "\n" << totals_text(totals) << "\n";
    if (!job().error_code.empty())
      out_ << terminal_.styled(Style::Red, printable(job().error_code + ": " + job().error_message))
           << "\n";
  }

  static std::string step_text(const storage::StepView& step) {
    std::string text = step.provider + "/" + step.model + " · " +
                       thousands(step.usage.total_input()) + " in / " +
                       thousands(step.usage.output_tokens) + " out";
    if (step.cost_micro_usd) text += " · " + dollars_text(*step.cost_micro_usd);
    text += " · " + seconds_text(step.latency) + " · " + step.stop_reason;
    if (step.tries > 1) text += " · try " + std::to_string(step.tries);
    return text;
  }

  const storage::StepView* step_at(const Position& position) const {
    for (const storage::StepView& step : timeline_.steps)
      if (step.round == position.round && step.step == position.step) return &step;
    return nullptr;
  }

  const storage::ToolCallView* call_at(const Position& position) const {
    for (const storage::ToolCallView& call : timeline_.tool_calls)
      if (call.position == position) return &call;
    return nullptr;
  }

  /// Time since the job's start.
  std::string at(WallTime time) const {
    if (!job().started_at || time < *job().started_at) return "";
    return "+" + seconds_text(time - *job().started_at);
  }

  void line(const std::string& when, std::string word, const std::string& text, Style style) {
    std::string column = when;
    column.insert(0, column.size() < 10 ? 10 - column.size() : 0, ' ');
    word.resize(std::max(word.size() + 1, kWordColumn + 1), ' ');
    const std::string shown = printable(full_ ? text : shortened(text, kShortText));
    out_ << terminal_.styled(Style::Dim, column) << "  " << terminal_.styled(style, word)
         << indented(shown) << "\n";
  }

  static std::string indented(const std::string& text) {
    std::string out;
    for (const char letter : text) {
      out += letter;
      if (letter == '\n') out += std::string(12 + kWordColumn + 1, ' ');
    }
    return out;
  }

  const storage::JobTimeline& timeline_;
  const bool full_;
  Terminal& terminal_;
  std::ostream& out_;
};

}  // namespace

void show_timeline(const storage::JobTimeline& timeline, bool full, Terminal& terminal) {
  TimelineWriter(timeline, full, terminal).write();
}

}  // namespace ba::cli
