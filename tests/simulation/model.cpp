// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/model.hpp"
#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/core/sub_agent/task_tool.hpp"

#include "tests/simulation/checker.hpp"
#include "tests/simulation/kept_artifacts.hpp"
#include "tests/simulation/skills.hpp"

namespace ba::sim {
namespace {

constexpr int kAskedMax = 3;
constexpr Milliseconds kModelBackoff{50};  ///< after a failure that was heard
constexpr std::size_t kLongAnswer = 2 * kRecordBytesMax;

ModelFailure overloaded() {
  ModelFailure failure;
  failure.error.code = ErrorCode::Overloaded;
  failure.error.message = "the model is overloaded";
  failure.tries = 1;
  return failure;
}

StopReason stop_of(ReplyKind kind) {
  switch (kind) {
    case ReplyKind::Calls:
    case ReplyKind::DuplicateIds:
      return StopReason::ToolUse;
    case ReplyKind::CutAnswer:
    case ReplyKind::CutCalls:
      return StopReason::MaxTokens;
    case ReplyKind::Refusal:
      return StopReason::Refusal;
    case ReplyKind::ContextExceeded:
      return StopReason::ContextExceeded;
    default:
      return StopReason::EndTurn;
  }
}

/// How a model that takes less than is configured shows it, the same in a whole history.
enum class Narrowness {
  TellsNumbers,  ///< refuses unpaid, in tokens of its own
  TellsNothing,  ///< refuses unpaid
  LeavesNoRoom,  ///< is paid for replies that say nothing
};

Narrowness narrowness_of(const Scenario& scenario) {
  return static_cast<Narrowness>(scenario.strength(Fault::NarrowWindow) / 2 % 3);
}

/// What fits: the tools and some messages.
std::int64_t real_window(const Scenario& scenario, const ModelRequest& request) {
  const std::int64_t texts = 20 + scenario.strength(Fault::NarrowWindow) % 9;
  return (static_cast<std::int64_t>(request.tools.size()) * 3 + texts) * tokens_of_text(scenario);
}

std::int64_t tokens_of(const Scenario& scenario, const ModelRequest& request) {
  const CountTokens count = [each = tokens_of_text(scenario)](std::string_view text) {
    return text.empty() ? 0 : each;
  };
  std::int64_t tokens = count(request.system);
  for (const ToolSpec& tool : request.tools)
    tokens += count(tool.name) + count(tool.description) + count(tool.parameters_schema);
  for (const Message* message : request.messages) tokens += message_tokens(*message, count);
  return tokens;
}

/// "<tenant>/<job>#<round>@<step>.<index>" is what a call asks its sub-agent.
std::optional<Position> asking_call(const std::string& prompt, int round) {
  const std::size_t at = prompt.find('@');
  if (at == std::string::npos) return std::nullopt;
  return Position{round, std::stoi(prompt.substr(at + 1)),
                  std::stoi(prompt.substr(prompt.find('.', at) + 1))};
}

/// Some look first, some have an effect, some have a skill that forbids one.
ScriptedStep step_of_sub_agent(const Position& call, int step, bool has_skills) {
  constexpr const char* kTools[] = {"look", "pay", "mail"};
  ScriptedStep scripted;
  const auto which = static_cast<std::size_t>(call.step + call.index) % 4;
  const bool skilled = which == 3 && has_skills;
  if (step > (skilled ? 2 : 1) || (which == 3 && !skilled)) return scripted;
  scripted.kind = ReplyKind::Calls;
  if (skilled)
    scripted.tools = {step == 1 ? activating(kNarrowSkill) : "mail"};
  else
    scripted.tools = {kTools[which]};
  return scripted;
}

std::string arguments_of(const std::string& tool, const ModelQuestion& question, const Job& job,
                         std::size_t index) {
  if (tool == kFetchTool)
    return R"({"artifact_id":")" + (question.artifact.empty() ? kNoArtifact : question.artifact) +
           "\"}";
  if (tool == kReadTool) return R"({"for":"everyone"})";
  if (tool == kStoreTool)  // what a call asks for at FULL becomes an artifact
    return "{\"for\":\"" + job.tenant.value + "\",\"output_level\":\"full\"}";
  if (tool != kTaskTool) return "{\"for\":\"" + job.tenant.value + "\"}";
  return "{\"description\":\"help\",\"subagent_type\":\"helper\",\"prompt\":\"" +
         message_text(job, question.round) + "@" + std::to_string(question.step) + "." +
         std::to_string(index + 1) + "\"}";
}

/// That a call of the same job has told: those of earlier jobs may have gone with them.
std::string last_artifact(const ModelRequest& request) {
  std::string job;
  std::string artifact;
  for (const Message* message : request.messages) {
    const auto* human = std::get_if<HumanMessage>(message);
    if (human && !is_hidden(*message)) {
      const std::string asking = human->text.substr(0, human->text.find('#'));
      if (std::exchange(job, asking) != asking) artifact.clear();
    }
    const auto* tool = std::get_if<ToolMessage>(message);
    if (tool && tool->content.find("Data stored as artifact") != std::string::npos)
      artifact = artifact_in(tool->content);
  }
  return artifact;
}

}  // namespace

