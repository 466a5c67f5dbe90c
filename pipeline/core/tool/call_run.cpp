// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/call_run.hpp"

#include <exception>
#include <limits>
#include <utility>

#include "pipeline/core/tool/call_reading.hpp"
#include "pipeline/core/tool/observation.hpp"

namespace ba {
namespace {

/// How long a tool that has kept its time limit may take to say so, and to give what it has.
constexpr Milliseconds kLastWords{100};

ToolError lost_without_effect() {
  return {.type = ToolErrorType::TransientError,
          .code = "CONNECTION_LOST",
          .message = "The connection to the tool was lost; the call did not take effect"};
}

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

std::string random_digits(Random& random) {
  std::string id;
  for (int half = 0; half < 2; ++half)
    for (std::uint64_t bits = random.next(), digit = 0; digit < 16; ++digit, bits >>= 4)
      id += "0123456789abcdef"[bits & 15];
  return id;
}

/// The chunks of one run's result, in the store that outlives it.
class RunChunks final : public ChunkSink {
 public:
  RunChunks(const ToolArtifacts& artifacts, TenantId tenant, Random& random)
      : artifacts_(artifacts), tenant_(std::move(tenant)), random_(random) {}

  std::int64_t bytes_max() const override { return artifacts_.bytes_max; }

  void put(DataChunk chunk, Completion<std::string> done) override {
    if (upload_.empty()) upload_ = random_digits(random_);
    artifacts_.store.put({upload_, tenant_, std::move(chunk)},
                         [upload = upload_, done = std::move(done)](const Result<void>& put) {
                           done(put ? Result<std::string>(upload) : put.error());
                         });
  }

