// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/call_protocol.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/assert.hpp"

namespace ba {
namespace {

ToolError lost_without_effect() {
  return {.type = ToolErrorType::TransientError,
          .code = "CONNECTION_LOST",
          .message = "The connection to the tool was lost; the call did not take effect"};
}

}  // namespace

CallProtocol::CallProtocol(const ToolRetryPolicy& policy, Random& random,
                           const ToolInvocation& invocation, EffectClass effect, bool maybe_done)
    : policy_(policy),
      random_(random),
      effect_(effect),
      retry_on_timeout_(invocation.retry_on_timeout),
      timeout_(invocation.timeout),
      in_doubt_(maybe_done && effect != EffectClass::Pure) {}

// ---- before the first try ----------------------------------------------------------------------

CallProtocol::Next CallProtocol::refused(ToolError error) {
  from({Phase::Preparing});
  return settle(std::move(error));
}

void CallProtocol::remembered() {
  from({Phase::Preparing});
  phase_ = Phase::Ending;
}

CallProtocol::Next CallProtocol::prepared() {
  from({Phase::Preparing});
  if (!in_doubt_ || effect_ == EffectClass::Keyed) return to(Phase::Queueing, Try{});
  if (effect_ == EffectClass::Reconcilable) return to(Phase::Asking, Ask{});
  return to(Phase::Doubting, Rest{Milliseconds(0)});
}

// ---- tries -------------------------------------------------------------------------------------

void CallProtocol::let_in() {
  from({Phase::Queueing});
  phase_ = Phase::Trying;
}

CallProtocol::Next CallProtocol::crowded_out(ToolError error) {
  from({Phase::Queueing});
  last_.reset();
  return settle(std::move(error));
}

CallProtocol::Next CallProtocol::answered(RawToolResult raw) {
  from({Phase::Trying});
  if (!raw.error && !raw.outcome_unknown) return to(Phase::Ending, Succeed{std::move(raw)});
  if (raw.never_happened) in_doubt_ = false;
  if (raw.outcome_unknown && effect_ != EffectClass::Pure) in_doubt_ = true;
  return after_failure(last_.emplace(std::move(raw)));
}

CallProtocol::Next CallProtocol::after_failure(const RawToolResult& raw) {
  if (in_doubt_ && effect_ == EffectClass::Reconcilable) return to(Phase::Doubting, Rest{delay(0)});
  if (!repeatable(effect_) || !may_run_again(raw)) return settle(raw.error);
  const Milliseconds wait = delay(retries_, raw.retry_after);
  count_retry(raw);
  return to(Phase::Resting, Rest{wait});
}

CallProtocol::Next CallProtocol::rested() {
  from({Phase::Resting, Phase::Doubting});
  if (phase_ == Phase::Resting) return to(Phase::Queueing, Try{});
  if (effect_ == EffectClass::Reconcilable) return to(Phase::Asking, Ask{});
  // It was declared otherwise when it was started: by another version of the tool.
  return to(Phase::Ending, LeaveUnknown{});
}

/// Whether the policy has another try for a call that failed like this; of a tool whose effect
/// allows one.
bool CallProtocol::may_run_again(const RawToolResult& raw) const {
  if (raw.retry_useless || retries_ >= policy_.max_retries) return false;
  if (!raw.error) return true;
  if (raw.retry_after && !waits_so_long(policy_, timeout_, *raw.retry_after)) return false;
  if (raw.error->type == ToolErrorType::Timeout && !retry_on_timeout_) return false;
  return policy_.retry_on.contains(raw.error->type);
}

void CallProtocol::count_retry(const RawToolResult& raw) {
  if (raw.error && raw.error->type == ToolErrorType::Timeout)
    timeout_ = longer_timeout(policy_, timeout_);
  ++retries_;
}

Milliseconds CallProtocol::delay(int retries, std::optional<Milliseconds> asked) {
  return asked ? asked_delay(policy_, retries, *asked, random_.next())
               : retry_delay(policy_, retries, random_.next());
}

// ---- what became of an earlier run -------------------------------------------------------------

CallProtocol::Next CallProtocol::status_answered(EffectStatus status) {
  from({Phase::Asking});
  std::optional<ToolError>& error = status.result.error;
  if (status.verdict == EffectStatus::Verdict::DidNotHappen) return did_not_happen();
  if (status.verdict == EffectStatus::Verdict::Happened) {
    if (error) return to(Phase::Ending, Fail{std::move(*error)});
    return to(Phase::Ending, Succeed{std::move(status.result)});
  }
  if (!may_ask_again(status.result)) return to(Phase::Ending, LeaveUnknown{std::move(error)});
  return to(Phase::Doubting, Rest{delay(status_retries_++)});
}

CallProtocol::Next CallProtocol::did_not_happen() {
  in_doubt_ = false;
  if (last_) {  // else the run in question was that of an earlier attempt
    if (!may_run_again(*last_)) return settle(last_->error.value_or(lost_without_effect()));
    count_retry(*last_);
  }
  return to(Phase::Queueing, Try{});
}

/// Asking has no effect, so that any error that may pass is worth another try.
bool CallProtocol::may_ask_again(const RawToolResult& answer) const {
  return answer.error && !answer.retry_useless && status_retries_ < policy_.max_retries &&
         policy_.retry_on.contains(answer.error->type);
}

// ---- the end -----------------------------------------------------------------------------------

CallProtocol::Next CallProtocol::unreadable(ToolError error) {
  from({Phase::Ending});
  in_doubt_ = effect_ != EffectClass::Pure;  // it ran, whatever it answered
  return settle(std::move(error));
}

void CallProtocol::abandoned() {
  from({Phase::Queueing, Phase::Asking});
  phase_ = Phase::Abandoned;
}

CallProtocol::Next CallProtocol::settle(std::optional<ToolError> error) {
  if (in_doubt_ || !error) return to(Phase::Ending, LeaveUnknown{std::move(error)});
  return to(Phase::Ending, Fail{std::move(*error)});
}

void CallProtocol::from(std::initializer_list<Phase> phases) const {
  BA_ASSERT(std::ranges::find(phases, phase_) != phases.end());
}

CallProtocol::Next CallProtocol::to(Phase phase, Next next) {
  phase_ = phase;
  return next;
}

}  // namespace ba
