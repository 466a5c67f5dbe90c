#pragma once
// SPDX-License-Identifier: Apache-2.0
// One tool as a server lists it. Its hash stands for everything a model or a policy relies on:
// name, description, schema and annotations. Values; reading is pure.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "worker/mcp/param_headers.hpp"

namespace ba::mcp {

inline constexpr std::size_t kToolNameBytesMax = 256;
inline constexpr std::size_t kDescriptionBytesMax = 8192;  ///< as a model reads it
inline constexpr std::size_t kSchemaBytesMax = 128 * 1024;

/// Hints of the server; what is absent is as the specification has it.
struct ToolAnnotations {
  bool read_only = false;
  bool destructive = true;
  bool idempotent = false;
  bool open_world = true;

  friend bool operator==(const ToolAnnotations&, const ToolAnnotations&) = default;
};

struct ToolDefinition {
  std::string name;          ///< the server's own
  std::string description;   ///< for the model: cut, and freed of what a person can't see
  std::string input_schema;  ///< as the server sent it, with the type that it may leave out
  std::string check_schema;  ///< draft 7, for our check
  ToolAnnotations annotations;
  std::vector<ParamHeader> headers;
  std::string hash;  ///< SHA-256 in lower-case hexadecimal

  friend bool operator==(const ToolDefinition&, const ToolDefinition&) = default;
};

/// InvalidArgument, naming the tool, for one that can't be used. `mirrors_headers`: the transport
/// is HTTP, where a broken `x-mcp-header` makes a tool unusable.
Result<ToolDefinition> read_tool_definition(const Json& json, bool mirrors_headers);

/// What running the tool again means, as far as the server is believed.
EffectClass effect_of(const ToolAnnotations& annotations, bool trusted);

}  // namespace ba::mcp