Model::Model(World& world, const Scenario& scenario, const Plan& plan, Checker& checker)
    : world_(world), scenario_(scenario), plan_(plan), checker_(checker) {
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const Job& job = plan.jobs[i].job;
    jobs_[job.tenant.value + "/" + job.job_id.value] = static_cast<int>(i);
  }
}

ModelQuestion Model::question_of(const ModelRequest& request) const {
  ModelQuestion question;
  question.artifact = last_artifact(request);
  question.skills = active_skills(request);
  for (auto message = request.messages.rbegin(); message != request.messages.rend(); ++message) {
    if (std::holds_alternative<AiMessage>(**message) && !is_hidden(**message)) ++question.step;
    const auto* human = std::get_if<HumanMessage>(*message);
    if (!human || is_hidden(**message)) continue;
    const std::size_t hash = human->text.find('#');
    const auto found = jobs_.find(human->text.substr(0, hash));
    if (found != jobs_.end()) question.job = found->second;
    question.round = std::stoi(human->text.substr(hash + 1));
    question.asked_by = asking_call(human->text, question.round);
    if (question.asked_by) question.round = 0;
    break;
  }
  question.tokens = tokens_of(scenario_, request);
  question.window = real_window(scenario_, request);
  // Of a history that was made shorter some steps may be gone.
  if (scenario_.on(Fault::LongHistories))
    question.step = checker_.next_step(request.affinity, question.round).value_or(question.step);
  return question;
}

