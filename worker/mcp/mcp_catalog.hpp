// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is known of one server's tools over its lists: which may be offered, which have changed
// since they were approved or first seen, which are gone. Owned by McpServers; control thread only.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/core/tool/tool.hpp"
#include "worker/mcp/json.hpp"
#include "worker/mcp/mcp_config.hpp"
#include "worker/mcp/tool_listing.hpp"

namespace ba::mcp {

/// A tool that is offered to models. Its definition stays what it was when it was first offered, as
/// long as the process lives: nothing changes under a conversation.
struct KnownTool {
  ToolDefinition definition;
  EffectClass effect = EffectClass::Once;
  PermissionLevel permission = PermissionLevel::Default;
  /// A tool that may be repeated may have changed something all the same: what it answered the
  /// first time doesn't stand for that.
  bool may_be_cached = false;
  CachePolicy cache_policy = CachePolicy::NoCache;
  std::string exposed;   ///< the name that models know; set when it is registered
  bool refused = false;  ///< it changed, and its pin stands for what it was
  bool listed = true;    ///< it was in the last list
  /// Its parameter that takes the worker's idempotency key, which no model sees; empty: it has
  /// none.
  std::string key_argument;
  bool takes_key = false;  ///< it has that parameter as it is listed now
  /// Of a reconcilable tool: why its status tool can't be asked, as it is now; empty: it can.
  std::string status_defect;
};

/// A reconcilable tool that doesn't take its key any more: it isn't called until it does.
inline bool lost_its_key(const KnownTool& known) {
  return known.effect == EffectClass::Reconcilable && !known.key_argument.empty() &&
         !known.takes_key;
}

struct CatalogChange {
  std::vector<std::shared_ptr<KnownTool>> added;
  std::vector<std::string> warnings;
};

class Catalog {
 public:
  explicit Catalog(const McpServerConfig& config) : config_(config) {}

  CatalogChange take(const ToolList& list);

  /// Shared with the tools that are made of them.
  const std::map<std::string, std::shared_ptr<KnownTool>>& tools() const { return tools_; }

 private:
  bool enabled(const std::string& tool) const;
  bool approved(const ToolDefinition& tool, std::vector<std::string>& warnings) const;
  void take_known(KnownTool& known, const ToolDefinition& now, std::vector<std::string>& warnings);
  std::shared_ptr<KnownTool> make(const ToolDefinition& tool) const;
  void look_at_keys(const ToolList& list);
  void look_at_status_tools(const ToolList& list, CatalogChange& change);
  std::string defect_of_status(const ToolDefinition& tool, const ToolList& list) const;

  const McpServerConfig& config_;
  std::map<std::string, std::shared_ptr<KnownTool>> tools_;  ///< by the server's own names
  std::map<std::string, std::string> told_;  ///< tool to the changed hash that was warned of
};

/// Why `tool` can't be sent the worker's key as `key_argument`; none where that is empty.
std::optional<std::string> key_defect(const ToolDefinition& tool, const std::string& key_argument);

/// Why `asked` can't say what became of calls of `tool`: it isn't read-only as far as the server is
/// believed or the operator says, or what it is asked with doesn't fit the two schemas.
std::optional<std::string> status_defect(const ToolDefinition& tool, const ToolDefinition& asked,
                                         const McpServerConfig& server);

/// The arguments of the call in question with the key that the server knows it by.
Json with_key(Json arguments, const std::string& key_argument, const std::string& key);

/// The status tool's arguments. One that the call in question doesn't have is left out.
std::optional<Json> status_arguments(const McpStatusRule& rule, const Json& call,
                                     const std::string& key);

/// ".DIGEST" of what a question is asked with: a call that was begun under another one is known by
/// another key, or to another tool. How the answer is read is no part of it.
std::string question_version(const std::string& key_argument, const McpStatusRule& rule);

/// What the answer says of the call. A word that is in neither list is asked for again, in case the
/// call is under way; an answer that has no word can't tell.
EffectStatus read_status(const McpStatusRule& rule, const RawToolResult& answer);

/// A tool's schema without the parameter that the worker fills itself.
std::string without_parameter(const std::string& schema, const std::string& name);

}  // namespace ba::mcp
