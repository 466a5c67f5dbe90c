// SPDX-License-Identifier: Apache-2.0
#pragma once
// Configuration of the servers of tools (section `mcp` of the configuration file), already parsed.
// Every default stands here. Values.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/setting_problem.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/tool/tool.hpp"
#include "pipeline/text/secret/secret.hpp"

namespace ba::mcp {

inline constexpr std::size_t kStatusWordsMax = 32;       ///< arguments, and words of each kind
inline constexpr std::size_t kStatusTextBytesMax = 512;  ///< of each

/// Stands in an argument for the idempotency key of the call in question.
inline constexpr std::string_view kKeyPlace = "{{key}}";
/// What an argument begins with that is taken from the call in question: {{arguments.NAME}}.
inline constexpr std::string_view kArgumentPlace = "{{arguments.";

/// How a server is asked what became of a call whose answer was lost, under
/// `mcp.servers.<server>.tools.<tool>`: which of its tools tells it, with what arguments, and how
/// that answer is read.
struct McpStatusRule {
  std::string tool;  ///< `status_tool`, by the server's own name; empty: there is none
  /// Its arguments: {{key}}, {{arguments.NAME}}, a value of the call in question, or a text.
  std::map<std::string, std::string> arguments;
  std::string path;  ///< JSON pointer to the word in its answer; empty: the answer itself
  std::vector<std::string> happened;        ///< words that say that the call took effect
  std::vector<std::string> did_not_happen;  ///< that it didn't, and won't any more
  std::string result_path;  ///< to the call's own result in that answer; empty: it has none

  friend bool operator==(const McpStatusRule&, const McpStatusRule&) = default;
};

/// "NAME" of "{{arguments.NAME}}"; empty: the text is none such.
std::string_view argument_named(std::string_view text);

/// What is wrong with the keys of `rule`, of the tool `name` of a server.
void check_status_rule(const std::string& name, const McpStatusRule& rule,
                       const std::string& key_argument, KeyChecks& checks);

/// What the operator says of one tool, under `mcp.servers.<server>.tools.<tool>`.
struct McpToolSettings {
  bool enabled = true;
  std::optional<EffectClass> effect;  ///< none: by the server's annotations, if it is trusted
  std::optional<PermissionLevel> permission;
  std::optional<CachePolicy> cache_policy;
  /// Of a reconcilable tool: its parameter that takes the worker's idempotency key, which no model
  /// sees; empty: it has none.
  std::string key_argument;
  McpStatusRule status;  ///< of a reconcilable tool

  friend bool operator==(const McpToolSettings&, const McpToolSettings&) = default;
};

/// One server, under `mcp.servers.<name>`: a command to run, or a URL.
struct McpServerConfig {
  std::string name;  ///< [a-zA-Z][a-zA-Z0-9-]{0,31}; its tools are called <name>_<tool>
  bool enabled = true;
  std::vector<std::string> command;  ///< program and arguments
  std::map<std::string, Secret>
      env;  ///< beside PATH, HOME and LANG, which are all that it inherits
  std::string url;
  std::map<std::string, Secret> headers;
  std::string ca_file;   ///< of the URL's server; empty: the system's
  bool trusted = false;  ///< its annotations are believed
  PermissionLevel permission = PermissionLevel::Default;
  Milliseconds timeout{60'000};       ///< of a call without answer or progress
  Milliseconds timeout_max{600'000};  ///< of a call, whatever its progress
  Milliseconds connect_timeout{10'000};
  std::int64_t message_bytes_max = 4 << 20;      ///< of one message of the server
  int concurrency_max = 16;                      ///< HTTP requests at a time
  std::map<std::string, McpToolSettings> tools;  ///< by the server's own names
  std::map<std::string, std::string> pins;       ///< tool to hash; empty: nothing is pinned
  std::string section = "mcp.servers";           ///< where the user wrote it; or "mcpServers"

  std::string key() const { return section + "." + name; }

  friend bool operator==(const McpServerConfig&, const McpServerConfig&) = default;
};

struct McpConfig {
  std::vector<McpServerConfig> servers;

  friend bool operator==(const McpConfig&, const McpConfig&) = default;
};

/// Whether a tool of an enabled server may have that name, <server>_<tool>: what a server lists is
/// known only while it is up.
bool may_offer(const McpConfig& config, std::string_view tool);

/// What is wrong, but for the bounds of single numbers. Empty: all is well.
std::vector<SettingProblem> validate(const McpConfig& config);

}  // namespace ba::mcp
