#pragma once
// SPDX-License-Identifier: Apache-2.0
// A tool's result as a record with a schema version: what programs outside keep and read. Readers
// take every older version (pipeline/text/message/migration.hpp). Pure functions, any thread.

#include <string>
#include <string_view>

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

struct VersionedToolResult {
  ToolResult result;  ///< without telemetry, but for the last error's message
  std::string
      artifact;  ///< of 1.0: data that stood in the record, JSON, to be stored as an artifact
  std::string version;  ///< as it was written
};

/// {"schema_version": "2.1", "tool_call_id", "observation", "output_level", "artifact_id",
/// "data_size_bytes", "data_hash", "data_summary", "note", "retry_count", "last_error", "success",
/// "error_code", "error_type", "error_message", "duration_ms"}; null where there is none. A record
/// without a note had none.
std::string write_tool_result(const ToolResult& result);

/// InvalidArgument names the field; Corrupt: a version that this program doesn't read.
Result<VersionedToolResult> read_tool_result(std::string_view json);

}  // namespace ba
