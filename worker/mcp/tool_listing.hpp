// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tool as a server lists it, and the reading of a whole list, page by page. What can't be used is
// left out with a warning. A ToolListing is owned by a Session; control thread only.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "worker/mcp/json.hpp"
#include "worker/mcp/mcp_transport.hpp"
#include "worker/mcp/rpc_client.hpp"

namespace ba::mcp {

inline constexpr int kSchemaNodesMax = 10'000;  ///< after references were replaced

/// The schema with the type that it leaves out, as arguments are an object: one with properties, or
/// that says nothing. Any other as it is.
Json with_object_type(Json input_schema);

/// A tool's input schema (JSON Schema 2020-12) as the draft 7 that our own check of arguments
/// understands. InvalidArgument for a schema that is not that of an object, or refers to another
/// document.
Result<std::string> draft7_schema(const Json& input_schema);

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

/// One tool. Its hash stands for everything a model or a policy relies on: name, description,
/// schema and annotations.
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

inline constexpr int kListPagesMax = 64;
inline constexpr std::size_t kListToolsMax = 1024;
inline constexpr std::size_t kListWarningsMax = 50;

struct ToolList {
  std::vector<ToolDefinition> tools;  ///< in the server's order, each name once
  std::vector<std::string> warnings;
  std::optional<Milliseconds> fresh_for;  ///< the server's ttlMs

  friend bool operator==(const ToolList&, const ToolList&) = default;
};

class ToolListing {
 public:
  using Done = std::function<void(Result<ToolList>)>;

  /// Cancels nothing when it is destroyed before its end: `rpc` goes with it.
  ToolListing(RpcClient& rpc, Milliseconds timeout, Done done);

  void start() { ask(std::nullopt); }

 private:
  void ask(const std::optional<std::string>& cursor);
  void answered(Reply reply);
  void take_tools(const Json& page);
  void warn(std::string text);

  RpcClient& rpc_;
  const Milliseconds timeout_;
  Done done_;
  ToolList list_;
  std::set<std::string> names_;
  int pages_ = 0;
};

}  // namespace ba::mcp
