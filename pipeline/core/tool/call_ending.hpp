#pragma once
// SPDX-License-Identifier: Apache-2.0
// How one call ends: its observation, what is recorded of it, and what is kept of its data. A part
// of CallRun; control thread only.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/base/lifetime.hpp"
#include "pipeline/core/tool/admission.hpp"
#include "pipeline/core/tool/artifact_store.hpp"
#include "pipeline/core/tool/output_level.hpp"

namespace ba {

struct CallRunPorts;

class CallEnding final {
 public:
  /// The references outlive it. `done` comes once, as its last word: it may be destroyed in there.
  CallEnding(const CallRunPorts& ports, const ToolRequest& request, const Admission& admission,
             std::function<void(ToolResult)> done);

  OutputLevel level() const { return result_.output_level; }
  ToolTelemetry& telemetry() { return result_.telemetry; }
  void note_error(const RawToolResult& raw);

  /// Where a try puts a result that is too large to be held. Null: nothing is kept.
  std::shared_ptr<ChunkSink> chunk_sink() const;

  /// The data as the model reads it.
  Result<FormattedResult> format(const RawToolResult& raw) const;
  void succeed(const RawToolResult& raw, FormattedResult formatted);

  /// `last`: what the last try gave, which may be a part of the data.
  void fail(ToolError error, const std::optional<RawToolResult>& last);
  /// `error`: how the last try or question ended, for the record.
  void leave_unknown(std::optional<ToolError> error, const std::optional<RawToolResult>& last);

 private:
  const ToolDescriptor& tool() const { return admission_.entry->tool->descriptor(); }
  bool artifacts_are_read() const;
  ResultFormat format_at(OutputLevel level) const;
  void record(const FormattedResult& formatted);
  void tell_out_of_reach();
  void finish_with_artifact(FormattedResult formatted);
  void finish_with_partial_data(const std::optional<RawToolResult>& last);
  Artifact artifact_of(std::string data);
  void keep_artifact(std::string data, std::function<void(Result<void>)> kept);
  void finish();

  const CallRunPorts& ports_;
  const ToolRequest& request_;
  const Admission& admission_;
  std::function<void(ToolResult)> done_;
  ToolResult result_;
  std::optional<ChunkedData> chunked_;  ///< where the data is that wasn't held
  std::string closing_line_;            ///< of the observation
  std::optional<std::string> plain_;    ///< what a plain loop would show of a success
  Lifetime lifetime_;
};

}  // namespace ba