 private:
  const ToolArtifacts artifacts_;
  const TenantId tenant_;
  Random& random_;
  std::string upload_;  ///< drawn when there is something to name
};

RawToolResult failed_with(ToolError error) {
  RawToolResult raw;
  raw.error = std::move(error);
  return raw;
}

}  // namespace

CallRun::CallRun(const CallRunPorts& ports, ToolRequest request,
                 std::function<void(ToolResult)> done)
    : ports_(ports),
      request_(std::move(request)),
      started_(ports.clock.now()),
      try_started_(started_),
      done_(std::move(done)) {
  Admission admission = admit(ports.registry, ports.config, request_);
  result_.tool_call_id = request_.call.id;
  result_.output_level = level_of(admission);
  asked_full_ = admission.arguments.output_level == OutputLevel::Full;
  result_.telemetry.execution_id = random_digits(ports.random);
  result_.telemetry.started_at = ports.clock.wall();
  result_.telemetry.skill = request_.skill;
  result_.telemetry.activation_id = request_.activation_id;
  in_doubt_ = request_.maybe_done;
  if (admission.entry) {
    result_.telemetry.tool = admission.entry->tool->descriptor().name;
    result_.telemetry.tool_version = admission.entry->tool->descriptor().version;
  }
  if (admission.refused) {
    later(Milliseconds(0), [this, error = std::move(*admission.refused)] { settle(error); });
    return;
  }
  tool_ = admission.entry->tool.get();
  in_doubt_ = in_doubt_ && effect() != EffectClass::Pure;
  fill_invocation(std::move(admission.arguments));
  read_artifacts(*admission.entry);
}

OutputLevel CallRun::level_of(const Admission& admission) const {
  LevelChoice choice;
  choice.asked = admission.arguments.output_level;
  choice.tool_default = request_.tool_level;
  if (!choice.tool_default && admission.entry)
    choice.tool_default = admission.entry->tool->descriptor().default_level;
  choice.window_used = request_.window_used;
  choice.brief_above_percent = ports_.config.brief_above_window_percent;
  const bool reader = admission.entry && admission.entry->tool->descriptor().reader;
  choice.global_default =
      request_.agent_level.value_or(reader ? OutputLevel::Full : ports_.config.output_level);
  return effective_level(choice);
}

void CallRun::fill_invocation(CheckedArguments arguments) {
  const ToolDescriptor& tool = tool_->descriptor();
  invocation_.tool_call_id = request_.call.id;
  invocation_.tool_name = tool.name;
  invocation_.tool_version = tool.version;
  invocation_.parameters = std::move(arguments.parameters);
  invocation_.output_level = result_.output_level;
  invocation_.timeout = request_.timeout.value_or(tool.timeout);
  invocation_.retry_on_timeout = request_.retry_on_timeout && tool.retry_on_timeout;
  invocation_.permission_level = request_.permission;
  invocation_.tenant = request_.tenant;
  invocation_.caller_id = request_.caller_id;
  invocation_.idempotency_key = request_.idempotency_key;
  if (request_.maybe_done) invocation_.begun_version = request_.begun_version;
  invocation_.job = request_.job;
  invocation_.position = request_.position;
  invocation_.active_skills = request_.active_skills;
  if (request_.uncut) invocation_.held_bytes_max = std::numeric_limits<std::int64_t>::max();
}

void CallRun::later(Milliseconds delay, std::function<void()> task) {
  timer_ = ports_.executor.after(delay, std::move(task));
}

// ---- artifacts that the call names, and results of earlier calls
// ---------------------------------

/// Before the cache is asked: whoever may not read an artifact is told nothing that came of it.
void CallRun::read_artifacts(const ToolRegistry::Entry& entry) {
  NamedArtifacts named = named_artifacts(entry.artifact_parameters, invocation_.parameters);
  if (named.empty()) return ask_cache(entry);
  ArtifactStore* store = ports_.artifacts ? &ports_.artifacts->store : nullptr;
  ArtifactReader reader{store, ports_.artifact_reads, request_.tenant, request_.job,
                        tool_->artifact_range(invocation_.parameters)};
  reader.waits = [this](bool waits) { waits ? wait_for_room() : timer_.reset(); };
  reading_ = std::make_unique<ArtifactReading>(
      std::move(reader), std::move(named), [this, &entry](ArtifactReading::Answer answer) {
        if (auto* error = std::get_if<ToolError>(&answer))
          return later(Milliseconds(0), [this, error = std::move(*error)] { settle(error); });
        auto& data = std::get<ArtifactReading::Data>(answer);
        invocation_.artifacts = std::move(data.texts);
        invocation_.artifact_parts = std::move(data.parts);
        held_ = std::move(data.places);
        ask_cache(entry);
      });
  reading_->start();
}

/// Artifacts that others hold may fill all the room that there is.
void CallRun::wait_for_room() {
  later(invocation_.timeout, [this] {
    reading_.reset();
    settle(no_room(invocation_.timeout));
  });
}

void CallRun::ask_cache(const ToolRegistry::Entry& entry) {
  if (ports_.memory == nullptr) return begin();
  const CallReading reading =
      read_call(entry, request_, invocation_.parameters, ports_.memory->sql);
  result_.telemetry.semantic_key = reading.key.digest;
  if (reading.not_cacheable) return begin();
  claim_ =
      ports_.memory->cache.claim(cache_question(entry, request_, invocation_.parameters, reading),
                                 [this](CacheAnswer answer) { cache_answered(std::move(answer)); });
}

void CallRun::cache_answered(CacheAnswer answer) {
  auto* hit = std::get_if<CacheHit>(&answer);
  if (hit == nullptr) return begin();
  claim_.reset();
  // A call that the tool itself would refuse is not answered by one that means the same.
  if (auto refused = tool_->refusal(invocation_.parameters)) return finish_failed(*refused);
  result_.telemetry.cache_hit = true;
  result_.telemetry.origin_job = hit->origin.job;
  result_.telemetry.origin = hit->origin.position;
  RawToolResult raw;
  raw.data = std::move(hit->data);
  raw.note = std::move(hit->note);
  finish_succeeded(raw);
}

void CallRun::begin() {
  if (!in_doubt_ || effect() == EffectClass::Keyed) return start_try();
  if (effect() == EffectClass::Reconcilable) return ask_status();
  // It was declared otherwise when it was started: by another version of the tool.
  later(Milliseconds(0), [this] { finish_unknown(); });
}

// ---- tries -------------------------------------------------------------------------------------

void CallRun::start_try() {
  const std::string& source = tool_->descriptor().source_parameter;
  if (ports_.gates)
    gates_ = ports_.gates->of(invocation_.tool_name, text_argument(invocation_.parameters, source));
  if (gates_.empty()) return run_tool();
  later(invocation_.timeout, [this] {
    places_.clear();
    RawToolResult raw = failed_with(too_many_calls(invocation_));
    raw.retry_useless = true;
    doubt_or_settle(last_.emplace(std::move(raw)));
  });
  pass_gates();
}

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
  return false;
}

void CallRun::run_tool() {
  if (!may_go_on()) return;
  ++result_.telemetry.attempts;
  try_started_ = ports_.clock.now();
  if (ports_.artifacts && request_.reads_artifacts)
    invocation_.chunks =
        std::make_shared<RunChunks>(*ports_.artifacts, request_.tenant, ports_.random);
  later(invocation_.timeout + kLastWords, [this] {
    run_.reset();
    RawToolResult raw = failed_with(timeout_error(invocation_.timeout));
    raw.outcome_unknown = effect() != EffectClass::Pure;
    answered(std::move(raw));
  });
  try {
    run_ = tool_->run(invocation_, [this](RawToolResult raw) { answered(std::move(raw)); });
  } catch (const std::exception& error) {
    later(Milliseconds(0), [this, raw = threw(error)]() mutable { answered(std::move(raw)); });
  }
}