void Model::ask(ModelQuestion question, Process& from, const Reply<ModelOutcome>& reply) {
  if (!calm_ && world_.dice.hit(scenario_.strength(Fault::ModelFails)))
    return reply->answer(overloaded());
  if (auto refusal = too_long(question); refusal && refusal->refused) {
    checker_.context_full(question);
    return reply->answer(std::move(*refusal));
  }
  checker_.model_paid(question, from);
  const PlannedJob& job = plan_.jobs.at(static_cast<std::size_t>(question.job));
  if (job.poison && !question.summary) return from.kill();
  const bool slow = !calm_ && world_.dice.hit(scenario_.strength(Fault::ModelSlow));
  const Microseconds takes = world_.up_to(slow ? 1'500'000 : 60'000);
  world_.under_way(takes);
  world_.at(takes,
            [reply, answer = reply_to(question)]() mutable { reply->answer(std::move(answer)); });
}

/// Of a question that the model doesn't take, paid or not; none: it takes it.
std::optional<ModelReply> Model::too_long(const ModelQuestion& question) const {
  const bool narrow = scenario_.on(Fault::NarrowWindow) && !question.summary;
  if (!narrow || question.tokens <= question.window) return std::nullopt;
  constexpr std::int64_t kItsTokens = 2;  // for each of ours
  ModelReply reply;
  reply.provider = "simulated";
  reply.model = "oracle";
  reply.stop = StopReason::ContextExceeded;
  const Narrowness how = narrowness_of(scenario_);
  ContextRefusal told;
  if (how != Narrowness::TellsNothing)
    told = {question.window * kItsTokens, question.tokens * kItsTokens, false};
  if (how == Narrowness::LeavesNoRoom)
    reply.told = told;
  else
    reply.refused = told;
  return reply;
}

ScriptedStep Model::step_of(const ModelQuestion& question) const {
  if (question.asked_by)
    return step_of_sub_agent(*question.asked_by, question.step, scenario_.on(Fault::Skills));
  const PlannedJob& job = plan_.jobs.at(static_cast<std::size_t>(question.job));
  const auto& steps = job.rounds.at(static_cast<std::size_t>(question.round));
  const auto index = static_cast<std::size_t>(question.step - 1);
  return index < steps.size() ? steps[index] : ScriptedStep{};
}

ModelReply Model::reply_to(const ModelQuestion& question) {
  const PlannedJob& job = plan_.jobs.at(static_cast<std::size_t>(question.job));
  const std::string paid = std::to_string(++calls_);
  const std::string tenant = job.job.tenant.value;
  ModelReply reply;
  reply.provider = "simulated";
  reply.model = "oracle";
  reply.message.usage.input_tokens = 10;
  reply.message.usage.output_tokens = 5;
  if (question.summary) {
    reply.message.text = tenant + " summary " + paid;
    return reply;
  }
  if (auto empty = too_long(question)) {
    world_.mark(Mark::ReplyFoundNoRoom);
    checker_.context_full(question);
    empty->message.usage = reply.message.usage;
    return std::move(*empty);
  }
  const ScriptedStep step = step_of(question);
  std::vector<SkillEnd> skills = question.skills;
  reply.stop = stop_of(step.kind);
  if (step.kind == ReplyKind::ContextExceeded) checker_.context_full(question);
  for (std::size_t i = 0; i < step.tools.size(); ++i) {
    const bool of_skill = is_skill_call(step.tools[i]);
    ToolCall call = of_skill ? skill_call(step.tools[i], skills) : ToolCall{};
    const std::string number = step.kind == ReplyKind::DuplicateIds ? "0" : std::to_string(i);
    call.id = ToolCallId("call_" + paid + "_" + number);
    if (!of_skill) {
      call.name = step.tools[i];
      call.args_json = arguments_of(call.name, question, job.job, i);
    }
    reply.message.tool_calls.push_back(std::move(call));
  }
  const bool text = step.tools.empty() && step.kind != ReplyKind::Empty;
  if (text) reply.message.text = tenant + " answer " + paid;
  if (text && step.long_winded) reply.message.text.append(kLongAnswer, '.');
  if (step.kind == ReplyKind::Unstorable) reply.message.text += std::string(" ") + kUnstorable;
  if (reply.stop == StopReason::MaxTokens) world_.mark(Mark::ReplyCut);
  return reply;
}

/// Destroyed, it hears nothing any more; what it asked may still arrive.
class ModelConnection::Call final : public ModelCall {
 public:
  Call(ModelConnection& owner, ModelQuestion question, ModelListener listener)
      : owner_(owner), question_(question), listener_(std::move(listener)) {
    submit();
  }
  ~Call() override {
    if (listener_.done) owner_.world_.mark(Mark::ModelCallAbandoned);
  }

  void go_on() override {
    resting_ = owner_.process_.after(Milliseconds(0), [this] { try_again_or_give_up(); });
  }

  bool request_out() const override { return out_; }

 private:
  void submit() {
    ++tries_;
    out_ = true;
    if (!owner_.process_.acts("ask model")) return;
    owner_.checker_.model_sent(question_);
    send<ModelOutcome>(
        owner_.world_, owner_.process_, owner_.link_,
        [&model = owner_.model_, &from = owner_.process_, question = question_](
            const Reply<ModelOutcome>& reply) { model.ask(question, from, reply); },
        [this, alive = std::weak_ptr(alive_)](std::optional<ModelOutcome> answer) {
          if (alive.lock()) answered(std::move(answer));
        });
  }

  void answered(std::optional<ModelOutcome> answer) {
    out_ = false;
    if (!answer) {
      ++wasted_;
      owner_.world_.mark(Mark::ModelReplyLost);
      failure_ = {};
      failure_.error.code = ErrorCode::Timeout;
      failure_.error.message = "the model did not answer";
      return listener_.lost();
    }
    if (auto* failure = std::get_if<ModelFailure>(&*answer)) {
      owner_.checker_.model_failure_heard(question_, owner_.process_);
      failure_ = std::move(*failure);
      resting_ = owner_.process_.after(kModelBackoff, [this] { try_again_or_give_up(); });
      return;
    }
    auto& reply = std::get<ModelReply>(*answer);
    if (reply.refused) {
      owner_.world_.mark(Mark::ContextRefused);
      owner_.checker_.model_failure_heard(question_, owner_.process_);
    }
    reply.tries = tries_;
    reply.wasted_calls = wasted_;
    std::exchange(listener_.done, nullptr)(std::move(reply));
  }

  void try_again_or_give_up() {
    if (tries_ < kAskedMax) return submit();
    failure_.wasted_calls = wasted_;
    std::exchange(listener_.done, nullptr)(std::move(failure_));
  }

  ModelConnection& owner_;
  ModelQuestion question_;
  ModelListener listener_;
  ModelFailure failure_;  ///< of the last try
  std::unique_ptr<Timer> resting_;
  int tries_ = 0;
  int wasted_ = 0;
  bool out_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

std::unique_ptr<ModelCall> ModelConnection::ask(const ModelRequest& request,
                                                ModelListener listener) {
  const bool summary = request.model == kSummarizer;
  const ModelQuestion question =
      summary ? checker_.question_of_summary(request, process_) : model_.question_of(request);
  checker_.model_asked(question, process_);
  checker_.model_sees(question, request, process_);
  return std::make_unique<Call>(*this, question, std::move(listener));
}

}  // namespace ba::sim
