// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/call_run.hpp"

#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "pipeline/core/tool/call_reading.hpp"
#include "pipeline/core/tool/observation.hpp"

namespace ba {
namespace {

/// How long a tool that has kept its time limit may take to say so, and to give what it has.
constexpr Milliseconds kLastWords{100};

ToolError too_many_calls(const ToolInvocation& invocation) {
  return {.type = ToolErrorType::RateLimit,
          .code = "TOO_MANY_CALLS",
          .message = "So many calls of " + invocation.tool_name +
                     " are under way or waiting that this one did not begin within " +
                     std::to_string(invocation.timeout.count()) + "ms; try again later"};
}

ToolError no_room(Milliseconds waited) {
  return {.type = ToolErrorType::ResourceError,
          .code = "ARTIFACTS_IN_USE",
          .message =
              "So many large artifacts are being read that there was no room for this one "
              "within " +
              std::to_string(waited.count()) + "ms; try again later, or read a range of it"};
}

RawToolResult timed_out(Milliseconds timeout) {
  RawToolResult raw;
  raw.error = timeout_error(timeout);
  return raw;
}

EffectClass effect_of(const Admission& admission) {
  return admission.refused ? EffectClass::Once : admission.entry->tool->descriptor().effect;
}

}  // namespace

CallRun::CallRun(const CallRunPorts& ports, ToolRequest request,
                 std::function<void(ToolResult)> done)
    : ports_(ports),
      request_(std::move(request)),
      started_(ports.clock.now()),
      admission_(admit(ports.registry, ports.config, request_)),
      invocation_(invocation_of(request_, admission_)),
      protocol_(ports.config.retry, ports.random, invocation_, effect_of(admission_),
                request_.maybe_done),
      ending_(ports_, request_, admission_, [this, done = std::move(done)](ToolResult result) {
        finish(result);
        done(std::move(result));
      }) {
  invocation_.output_level = ending_.level();
  if (admission_.refused)
    later(Milliseconds(0), [this] { go_on(protocol_.refused(*admission_.refused)); });
  else
    read_artifacts();
}

void CallRun::later(Milliseconds delay, std::function<void()> task) {
  timer_ = ports_.executor.after(delay, std::move(task));
}

// ---- artifacts that it names, results of earlier calls -----------------------------------------

/// Before the cache is asked: whoever may not read an artifact is told nothing that came of it.
void CallRun::read_artifacts() {
  NamedArtifacts named =
      named_artifacts(admission_.entry->artifact_parameters, *invocation_.arguments);
  if (named.empty()) return ask_cache();
  ArtifactStore* store = ports_.artifacts ? &ports_.artifacts->store : nullptr;
  ArtifactReader reader{store, ports_.artifact_reads, request_.tenant, request_.job,
                        tool().artifact_range(invocation_.parameters)};
  reader.waits = [this](bool waits) { waits ? wait_for_room() : timer_.reset(); };
  reading_ = std::make_unique<ArtifactReading>(
      std::move(reader), std::move(named), [this](ArtifactReading::Answer answer) {
        if (auto* error = std::get_if<ToolError>(&answer))
          return later(Milliseconds(0),
                       [this, error = std::move(*error)] { go_on(protocol_.refused(error)); });
        auto& data = std::get<ArtifactReading::Data>(answer);
        invocation_.artifacts = std::move(data.texts);
        invocation_.artifact_parts = std::move(data.parts);
        held_ = std::move(data.places);
        ask_cache();
      });
  reading_->start();
}

/// Artifacts that others hold may fill all the room that there is.
void CallRun::wait_for_room() {
  later(invocation_.timeout, [this] {
    reading_.reset();
    go_on(protocol_.refused(no_room(invocation_.timeout)));
  });
}

void CallRun::ask_cache() {
  if (ports_.memory == nullptr) return go_on(protocol_.prepared());
  const ToolRegistry::Entry& entry = *admission_.entry;
  const CallReading reading =
      read_call(entry, request_, *invocation_.arguments, ports_.memory->sql);
  ending_.telemetry().semantic_key = reading.key.digest;
  if (reading.not_cacheable) return go_on(protocol_.prepared());
  claim_ =
      ports_.memory->cache.claim(cache_question(entry, request_, *invocation_.arguments, reading),
                                 [this](CacheAnswer answer) { cache_answered(std::move(answer)); });
}

void CallRun::cache_answered(CacheAnswer answer) {
  auto* hit = std::get_if<CacheHit>(&answer);
  if (hit == nullptr) return go_on(protocol_.prepared());
  claim_.reset();
  // A call that the tool itself would refuse is not answered by one that means the same.
  if (auto refused = tool().refusal(invocation_.parameters))
    return go_on(protocol_.refused(std::move(*refused)));
  RawToolResult raw;
  raw.data = std::move(hit->data);
  raw.note = std::move(hit->note);
  Result<FormattedResult> formatted = ending_.format(raw);
  // It was damaged where it was kept, which is as good as not kept.
  if (!formatted) return go_on(protocol_.prepared());
  protocol_.remembered();
  ending_.telemetry().cache_hit = true;
  ending_.telemetry().origin_job = hit->origin.job;
  ending_.telemetry().origin = hit->origin.position;
  ending_.succeed(raw, std::move(*formatted));
}

// ---- what comes next ---------------------------------------------------------------------------

void CallRun::go_on(CallProtocol::Next next) {
  std::visit([this](auto& what) { perform(std::move(what)); }, next);
}

void CallRun::perform(CallProtocol::Try) {
  invocation_.timeout = protocol_.timeout();
  const std::string& source = tool().descriptor().source_parameter;
  if (ports_.gates && ports_.gates->any())
    gates_ = ports_.gates->of(invocation_.tool_name, text_among(*invocation_.arguments, source));
  if (gates_.empty()) return run_tool();
  later(invocation_.timeout, [this] {
    places_.clear();
    go_on(protocol_.crowded_out(too_many_calls(invocation_)));
  });
  pass_gates();
}

void CallRun::perform(CallProtocol::Ask) {
  if (!may_go_on()) return;
  later(tool().descriptor().timeout, [this] {
    run_.reset();
    EffectStatus status;
    status.result = timed_out(tool().descriptor().timeout);
    status_answered(std::move(status));
  });
  try {
    run_ = tool().status_source()->status(
        invocation_, [this](EffectStatus status) { status_answered(std::move(status)); });
  } catch (const std::exception& error) {
    EffectStatus status;
    status.result = threw(error);
    later(Milliseconds(0),
          [this, status = std::move(status)]() mutable { status_answered(std::move(status)); });
  }
}

void CallRun::perform(CallProtocol::Rest next) {
  if (protocol_.phase() == CallProtocol::Phase::Resting && request_.retrying)
    request_.retrying(
        {ending_.telemetry().attempts, protocol_.last()->error, next.delay, protocol_.timeout()});
  later(next.delay, [this] { go_on(protocol_.rested()); });
}

void CallRun::perform(CallProtocol::Succeed next) {
  Result<FormattedResult> formatted = ending_.format(next.raw);
  if (!formatted)
    return go_on(protocol_.unreadable({.type = ToolErrorType::InternalError,
                                       .code = "INVALID_TOOL_RESULT",
                                       .message = formatted.error().message}));
  // What is kept of results is whole; one that can't be held runs again.
  if (const auto claim = std::move(claim_); claim && (next.raw.not_cacheable || next.raw.chunked))
    claim->failed();
  else if (claim)
    claim->keep(next.raw.data, next.raw.note);
  ending_.succeed(next.raw, std::move(*formatted));
}

void CallRun::perform(CallProtocol::Fail next) {
  if (const auto claim = std::move(claim_)) claim->failed();
  ending_.fail(std::move(next.error), protocol_.last());
}

void CallRun::perform(CallProtocol::LeaveUnknown next) {
  ending_.leave_unknown(std::move(next.error), protocol_.last());
}

// ---- a try, and a question ---------------------------------------------------------------------

/// One after the other; the first of several waits outside the others.
void CallRun::pass_gates() {
  while (!gates_.empty()) {
    CallGate* const gate = gates_.front();
    gates_.erase(gates_.begin());
    places_.push_back(gate->enter([this] { pass_gates(); }));
    if (!places_.back()->in()) return;
  }
  run_tool();
}

/// A worker that stood still while the call waited, for whatever, may have lost its lease, and
/// another may be at the same call.
bool CallRun::may_go_on() {
  if (!request_.may_go_on || request_.may_go_on()) return true;
  timer_.reset();
  protocol_.abandoned();
  return false;
}

void CallRun::run_tool() {
  if (!may_go_on()) return;
  protocol_.let_in();
  ++ending_.telemetry().attempts;
  try_started_ = ports_.clock.now();
  invocation_.chunks = ending_.chunk_sink();
  later(invocation_.timeout + kLastWords, [this] {
    run_.reset();
    RawToolResult raw = timed_out(invocation_.timeout);
    raw.outcome_unknown = effect_of(admission_) != EffectClass::Pure;
    answered(std::move(raw));
  });
  try {
    run_ = tool().run(invocation_, [this](RawToolResult raw) { answered(std::move(raw)); });
  } catch (const std::exception& error) {
    later(Milliseconds(0), [this, raw = threw(error)]() mutable { answered(std::move(raw)); });
  }
}

void CallRun::answered(RawToolResult raw) {
  timer_.reset();
  places_.clear();
  ToolTelemetry& telemetry = ending_.telemetry();
  telemetry.latency = std::chrono::duration_cast<Milliseconds>(ports_.clock.now() - try_started_);
  telemetry.metrics = raw.metrics;
  if (raw.error) ending_.note_error(raw);
  go_on(protocol_.answered(std::move(raw)));
}

void CallRun::status_answered(EffectStatus status) {
  timer_.reset();
  if (status.result.error) ending_.note_error(status.result);
  go_on(protocol_.status_answered(std::move(status)));
}

void CallRun::finish(ToolResult& result) {
  result.duration = std::chrono::duration_cast<Milliseconds>(ports_.clock.now() - started_);
  result.retry_count = protocol_.retries();
  invocation_.artifacts.clear();
  held_.clear();
}

}  // namespace ba
