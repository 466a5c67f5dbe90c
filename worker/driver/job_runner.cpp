// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/job_runner.hpp"

#include <algorithm>

#include "pipeline/base/assert.hpp"
#include "pipeline/core/context/history_rounds.hpp"
#include "pipeline/core/conversation/endings.hpp"
#include "pipeline/core/conversation/make_delta.hpp"
#include "pipeline/core/conversation/skill_steps.hpp"
#include "pipeline/text/contract/result_id.hpp"

namespace ba {
namespace {

/// Calls with the same number share a connection to their provider, whose cache knows the prefix.
std::uint64_t affinity_of(LedgerConversationId conversation) {
  return static_cast<std::uint64_t>(conversation.value);
}

/// Share of the model's context window that the last model call used: as its reply reported, else
/// as it was `estimated`.
double window_used(const ConversationState& state, std::int64_t estimated) {
  const std::int64_t window = window_in_force(state);
  const auto reply = std::find_if(
      state.history.messages.rbegin(), state.history.messages.rend(),
      [](const Message& m) { return std::holds_alternative<AiMessage>(m) && !is_hidden(m); });
  if (reply == state.history.messages.rend() || window <= 0) return 0;
  const std::int64_t reported = std::get<AiMessage>(*reply).usage.total();
  return static_cast<double>(reported > 0 ? reported : estimated) / static_cast<double>(window);
}

}  // namespace

JobRunner::JobRunner(const RunnerPorts& ports, IncarnationId self, ClaimedJob claimed,
                     RunHooks hooks)
    : ports_(ports),
      self_(self),
      claimed_(std::move(claimed)),
      hooks_(std::move(hooks)),
      context_{ports.registry, ports.publication, ports.compression.refocus} {}

JobRunner::~JobRunner() { leave_desk(); }

void JobRunner::leave_desk() {
  if (ports_.skills && state_) ports_.skills->leave(claimed_.id, state_->skills.known);
}

Moment JobRunner::moment() const { return {ports_.clock.now(), ports_.clock.wall()}; }

void JobRunner::start() { load(); }

void JobRunner::load() {
  loader_ = std::make_unique<JobLoader>(ports_, self_, claimed_, hooks_.bounds);
  loader_->start([this](Result<JobStart> start) { begin(std::move(start)); });
}

void JobRunner::begin(Result<JobStart> start) {
  const auto alive = shared_from_this();
  const auto finished = std::move(loader_);
  if (!start) return end(start.error().code == ErrorCode::Fenced ? RunEnd::Fenced : RunEnd::Broken);
  leave_desk();
  state_ = std::move(start->state);
  if (ports_.skills) ports_.skills->enter(claimed_.id, state_->skills.known);
  reported_ = spending_of(state_->bill.totals);
  state_->bill.wasted_here += wasted_stored_;
  views_.reset();  // of another history, where the job was loaded again
  offers_.clear();
  if (refusal_) {
    state_->bill.wasted_here = wasted_before_ + forget_unpaid_summaries();
    state_->bill.totals.wasted_model_calls += wasted_before_ - wasted_stored_;
  } else {
    ports_.observer.job_started(*state_);
  }
  if (start->ending) return dispatch(event::Stop{std::move(*start->ending)});
  if (refusal_) return dispatch(event::Stop{endings::internal(*refusal_)});
  if (cancelled_) return dispatch(event::Begin{endings::cancelled()});
  if (claimed_.overdue)
    return dispatch(event::Begin{endings::conversation_busy(*claimed_.overdue)});
  if (start->unfit) return dispatch(event::Begin{endings::invalid_job(start->unfit->message)});
  allowed_.emplace();
  for (const ToolSpec& tool : state_->profile.tools) allowed_->insert(tool.name);
  arm_deadline();
  dispatch(event::Begin{});
}

void JobRunner::report(const Error& error, const char* what) {
  LedgerAttempt attempt{.what = what, .row = claimed_.id};
  attempt.tenant = state_->job.tenant.value;
  attempt.job = state_->job.job_id.value;
  attempt.round = state_->round.number;
  attempt.step = state_->round.step;
  ports_.observer.ledger_failed(error, attempt);
}

Milliseconds JobRunner::time_left() const {
  const auto used = ports_.clock.wall() - claimed_.first_claimed_at - claimed_.idle;
  const auto left =
      state_->profile.limits.deadline - std::chrono::duration_cast<Milliseconds>(used);
  return std::max(left, Milliseconds{0});
}

void JobRunner::arm_deadline() {
  deadline_ = ports_.executor.after(time_left(), [this] { stop(endings::deadline(*state_)); });
}

void JobRunner::dispatch(Event event) {
  if (over_) return;
  if (state_->summaries.out && summary_ && !summary_->request_out())
    state_->summaries.out->state = SummaryState::Failed;  // nothing can be lost with it now
  else if (state_->summaries.out)
    state_->summaries.out->state = SummaryState::Writing;
  Actions actions = advance(*state_, std::move(event), moment(), context_);
  const auto alive = shared_from_this();  // an action may end this run
  for (Action& action : actions) {
    if (over_) return;
    perform(std::move(action));
  }
  report_spending();
  stop_if_suspended();
}

void JobRunner::perform(Action action) {
  if (std::holds_alternative<action::AskModel>(action)) return ask_model();
  if (std::holds_alternative<action::GoOnAsking>(action)) return go_on_asking();
  if (auto* run = std::get_if<action::RunTool>(&action)) return run_tool(run->call);
  if (auto* write = std::get_if<action::Commit>(&action)) return commit(std::move(write->delta));
  if (std::holds_alternative<action::AbortAll>(action)) {
    model_call_.reset();
    count_call_.reset();
    tool_runs_.clear();
    return;
  }
  if (std::holds_alternative<action::DropSummary>(action)) return summary_.reset();
  if (std::holds_alternative<action::WaitForPerson>(action)) return wait_for_person();
  end(RunEnd::Finished);
}

void JobRunner::ask_model() {
  if (draining_ || pausing_) return stop_at_boundary();
  SentHistory sent = history_to_send();
  const auto undecided = sent.undecided;
  if (!undecided && refused_already(sent)) return dispatch(event::ContextStuck{});
  const ModelRequest request = request_of(std::move(sent));
  if (undecided) return count_first(request, *undecided);
  ports_.observer.model_asked(*state_);
  ModelListener listener;
  listener.lost = [this] { dispatch(event::ModelTryLost{}); };
  listener.done = [this](ModelOutcome outcome) { model_done(std::move(outcome)); };
  model_call_ = ports_.models.ask(request, std::move(listener));
  begin_summary();
}

ModelRequest JobRunner::request_of(SentHistory sent) {
  ModelRequest request;
  request.model = model_in_force(*state_);
  request.system = state_->profile.system_prompt;
  request.tools = offer_for(request.model).tools;
  request.answer_schema = state_->job.answer_schema;
  request.max_output_tokens = state_->profile.max_output_tokens;
  request.output_ceiling = sent.output_ceiling;
  request.price_reading = state_->profile.price_reading;
  request.affinity = affinity_of(state_->claim.conversation);
  request.messages = std::move(sent.messages);
  request.known_valid = sent.known_valid;
  request.moved = sent.moved;
  return request;
}

/// What is sent is decided by what comes of it, once that is durable: who takes the job over
/// decides the same, and asks nobody again.
void JobRunner::count_first(const ModelRequest& request, ExactCountRow row) {
  dispatch(event::ContextCounting{});
  count_call_ = ports_.counter->count(request, [this, row](const ExactCount& count) mutable {
    const auto finished = std::move(count_call_);
    row.tokens = count.tokens;
    ports_.observer.context_counted(*state_, row, count);
    dispatch(event::ContextCounted{std::move(row)});
  });
}

SentHistory JobRunner::history_to_send() {
  if (!views_)
    views_.emplace([this](const std::string& model) { return frame_for(model); },
                   ports_.compression, ports_.meter);
  SentHistory sent =
      views_->messages(model_in_force(*state_),
                       {state_->history.messages, state_->summaries.durable,
                        state_->history.asked_of, state_->context.refused, state_->context.counts});
  for (const CompressionEvent& event : sent.events) {
    if (state_->history.tally.is_copy(event.at)) {  // of the job that this one is a copy of
      ++compressions_copied_;
      continue;
    }
    const int compressions = views_->compressions() - compressions_copied_;
    const auto none =
        advance(*state_, event::HistoryCompressed{row_of(event), compressions}, moment(), context_);
    BA_ASSERT(none.empty());
    ports_.observer.history_compressed(*state_, event);
  }
  return sent;
}

/// The history has not become shorter since the last refusal. What a reply may take has become
/// less with the first one.
bool JobRunner::refused_already(const SentHistory& sent) const {
  const RefusalsInForce refused = refusals_in_force(*state_);
  if (refused.count == 0) return false;
  const std::int64_t output = state_->profile.max_output_tokens;
  if (refused.count == 1 && (output == 0 || output > sent.output_ceiling)) return false;
  return !sent.tokens || *sent.tokens >= refused.tokens;
}

/// To the watchers it is a failed call.
void JobRunner::context_refused(const ModelReply& reply) {
  const auto tokens = views_->count_refused(state_->history.messages);
  const auto told = [](const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : std::string("?");
  };
  ModelFailure failure;
  failure.tries = reply.tries;
  failure.wasted_calls = reply.wasted_calls;
  failure.error.code = ErrorCode::LimitExceeded;
  failure.error.detail = "context";
  failure.error.message = "the provider refused about " + told(tokens) +
                          " tokens as too long for model " + model_in_force(*state_) +
                          "; it counts " + told(reply.refused->counted) + " and takes " +
                          told(reply.refused->limit);
  ports_.observer.model_failed(*state_, failure);
  dispatch(event::ContextRefused{*reply.refused, tokens});
}

/// The same for the whole run: prompts begin with it.
const ToolOffer& JobRunner::offer_for(const std::string& model) {
  const auto known = offers_.find(model);
  if (known != offers_.end()) return known->second;
  const RunProfile& profile = state_->profile;
  ToolOffer offer = ports_.offers ? ports_.offers->offer(model, profile.tools, profile.first_tools)
                                  : ToolOffer{.tools = profile.tools, .left_out = {}};
  return offers_.emplace(model, std::move(offer)).first->second;
}

ContextFrame JobRunner::frame_for(const std::string& model) {
  ContextFrame frame;
  frame.model = model;
  frame.window = ports_.meter ? window_of(*state_, model) : 0;
  frame.output_max = state_->profile.max_output_tokens;
  frame.system = state_->profile.system_prompt;
  frame.tools = offer_for(model).tools;
  frame.earlier_messages = state_->history.earlier;
  frame.counts_exactly = ports_.counter != nullptr && ports_.counter->counts(model);
  return frame;
}

void JobRunner::model_done(ModelOutcome outcome) {
  const auto finished = std::move(model_call_);
  if (auto* failure = std::get_if<ModelFailure>(&outcome)) {
    ports_.observer.model_failed(*state_, *failure);
    return dispatch(event::ModelFailed{std::move(*failure)});
  }
  auto& reply = std::get<ModelReply>(outcome);
  if (reply.refused) return context_refused(reply);
  views_->answered();
  ports_.observer.model_answered(*state_, reply);
  // What was too much is counted now, where no window was known.
  const auto tokens = reply.stop == StopReason::ContextExceeded
                          ? views_->count_refused(state_->history.messages)
                          : views_->current()->estimated_tokens();
  const std::int64_t left_out = views_->current()->left_out_tokens();
  dispatch(event::ModelAnswered{std::move(reply), tokens, left_out});
}

/// After a lost try, which costs as much as a new call.
void JobRunner::go_on_asking() {
  if (!draining_ && !pausing_) return model_call_->go_on();
  model_call_.reset();
  stop_at_boundary();
}

void JobRunner::run_tool(std::size_t index) {
  // A worker that stood still finds the answers that waited for it before it finds its lease over;
  // by then another may have said that this call did not happen.
  if (!hooks_.lease_holds()) return end(RunEnd::Fenced);
  const CallState& call = state_->calls.at(index);
  ports_.observer.tool_started(*state_, call);
  if (tool_runs_.size() <= index) tool_runs_.resize(index + 1);
  ToolRequest request;
  request.call = call.call;
  request.tenant = state_->job.tenant;
  request.caller_id = state_->profile.name;
  request.permission = state_->profile.permission;
  request.agent_level = state_->profile.output_level;
  apply_call_settings(state_->profile.tool_settings, request);
  const auto estimated = views_ ? views_->current()->estimated_tokens() : std::nullopt;
  request.window_used = window_used(*state_, estimated.value_or(0));
  request.allowed = allowed_here();
  request.reads_artifacts = reads_artifacts();
  request.data_sources = state_->profile.data_sources;
  request.job = state_->claim.id;
  request.position = call.position;
  request.idempotency_key =
      effect_key(state_->job.tenant, state_->job.job_id, call.position, call.call.name);
  request.maybe_done = call.maybe_done;
  request.begun_version = call.begun_version;
  request.may_go_on = [this] { return lease_holds_for_call(); };
  request.active_skills = active_skills(state_->skills.known);
  if (const auto& active = state_->skills.known.stack.active(); !active.empty()) {
    request.skill = active.back().skill_name;
    request.activation_id = active.back().activation_id;
  }
  if (ports_.meter)
    request.count_tokens = [&meter = *ports_.meter, model = model_in_force(*state_)](
                               std::string_view text) { return meter.count(model, text); };
  tool_runs_[index] = ports_.tools.run(std::move(request), [this, index](ToolResult result) {
    result = with_skill_verdict(*state_, state_->calls.at(index), std::move(result));
    ports_.observer.tool_finished(*state_, state_->calls.at(index), result);
    const auto finished = std::move(tool_runs_[index]);
    dispatch(event::ToolFinished{index, std::move(result)});
  });
}

/// Asked by a run, which the end of this one destroys: that comes after it.
bool JobRunner::lease_holds_for_call() {
  if (hooks_.lease_holds()) return true;
  fenced_ = ports_.executor.after(Milliseconds(0), [this] {
    const auto alive = shared_from_this();
    end(RunEnd::Fenced);
  });
  return false;
}

/// The job's tools, as far as the active skills allow them and the model could be offered them.
AllowedTools JobRunner::allowed_here() {
  AllowedTools allowed = allowed_;
  std::erase_if(*allowed, [this](const std::string& tool) { return !skills_allow(*state_, tool); });
  for (const LeftOutTool& tool : offer_for(model_in_force(*state_)).left_out)
    allowed->erase(tool.tool);
  return allowed;
}

/// Whether a tool does that the model is offered, whatever active skills forbid for now.
bool JobRunner::reads_artifacts() {
  const auto& tools = offer_for(model_in_force(*state_)).tools;
  return std::ranges::any_of(tools, [this](const ToolSpec& tool) {
    const auto* entry = ports_.registry.find(tool.name);
    return entry != nullptr && !entry->artifact_parameters.empty();
  });
}

bool JobRunner::request_out() const { return model_call_ && model_call_->request_out(); }

void JobRunner::sub_agents_used(const SubAgentUse& use) {
  if (over_ || !state_) return;
  dispatch(event::SubAgentsUsed{use});
  if (use.agents > 0 || state_->flow.finishing || state_->flow.ending) return;
  if (auto ending = endings::limit_reached(*state_)) stop(std::move(*ending));
}

/// As soon as it is known, also before it is durable.
void JobRunner::report_spending() {
  if (!hooks_.spent || over_) return;
  const Spending now = spending_of(state_->bill.totals);
  if (now == reported_) return;
  hooks_.spent(now - std::exchange(reported_, now));
}

const JobResult* JobRunner::result() const {
  return pending_.finished ? &pending_.finished->result : nullptr;
}

void JobRunner::stop_at_boundary() {
  if (give_back_first([this] { stop_at_boundary(); })) return;
  ports_.observer.job_handed_back(*state_);
  end(RunEnd::AtBoundary);
}

void JobRunner::wait_for_person() {
  if (give_back_first([this] { wait_for_person(); })) return;
  ports_.observer.job_waits(*state_);
  end(RunEnd::Unresolved);
}

void JobRunner::drop() {
  over_ = true;
  leave_desk();
  loader_.reset();
  model_call_.reset();
  count_call_.reset();
  summary_.reset();
  tool_runs_.clear();
  deadline_.reset();
  retry_.reset();
  fenced_.reset();
  once_alone_ = nullptr;
}

void JobRunner::end(RunEnd how) {
  if (over_) return;
  drop();
  hooks_.ended(claimed_.id, how);
}

}  // namespace ba
