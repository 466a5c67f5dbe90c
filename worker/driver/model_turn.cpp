// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/model_turn.hpp"

#include "pipeline/core/conversation/context_steps.hpp"
#include "pipeline/core/conversation/skill_steps.hpp"

namespace ba::driver {
namespace {

/// Calls with the same number share a connection to their provider, whose cache knows the prefix.
std::uint64_t affinity_of(LedgerConversationId conversation) {
  return static_cast<std::uint64_t>(conversation.value);
}

/// To the watchers a refused context is a failed call.
ModelFailure failure_of(const ModelReply& reply, const std::string& model,
                        std::optional<std::int64_t> tokens) {
  const auto told = [](const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : std::string("?");
  };
  ModelFailure failure;
  failure.tries = reply.tries;
  failure.wasted_calls = reply.wasted_calls;
  failure.error.code = ErrorCode::LimitExceeded;
  failure.error.detail = "context";
  failure.error.message = "the provider refused about " + told(tokens) +
                          " tokens as too long for model " + model + "; it counts " +
                          told(reply.refused->counted) + " and takes " + told(reply.refused->limit);
  return failure;
}

}  // namespace

bool ModelTurn::ask() {
  SentHistory sent = history_to_send();
  const auto undecided = sent.undecided;
  if (!undecided && refused_already(sent)) {
    feed_(Event(event::ContextStuck{}));
    return false;
  }
  const ModelRequest request = request_of(std::move(sent));
  if (undecided) {
    count_first(request, *undecided);
    return false;
  }
  ports_.observer.model_asked(state());
  ModelListener listener;
  listener.lost = [this] { feed_(Event(event::ModelTryLost{})); };
  listener.done = [this](ModelOutcome&& outcome) { done(std::move(outcome)); };
  call_ = ports_.models.ask(request, std::move(listener));
  return true;
}

void ModelTurn::drop() {
  call_.reset();
  count_.reset();
}

void ModelTurn::forget() {
  views_.reset();
  offers_.clear();
}

ModelRequest ModelTurn::request_of(SentHistory sent) {
  const RunProfile& profile = state().profile;
  ModelRequest request;
  request.model = model_in_force(state());
  request.system = profile.system_prompt;
  request.tools = offer_for(request.model).tools;
  request.answer_schema = state().job.answer_schema;
  request.max_output_tokens = profile.max_output_tokens;
  request.output_ceiling = sent.output_ceiling;
  request.price_reading = profile.price_reading;
  request.affinity = affinity_of(state().claim.conversation);
  request.messages = std::move(sent.messages);
  request.memory = sent.memory;
  request.moved = sent.moved;
  return request;
}

/// What is sent is decided by what comes of it, once that is durable: who takes the job over
/// decides the same, and asks nobody again.
void ModelTurn::count_first(const ModelRequest& request, ExactCountRow row) {
  feed_(Event(event::ContextCounting{}));
  count_ = ports_.counter->count(request, [this, row](const ExactCount& count) mutable {
    const auto finished = std::move(count_);
    row.tokens = count.tokens;
    ports_.observer.context_counted(state(), row, count);
    feed_(Event(event::ContextCounted{std::move(row)}));
  });
}

SentHistory ModelTurn::history_to_send() {
  if (!views_)
    views_.emplace([this](const std::string& model) { return frame_for(model); },
                   ports_.compression, ports_.meter);
  const ConversationState& now = state();
  SentHistory sent = views_->messages(
      model_in_force(now), {now.history.messages, now.summaries.durable, now.history.asked_of,
                            now.context.refused, now.context.counts});
  for (const CompressionEvent& event : sent.events) {
    if (now.history.tally.is_copy(event.at)) {  // of the job that this one is a copy of
      ++compressions_copied_;
      continue;
    }
    const int compressions = views_->compressions() - compressions_copied_;
    feed_(Event(event::HistoryCompressed{row_of(event), compressions}));
    ports_.observer.history_compressed(now, event);
  }
  return sent;
}

/// The history has not become shorter since the last refusal. What a reply may take has become
/// less with the first one.
bool ModelTurn::refused_already(const SentHistory& sent) const {
  const RefusalsInForce refused = refusals_in_force(state());
  if (refused.count == 0) return false;
  const std::int64_t output = state().profile.max_output_tokens;
  if (refused.count == 1 && (output == 0 || output > sent.output_ceiling)) return false;
  return !sent.tokens || *sent.tokens >= refused.tokens;
}

void ModelTurn::refused(const ModelReply& reply) {
  const auto tokens = views_->count_refused(state().history.messages);
  ports_.observer.model_failed(state(), failure_of(reply, model_in_force(state()), tokens));
  feed_(Event(event::ContextRefused{*reply.refused, tokens}));
}

const ToolOffer& ModelTurn::offer_for(const std::string& model) {
  const auto known = offers_.find(model);
  if (known != offers_.end()) return known->second;
  const RunProfile& profile = state().profile;
  ToolOffer offer = ports_.offers ? ports_.offers->offer(model, profile.tools, profile.first_tools)
                                  : ToolOffer{.tools = profile.tools, .left_out = {}};
  return offers_.emplace(model, std::move(offer)).first->second;
}

ContextFrame ModelTurn::frame_for(const std::string& model) {
  ContextFrame frame;
  frame.model = model;
  frame.window = ports_.meter ? window_of(state(), model) : 0;
  frame.output_max = state().profile.max_output_tokens;
  frame.system = state().profile.system_prompt;
  frame.tools = offer_for(model).tools;
  frame.earlier_messages = state().history.earlier;
  frame.counts_exactly = ports_.counter != nullptr && ports_.counter->counts(model);
  return frame;
}

void ModelTurn::done(ModelOutcome&& outcome) {
  const auto finished = std::move(call_);
  if (auto* failure = std::get_if<ModelFailure>(&outcome)) {
    ports_.observer.model_failed(state(), *failure);
    return feed_(Event(event::ModelFailed{std::move(*failure)}));
  }
  auto& reply = std::get<ModelReply>(outcome);
  if (reply.refused) return refused(reply);
  ports_.observer.model_answered(state(), reply);
  // What was too much is counted now, where no window was known.
  const auto tokens = reply.stop == StopReason::ContextExceeded
                          ? views_->count_refused(state().history.messages)
                          : view()->estimated_tokens();
  const std::int64_t left_out = view()->left_out_tokens();
  feed_(Event(event::ModelAnswered{std::move(reply), tokens, left_out}));
}

}  // namespace ba::driver
