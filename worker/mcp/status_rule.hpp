#pragma once
// SPDX-License-Identifier: Apache-2.0
// How a server is asked what became of a call whose answer was lost, under
// `mcp.servers.<server>.tools.<tool>`: which of its tools tells it, with what arguments, and how
// that answer is read. Values; pure.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/setting_problem.hpp"

namespace ba {

inline constexpr std::size_t kStatusWordsMax = 32;       ///< arguments, and words of each kind
inline constexpr std::size_t kStatusTextBytesMax = 512;  ///< of each

/// Stands in an argument for the idempotency key of the call in question.
inline constexpr std::string_view kKeyPlace = "{{key}}";
/// What an argument begins with that is taken from the call in question: {{arguments.NAME}}.
inline constexpr std::string_view kArgumentPlace = "{{arguments.";

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

}  // namespace ba
