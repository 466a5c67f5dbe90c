#pragma once
// SPDX-License-Identifier: Apache-2.0
// Reads a server's whole list of tools, page by page. What can't be used is left out with a
// warning. Owned by a Session; control thread only.

#include <set>

#include "worker/mcp/rpc_client.hpp"
#include "worker/mcp/tool_definition.hpp"

namespace ba::mcp {

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
