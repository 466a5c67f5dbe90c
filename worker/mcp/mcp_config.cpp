// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/mcp_config.hpp"

#include <algorithm>

#include "pipeline/base/setting_problem.hpp"
#include "worker/http/http_client.hpp"
#include "worker/http/url.hpp"

namespace ba::mcp {
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

constexpr std::size_t kNameMax = 32;
constexpr std::size_t kHashDigits = 64;

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Without an underscore, so that no two servers can give their tools the same names.
bool well_named(std::string_view name) {
  return !name.empty() && name.size() <= kNameMax && letter(name[0]) &&
         std::ranges::all_of(
             name, [](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; });
}

bool one_line(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

bool is_hash(std::string_view text) {
  return text.size() == kHashDigits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

void check_way_to(const McpServerConfig& server, KeyChecks& checks) {
  const bool runs = !server.command.empty();
  const bool asked = !server.url.empty();
  if (!runs && !asked)
    checks.tell(KeyChecks::Kind::Missing, "",
                "neither command nor url is set: a server has one of the two",
                {checks.key_of("command"), checks.key_of("url")});
  if (runs && asked)
    checks.tell(KeyChecks::Kind::Conflict, "",
                "command and url are both set: a server has one of the two");
  checks.expect(!runs || !server.command.front().empty(), "command", "''", "the name of a program");
  checks.expect(server.url.empty() || http::is_http_url(server.url), "url",
                "'" + http::shown_url(server.url) + "'",
                "http(s)://host[:port][/path] without user, query or fragment");
  checks.expect(!runs || server.headers.empty(), "headers", "a map beside command",
                "for a url only");
  checks.expect(runs || server.env.empty(), "env", "a map beside url", "for a command only",
                {checks.key_of("command")});
  for (const auto& [name, value] : server.headers)
    checks.expect(http::is_header_name(name) && http::is_header_value(value.reveal()), "headers",
                  "'" + name + "'", "a name of a header with a value on one line");
  for (const auto& [name, value] : server.env)
    checks.expect(!name.empty() && name.find('=') == name.npos && one_line(name), "env",
                  "'" + name + "'", "a name of a variable");
}

/// What only its server can tell is looked at when that lists its tools.
void check_reconcilable(const McpServerConfig& server, const std::string& tool,
                        std::vector<SettingProblem>& problems) {
  const McpToolSettings& settings = server.tools.at(tool);
  const std::string key = server.key() + ".tools." + tool;
  KeyChecks checks(problems, key);
  if (settings.effect != EffectClass::Reconcilable) {
    checks.expect(settings.key_argument.empty(), "key_argument", "'" + settings.key_argument + "'",
                  "of use without effect: reconcilable");
    checks.expect(settings.status == McpStatusRule{}, "status_tool",
                  "'" + settings.status.tool + "' (or another key that begins with status_)",
                  "of use without effect: reconcilable");
    return;
  }
  check_status_rule(tool, settings.status, settings.key_argument, checks);
  const auto asked = server.tools.find(settings.status.tool);
  const bool set = asked != server.tools.end() && asked->second.effect;
  const bool pure = set && asked->second.effect == EffectClass::Pure;
  const bool told = settings.status.tool.empty() || settings.status.tool == tool;
  checks.expect(told || pure || (!set && server.trusted), "status_tool",
                "'" + settings.status.tool + "'",
                "known to be read-only: set tools." + settings.status.tool + ".effect: pure");
}

void check_server(const McpServerConfig& server, std::vector<SettingProblem>& problems) {
  KeyChecks checks(problems, server.key());
  checks.expect(well_named(server.name), "", "'" + server.name + "'",
                "a letter followed by up to 31 letters, digits or hyphens");
  check_way_to(server, checks);
  checks.expect(server.timeout <= server.timeout_max, "timeout_ms",
                std::to_string(server.timeout.count()),
                "at most timeout_max_ms (" + std::to_string(server.timeout_max.count()) + ")");
  for (const auto& [tool, settings] : server.tools) {
    const bool kept =
        settings.effect != EffectClass::Once && settings.effect != EffectClass::Reconcilable;
    checks.expect(
        kept || settings.cache_policy.value_or(CachePolicy::NoCache) == CachePolicy::NoCache,
        "tools." + tool + ".cache_policy",
        "'" + std::string(to_string(settings.cache_policy.value_or(CachePolicy::NoCache))) + "'",
        "no_cache: what runs once is never answered by what was kept");
    checks.expect(settings.effect != EffectClass::Keyed, "tools." + tool + ".effect",
                  "'" + std::string(to_string(settings.effect.value_or(EffectClass::Once))) + "'",
                  "pure, once or reconcilable");
    check_reconcilable(server, tool, problems);
  }
  for (const auto& [tool, hash] : server.pins)
    checks.expect(is_hash(hash), "pins." + tool, "'" + hash + "'",
                  "a SHA-256 in 64 lower-case hexadecimal digits (ba-agent mcp list shows it)");
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

bool may_offer(const McpConfig& config, std::string_view tool) {
  return std::ranges::any_of(config.servers, [&](const McpServerConfig& server) {
    return server.enabled && tool.starts_with(server.name + "_");
  });
}

std::vector<SettingProblem> validate(const McpConfig& config) {
  std::vector<SettingProblem> problems;
  for (const McpServerConfig& server : config.servers) check_server(server, problems);
  return problems;
}

}  // namespace ba::mcp
