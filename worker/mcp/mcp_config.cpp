// SPDX-License-Identifier: Apache-2.0
#include "worker/mcp/mcp_config.hpp"

#include <algorithm>
#include <string_view>

#include "pipeline/base/setting_problem.hpp"
#include "worker/http/http_header.hpp"
#include "worker/http/url.hpp"

namespace ba {
namespace {

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
  checks.require(runs || asked, "neither command nor url is set: a server has one of the two",
                 {checks.key_of("command"), checks.key_of("url")});
  checks.require(!runs || !asked, "command and url are both set: a server has one of the two");
  checks.expect(!runs || !server.command.front().empty(), "command", "''", "the name of a program");
  checks.expect(server.url.empty() || is_http_url(server.url), "url",
                "'" + shown_url(server.url) + "'",
                "http(s)://host[:port][/path] without user, query or fragment");
  checks.expect(!runs || server.headers.empty(), "headers", "a map beside command",
                "for a url only");
  checks.expect(runs || server.env.empty(), "env", "a map beside url", "for a command only",
                {checks.key_of("command")});
  for (const auto& [name, value] : server.headers)
    checks.expect(is_header_name(name) && is_header_value(value.reveal()), "headers",
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

}  // namespace ba
