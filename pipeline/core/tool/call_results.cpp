// SPDX-License-Identifier: Apache-2.0
// How a call ends: its observation, and what is kept beside it.
#include <algorithm>
#include <limits>
#include <utility>

#include "pipeline/core/tool/artifact.hpp"
#include "pipeline/core/tool/call_run.hpp"
#include "pipeline/core/tool/observation.hpp"
#include "pipeline/core/tool/output_level.hpp"

namespace ba {
namespace {

/// In words of ours: a store's own name its address, its user, its files. The keeper logs those.
Error told(Error error) {
  error.message = error.code == ErrorCode::LimitExceeded
                      ? "there is no room where results are kept"
                      : "where results are kept can't be reached at the moment";
  return error;
}

/// Who reads data by the bulk reads it in what takes the fewest tokens.
DataEncoding encoding_of(const ToolDescriptor& tool, const ToolRuntimeConfig& config) {
  if (tool.encoding) return *tool.encoding;
  if (config.encoding) return *config.encoding;
  return tool.reader ? DataEncoding::Auto : DataEncoding::Json;
}

}  // namespace

// ---- results -----------------------------------------------------------------------------------

void CallRun::settle(std::optional<ToolError> error) {
  if (in_doubt_ || !error) return finish_unknown(std::move(error));
  finish_failed(std::move(*error));
}

void CallRun::finish_succeeded(const RawToolResult& raw) {
  Result<FormattedResult> formatted =
      format_result(raw.chunked ? raw.chunked->beginning : raw.data, format_of(raw));
  if (!formatted && result_.telemetry.cache_hit) return pass_over_kept_result();
  if (!formatted) {
    in_doubt_ = effect() != EffectClass::Pure;  // it ran, whatever it answered
    return settle(ToolError{.type = ToolErrorType::InternalError,
                            .code = "INVALID_TOOL_RESULT",
                            .message = formatted.error().message});
  }
  chunked_ = raw.chunked;
  if (chunked_) chunked_->beginning.clear();
  // What is kept of results is whole; one that can't be held runs again.
  if (const auto claim = std::move(claim_); claim && (raw.not_cacheable || raw.chunked))
    claim->failed();
  else if (claim)
    claim->keep(raw.data, raw.note);
  result_.state = ToolCallState::Succeeded;
  closing_line_ = raw.closing_line;
  plain_ = std::move(formatted->plain);
  record(*formatted);
  result_.observation = formatted->text;
  if (ports_.artifacts && !request_.reads_artifacts) tell_out_of_reach();
  const ResultToKeep keeping{result_.data_size_bytes, result_.in_part, asked_full_,
                             chunked_.has_value(), request_.reads_artifacts};
  if (!ports_.artifacts || !becomes_artifact(keeping)) return finish();
  finish_with_artifact(std::move(*formatted));
}

/// What isn't in the text is nowhere that this model could look.
void CallRun::tell_out_of_reach() {
  const bool cut = result_.output_level == OutputLevel::Full
                       ? result_.in_part
                       : result_.data_size_bytes >= kArtifactBytesMin;
  if (cut)
    result_.observation =
        out_of_reach_observation(std::move(result_.observation), result_.data_size_bytes);
}

/// It was damaged where it was kept, which is as good as not kept.
void CallRun::pass_over_kept_result() {
  result_.telemetry.cache_hit = false;
  result_.telemetry.origin_job = {};
  result_.telemetry.origin = {};
  begin();
}

void CallRun::finish_failed(ToolError error) {
  if (const auto claim = std::move(claim_)) claim->failed();
  error = presentable(std::move(error));
  result_.state = ToolCallState::Failed;
  result_.observation = error_observation(error, result_.tool_call_id);
  result_.error = std::move(error);
  finish_with_partial_data();
}

/// `error`: how the last try or question ended, for the record.
void CallRun::finish_unknown(std::optional<ToolError> error) {
  if (error) error = presentable(std::move(*error));
  result_.state = ToolCallState::Unknown;
  result_.observation = outcome_unknown_observation(error, result_.tool_call_id);
  result_.error = std::move(error);
  finish_with_partial_data();
}

/// The last thing a run does: its owner may destroy it from inside done.
void CallRun::finish() {
  if (!closing_line_.empty()) result_.observation += "\n\n" + closing_line_;
  result_.duration = std::chrono::duration_cast<Milliseconds>(ports_.clock.now() - started_);
  result_.telemetry.ended_at = ports_.clock.wall();
  result_.telemetry.input_tokens = request_.count_tokens(
      request_.call.valid() ? request_.call.args_json : request_.call.invalid_args);
  result_.telemetry.output_tokens = request_.count_tokens(result_.observation);
  if (plain_ && *plain_ != result_.observation)
    result_.saved_tokens = request_.count_tokens(*plain_) - result_.telemetry.output_tokens;
  invocation_.artifacts.clear();
  held_.clear();
  const auto done = std::move(done_);
  ToolResult result = std::move(result_);
  done(std::move(result));
}

// ---- data beside the observation ---------------------------------------------------------------

ResultFormat CallRun::format_at(OutputLevel level) const {
  ResultFormat format;
  format.level = level;
  const bool uncut = request_.uncut && level == OutputLevel::Full;
  format.bytes_max =
      uncut ? std::numeric_limits<std::int64_t>::max() : ports_.config.observation_bytes_max;
  format.encoding = encoding_of(tool_->descriptor(), ports_.config);
  format.whole_text = tool_->descriptor().whole_text;
  format.stable_prefix = ports_.config.stable_prefix;
  format.tool = tool_->descriptor().name;
  // Nowhere else could a model read the rest of what it asked for.
  if ((ports_.artifacts && request_.reads_artifacts) || !asked_full_)
    format.full_inline_max = ports_.config.inline_full_max_bytes;
  format.preview_bytes = ports_.config.preview_bytes;
  return format;
}

ResultFormat CallRun::format_of(const RawToolResult& raw) const {
  ResultFormat format = format_at(result_.output_level);
  format.note = raw.note;
  if (raw.chunked) format.whole = {raw.chunked->items, raw.chunked->bytes, raw.chunked->hash};
  return format;
}

void CallRun::record(const FormattedResult& formatted) {
  result_.data_size_bytes = formatted.data_size_bytes;
  result_.data_hash = formatted.data_hash;
  result_.data_summary = formatted.data_summary;
  result_.note = formatted.note;
  result_.in_part = formatted.in_part;
}

/// Of a result that can't be stored a model reads the level's text all the same. One that can't
/// read what is stored isn't told of it: it is there for people.
void CallRun::finish_with_artifact(FormattedResult formatted) {
  if (!request_.reads_artifacts)
    return keep_artifact(std::move(formatted.data), [this](const Result<void>&) { finish(); });
  keep_artifact(std::move(formatted.data),
                [this, text = std::move(formatted.text)](const Result<void>& kept) {
                  result_.observation =
                      kept ? artifact_observation(text, result_.artifact_id, result_.data_summary)
                           : artifact_lost_observation(text, kept.error().message);
                  finish();
                });
}

/// What a tool delivered before its time was up.
void CallRun::finish_with_partial_data() {
  if (!ports_.artifacts || !request_.reads_artifacts || !last_ || last_->data.empty())
    return finish();
  Result<FormattedResult> formatted = format_result(last_->data, format_at(OutputLevel::Brief));
  if (!formatted) return finish();
  record(*formatted);
  keep_artifact(std::move(formatted->data), [this](const Result<void>& kept) {
    if (kept)
      result_.observation =
          partial_data_observation(std::move(result_.observation), result_.artifact_id);
    finish();
  });
}

Artifact CallRun::artifact_of(std::string data) {
  Artifact artifact{artifact_id(request_.tenant, result_.data_hash), request_.tenant, request_.job,
                    request_.position, std::move(data)};
  if (!chunked_) return artifact;
  artifact.upload = chunked_->upload;
  artifact.chunks = chunked_->chunks;
  artifact.items = chunked_->items;
  artifact.bytes = chunked_->bytes;
  return artifact;
}

/// Names the artifact in the result once it is stored.
void CallRun::keep_artifact(std::string data, std::function<void(Result<void>)> kept) {
  const std::int64_t most = ports_.artifacts->bytes_max;
  if (result_.data_size_bytes > most) {
    Error error;
    error.code = ErrorCode::LimitExceeded;
    error.message = "it has " + std::to_string(result_.data_size_bytes) + " bytes, at most " +
                    std::to_string(most) + " are kept; ask for less";
    return kept(error);
  }
  Artifact artifact = artifact_of(std::move(data));
  std::string id = artifact.id;
  ports_.artifacts->store.keep(std::move(artifact),
                               [this, id = std::move(id), kept = std::move(kept),
                                alive = std::weak_ptr(alive_)](const Result<ArtifactKept>& stored) {
                                 if (alive.expired()) return;
                                 if (!stored) return kept(told(stored.error()));
                                 result_.artifact_id = id;
                                 kept({});
                               });
}

}  // namespace ba
