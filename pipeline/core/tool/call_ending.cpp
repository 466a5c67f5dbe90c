// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/call_ending.hpp"

#include <limits>
#include <utility>

#include "pipeline/core/tool/artifact.hpp"
#include "pipeline/core/tool/call_run.hpp"
#include "pipeline/core/tool/observation.hpp"

namespace ba {
namespace {

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

OutputLevel level_of(const ToolRuntimeConfig& config, const ToolRequest& request,
                     const Admission& admission) {
  const ToolDescriptor* tool = admission.entry ? &admission.entry->tool->descriptor() : nullptr;
  LevelChoice choice;
  choice.asked = admission.arguments.output_level;
  choice.tool_default = request.tool_level;
  if (!choice.tool_default && tool) choice.tool_default = tool->default_level;
  choice.window_used = request.window_used;
  choice.brief_above_percent = config.brief_above_window_percent;
  choice.global_default =
      request.agent_level.value_or(tool && tool->reader ? OutputLevel::Full : config.output_level);
  return effective_level(choice);
}

}  // namespace

CallEnding::CallEnding(const CallRunPorts& ports, const ToolRequest& request,
                       const Admission& admission, std::function<void(ToolResult)> done)
    : ports_(ports), request_(request), admission_(admission), done_(std::move(done)) {
  result_.tool_call_id = request.call.id;
  result_.output_level = level_of(ports.config, request, admission);
  result_.telemetry.execution_id = random_digits(ports.random);
  result_.telemetry.started_at = ports.clock.wall();
  result_.telemetry.skill = request.skill;
  result_.telemetry.activation_id = request.activation_id;
  if (!admission.entry) return;
  result_.telemetry.tool = tool().name;
  result_.telemetry.tool_version = tool().version;
}

void CallEnding::note_error(const RawToolResult& raw) {
  result_.telemetry.last_error = presentable(*raw.error);
  result_.telemetry.error_context = raw.error_context;
}

// ---- what a model reads ------------------------------------------------------------------------

Result<FormattedResult> CallEnding::format(const RawToolResult& raw) const {
  ResultFormat format = format_at(result_.output_level);
  format.note = raw.note;
  if (raw.chunked) format.whole = {raw.chunked->items, raw.chunked->bytes, raw.chunked->hash};
  return format_result(raw.chunked ? raw.chunked->beginning : raw.data, format);
}

ResultFormat CallEnding::format_at(OutputLevel level) const {
  ResultFormat format;
  format.level = level;
  const bool uncut = request_.uncut && level == OutputLevel::Full;
  format.bytes_max =
      uncut ? std::numeric_limits<std::int64_t>::max() : ports_.config.observation_bytes_max;
  format.encoding = encoding_of(tool(), ports_.config);
  format.whole_text = tool().whole_text;
  format.stable_prefix = ports_.config.stable_prefix;
  format.tool = tool().name;
  // Nowhere else could a model read the rest of what it asked for.
  if (artifacts_are_read() || admission_.arguments.output_level != OutputLevel::Full)
    format.full_inline_max = ports_.config.inline_full_max_bytes;
  format.preview_bytes = ports_.config.preview_bytes;
  return format;
}

bool CallEnding::artifacts_are_read() const { return ports_.artifacts && request_.reads_artifacts; }

void CallEnding::succeed(const RawToolResult& raw, FormattedResult formatted) {
  chunked_ = raw.chunked;
  if (chunked_) chunked_->beginning.clear();
  result_.state = ToolCallState::Succeeded;
  closing_line_ = raw.closing_line;
  plain_ = std::move(formatted.plain);
  record(formatted);
  result_.observation = formatted.text;
  if (!ports_.artifacts) return finish();
  if (!request_.reads_artifacts) tell_out_of_reach();
  const bool asked_full = admission_.arguments.output_level == OutputLevel::Full;
  const ResultToKeep keeping{result_.data_size_bytes, result_.in_part, asked_full,
                             chunked_.has_value(), request_.reads_artifacts};
  if (!becomes_artifact(keeping)) return finish();
  finish_with_artifact(std::move(formatted));
}

/// What isn't in the text is nowhere that this model could look.
void CallEnding::tell_out_of_reach() {
  const bool cut = result_.output_level == OutputLevel::Full
                       ? result_.in_part
                       : result_.data_size_bytes >= kArtifactBytesMin;
  if (cut)
    result_.observation =
        out_of_reach_observation(std::move(result_.observation), result_.data_size_bytes);
}

void CallEnding::fail(ToolError error, const std::optional<RawToolResult>& last) {
  error = presentable(std::move(error));
  result_.state = ToolCallState::Failed;
  result_.observation = error_observation(error, result_.tool_call_id);
  result_.error = std::move(error);
  finish_with_partial_data(last);
}

void CallEnding::leave_unknown(std::optional<ToolError> error,
                               const std::optional<RawToolResult>& last) {
  if (error) error = presentable(std::move(*error));
  result_.state = ToolCallState::Unknown;
  result_.observation = outcome_unknown_observation(error, result_.tool_call_id);
  result_.error = std::move(error);
  finish_with_partial_data(last);
}

void CallEnding::finish() {
  if (!closing_line_.empty()) result_.observation += "\n\n" + closing_line_;
  result_.telemetry.ended_at = ports_.clock.wall();
  result_.telemetry.input_tokens = request_.count_tokens(
      request_.call.valid() ? request_.call.args_json : request_.call.invalid_args);
  result_.telemetry.output_tokens = request_.count_tokens(result_.observation);
  if (plain_ && *plain_ != result_.observation)
    result_.saved_tokens = request_.count_tokens(*plain_) - result_.telemetry.output_tokens;
  const auto done = std::move(done_);
  done(std::move(result_));
}

// ---- data beside the observation ---------------------------------------------------------------

void CallEnding::record(const FormattedResult& formatted) {
  result_.data_size_bytes = formatted.data_size_bytes;
  result_.data_hash = formatted.data_hash;
  result_.data_summary = formatted.data_summary;
  result_.note = formatted.note;
  result_.in_part = formatted.in_part;
}

/// Of a result that can't be stored a model reads the level's text all the same. One that can't
/// read what is stored isn't told of it: it is there for people.
void CallEnding::finish_with_artifact(FormattedResult formatted) {
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

std::shared_ptr<ChunkSink> CallEnding::chunk_sink() const {
  if (!artifacts_are_read()) return nullptr;
  return std::make_shared<RunChunks>(*ports_.artifacts, request_.tenant, ports_.random);
}

/// What a tool delivered before its time was up.
void CallEnding::finish_with_partial_data(const std::optional<RawToolResult>& last) {
  if (!artifacts_are_read() || !last || last->data.empty()) return finish();
  Result<FormattedResult> formatted = format_result(last->data, format_at(OutputLevel::Brief));
  if (!formatted) return finish();
  record(*formatted);
  keep_artifact(std::move(formatted->data), [this](const Result<void>& kept) {
    if (kept)
      result_.observation =
          partial_data_observation(std::move(result_.observation), result_.artifact_id);
    finish();
  });
}

Artifact CallEnding::artifact_of(std::string data) {
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
void CallEnding::keep_artifact(std::string data, std::function<void(Result<void>)> kept) {
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
                               lifetime_.guarded([this, id = std::move(id), kept = std::move(kept)](
                                                     const Result<ArtifactKept>& stored) {
                                 if (!stored) return kept(told(stored.error()));
                                 result_.artifact_id = id;
                                 kept({});
                               }));
}

}  // namespace ba
