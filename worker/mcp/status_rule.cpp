// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/status_rule.hpp"

#include <algorithm>

namespace ba {
namespace {

constexpr std::string_view kPlaceEnd = "}}";

bool short_enough(const std::string& text) { return text.size() <= kStatusTextBytesMax; }

bool is_pointer(std::string_view path) {
  if (path.empty()) return true;
  if (path[0] != '/') return false;
  for (std::size_t i = 0; i < path.size(); ++i)
    if (path[i] == '~' && (i + 1 == path.size() || (path[i + 1] != '0' && path[i + 1] != '1')))
      return false;
  return true;
}

void check_path(const char* key, const std::string& path, KeyChecks& checks) {
  checks.expect(is_pointer(path) && short_enough(path), key, "'" + path + "'",
                "a JSON pointer (/status, /payment/state)");
}

void check_words(const char* key, const std::vector<std::string>& words, KeyChecks& checks) {
  const bool good = words.size() <= kStatusWordsMax && std::ranges::all_of(words, short_enough);
  checks.expect(good, key, std::to_string(words.size()) + " words",
                "at most " + std::to_string(kStatusWordsMax) + ", of at most " +
                    std::to_string(kStatusTextBytesMax) + " bytes each");
}

void check_arguments(const McpStatusRule& rule, const std::string& key_argument,
                     KeyChecks& checks) {
  checks.expect(rule.arguments.size() <= kStatusWordsMax, "status_arguments",
                std::to_string(rule.arguments.size()) + " of them",
                "at most " + std::to_string(kStatusWordsMax));
  for (const auto& [name, text] : rule.arguments) {
    const std::string key = "status_arguments." + name;
    checks.expect(short_enough(text), key, "a text of " + std::to_string(text.size()) + " bytes",
                  "one of at most " + std::to_string(kStatusTextBytesMax));
    const bool place = text == kKeyPlace || !argument_named(text).empty();
    checks.expect(place || text.find("{{") == text.npos, key, "'" + text + "'",
                  "{{key}}, {{arguments.NAME}} or a text, each by itself");
    checks.expect(text != kKeyPlace || !key_argument.empty(), key, "'" + text + "'",
                  "of use without key_argument, by which the server knows the key");
  }
}

}  // namespace

std::string_view argument_named(std::string_view text) {
  if (!text.starts_with(kArgumentPlace) || !text.ends_with(kPlaceEnd)) return {};
  text.remove_prefix(kArgumentPlace.size());
  text.remove_suffix(std::min(kPlaceEnd.size(), text.size()));
  return text.find_first_of("{}") == text.npos ? text : std::string_view{};
}

void check_status_rule(const std::string& name, const McpStatusRule& rule,
                       const std::string& key_argument, KeyChecks& checks) {
  checks.given(!rule.tool.empty(), "status_tool",
               "the server's tool that says what became of a call (effect: reconcilable)");
  checks.expect(rule.tool.empty() || rule.tool != name, "status_tool", "'" + rule.tool + "'",
                "another tool than the one that is asked about");
  checks.given(!rule.arguments.empty(), "status_arguments",
               "what status_tool is asked with, such as {reference: \"{{key}}\"}");
  checks.given(!rule.happened.empty(), "status_happened",
               "the words of status_tool's answer that say that the call took effect");
  check_path("status_path", rule.path, checks);
  check_path("status_result_path", rule.result_path, checks);
  check_words("status_happened", rule.happened, checks);
  check_words("status_did_not_happen", rule.did_not_happen, checks);
  for (const std::string& word : rule.did_not_happen)
    checks.expect(std::ranges::find(rule.happened, word) == rule.happened.end(),
                  "status_did_not_happen", "'" + word + "'",
                  "a word of its own: it stands in status_happened, too");
  check_arguments(rule, key_argument, checks);
}

}  // namespace ba