void CallRun::answered(RawToolResult raw) {
  timer_.reset();
  places_.clear();
  ToolTelemetry& telemetry = result_.telemetry;
  telemetry.latency = std::chrono::duration_cast<Milliseconds>(ports_.clock.now() - try_started_);
  telemetry.metrics = raw.metrics;
  if (raw.error) note_error(raw);
  if (!raw.error && !raw.outcome_unknown) return finish_succeeded(raw);
  if (raw.never_happened) in_doubt_ = false;
  if (raw.outcome_unknown && effect() != EffectClass::Pure) in_doubt_ = true;
  last_ = std::move(raw);
  doubt_or_settle(*last_);
}

void CallRun::note_error(const RawToolResult& raw) {
  result_.telemetry.last_error = presentable(*raw.error);
  result_.telemetry.error_context = raw.error_context;
}

void CallRun::doubt_or_settle(const RawToolResult& raw) {
  if (in_doubt_ && effect() == EffectClass::Reconcilable)
    return later(next_delay(0), [this] { ask_status(); });
  if (!repeatable(effect()) || !may_run_again(raw)) return settle(raw.error);
  const Milliseconds delay = delay_after(raw);
  count_retry(raw);
  if (request_.retrying)
    request_.retrying({result_.telemetry.attempts, raw.error, delay, invocation_.timeout});
  later(delay, [this] { start_try(); });
}

/// Whether the policy has another try for a call that failed like this; of a tool whose effect
/// allows one.
bool CallRun::may_run_again(const RawToolResult& raw) const {
  const ToolRetryPolicy& retry = ports_.config.retry;
  if (raw.retry_useless || result_.retry_count >= retry.max_retries) return false;
  if (!raw.error) return true;
  if (raw.retry_after && !waits_so_long(retry, invocation_.timeout, *raw.retry_after)) return false;
  if (raw.error->type == ToolErrorType::Timeout && !invocation_.retry_on_timeout) return false;
  return retry.retry_on.contains(raw.error->type);
}

void CallRun::count_retry(const RawToolResult& raw) {
  if (raw.error && raw.error->type == ToolErrorType::Timeout)
    invocation_.timeout = longer_timeout(ports_.config.retry, invocation_.timeout);
  ++result_.retry_count;
}

Milliseconds CallRun::next_delay(int retries) {
  return retry_delay(ports_.config.retry, retries, ports_.random.next());
}

Milliseconds CallRun::delay_after(const RawToolResult& raw) {
  if (!raw.retry_after) return next_delay(result_.retry_count);
  return asked_delay(ports_.config.retry, result_.retry_count, *raw.retry_after,
                     ports_.random.next());
}

// ---- what became of an earlier run -------------------------------------------------------------

void CallRun::ask_status() {
  if (!may_go_on()) return;
  later(tool_->descriptor().timeout, [this] {
    run_.reset();
    EffectStatus status;
    status.result = failed_with(timeout_error(tool_->descriptor().timeout));
    status_answered(std::move(status));
  });
  try {
    run_ = tool_->status_source()->status(
        invocation_, [this](EffectStatus status) { status_answered(std::move(status)); });
  } catch (const std::exception& error) {
    EffectStatus status;
    status.result = threw(error);
    later(Milliseconds(0),
          [this, status = std::move(status)]() mutable { status_answered(std::move(status)); });
  }
}

void CallRun::status_answered(EffectStatus status) {
  timer_.reset();
  if (status.result.error) note_error(status.result);
  if (status.verdict == EffectStatus::Verdict::Happened) {
    if (status.result.error) return finish_failed(*status.result.error);
    return finish_succeeded(status.result);
  }
  if (status.verdict == EffectStatus::Verdict::DidNotHappen) return did_not_happen();
  if (!may_ask_again(status)) return finish_unknown(std::move(status.result.error));
  later(next_delay(status_retries_++), [this] { ask_status(); });
}

void CallRun::did_not_happen() {
  in_doubt_ = false;
  if (!last_) return start_try();  // the run in question was that of an earlier attempt
  if (!may_run_again(*last_)) return finish_failed(last_->error.value_or(lost_without_effect()));
  count_retry(*last_);
  start_try();
}

/// Asking has no effect, so that any error that may pass is worth another try.
bool CallRun::may_ask_again(const EffectStatus& status) const {
  const ToolRetryPolicy& retry = ports_.config.retry;
  const std::optional<ToolError>& error = status.result.error;
  return error && !status.result.retry_useless && status_retries_ < retry.max_retries &&
         retry.retry_on.contains(error->type);
}

}  // namespace ba
