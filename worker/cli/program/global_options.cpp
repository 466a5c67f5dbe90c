// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/global_options.hpp"

#include <CLI/App.hpp>
#include <algorithm>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/lower_case.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/config/adapter_sections.hpp"
#include "worker/config/observability_section.hpp"
#include "worker/settings/findings.hpp"
#include "worker/settings/node.hpp"
#include "worker/settings/yaml_reader.hpp"

namespace ba::cli {
namespace {

// Whether a `--set` puts a secret on a command line, which everyone on the machine can read. Pure.

using settings::Node;
using Keys = std::vector<std::string>;

bool is_secret(const Keys& keys) {
  const auto has = [&](const char* key) { return std::ranges::find(keys, key) != keys.end(); };
  const std::string& last = keys.back();
  if (keys.size() > 2 && keys[0] == "kafka" && keys[1] == "properties")
    return config::is_secret_property(last);
  return last == "api_key" || last == "password" || last.ends_with("proxy_user") ||
         last.ends_with("proxy_password") || has("headers") || has("otlp_headers") ||
         (keys.size() > 2 && keys[0].starts_with("mcp") && has("env"));
}

std::string text_of(const Keys& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "" : ".") + key;
  return text;
}

std::optional<std::string> secret_in(const Node& node, const Keys& keys) {
  for (const Node& item : node.items)
    if (auto found = secret_in(item, keys)) return found;
  for (const settings::Entry& entry : node.entries) {
    Keys inner = keys;
    inner.push_back(entry.key);
    if (is_secret(inner)) return text_of(inner);
    if (auto found = secret_in(entry.value, inner)) return found;
  }
  return std::nullopt;
}

/// The key of the first secret, by its name: the path itself, or one inside a list or map that is
/// the value.
std::optional<std::string> secret_set_by(const std::string& path, const std::string& value) {
  const Keys keys = settings::keys_of(path);
  if (is_secret(keys)) return path;
  if (!settings::looks_like_flow(value)) return std::nullopt;
  const auto written = settings::read_flow(value, {settings::Origin::Kind::Flag, "--set"});
  return written ? secret_in(*written, keys) : std::nullopt;
}

constexpr std::size_t kWordLetters = 80;  // of one that a message repeats

/// A check of a flag that stands for a setting with a closed set of values, in any case.
template <typename Enum, std::size_t N>
CLI::Validator one_of(const EnumNames<Enum, N>& names) {
  std::vector<std::string> allowed;
  for (const auto& [unused, name] : names) allowed.emplace_back(name);
  const auto problem = [allowed](const std::string& text) -> std::string {
    if (std::ranges::find(allowed, lower_case(text)) != allowed.end()) return "";
    const auto near = nearest_word(text, allowed);
    return "\"" + shortened(text, kWordLetters) + "\" is not allowed: must be one of " +
           joined(allowed) + (near ? "; did you mean \"" + *near + "\"?" : "");
  };
  return {problem, ""};
}

}  // namespace

void add_global_options(CLI::App& app, GlobalOptions& options) {
  app.add_option("--config", options.config_file, "Configuration file")
      ->type_name("FILE")
      ->check([](const std::string& file) {
        return file.empty() ? std::string("it names no file: is a variable empty?") : std::string();
      });
  app.add_option(
         "--set", options.settings,
         "One setting, key=value; may be repeated; a key with dots in quotes: a.\"b.c\".d=1; a "
         "list or map as in YAML: a.b=['c', \"d, e\"]")
      ->allow_extra_args(false);
  app.add_option("--log-level", options.log_level, "debug, info, warning, error, critical")
      ->check(one_of(kLogLevelNames));
  app.add_option("--log-format", options.log_format, "json or text")
      ->check(one_of(config::kLogFormatNames));
}

std::vector<config::Override> overrides_of(const GlobalOptions& options) {
  std::vector<config::Override> overrides;
  for (const std::string& pair : options.settings) {
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw CLI::ValidationError("--set",
                                 "\"" + shortened(pair, kWordLetters) + "\" is not key=value");
    const std::string path = pair.substr(0, equals);
    const std::string value = pair.substr(equals + 1);
    if (const auto problem = settings::key_path_problem(path))
      throw CLI::ValidationError("--set", shortened(path, kWordLetters) + ": " + *problem);
    if (const auto secret = secret_set_by(path, value))
      throw CLI::ValidationError("--set", shortened(*secret, kWordLetters) +
                                              " is a secret: everyone on this machine can read "
                                              "a command line; use the environment or the "
                                              "configuration file");
    if (!settings::secrets_in(value).empty())
      throw CLI::ValidationError("--set", "the value of " + shortened(path, kWordLetters) +
                                              " holds a password or key: everyone on this machine "
                                              "can read a command line; use the environment or "
                                              "the configuration file");
    overrides.push_back({"--set", path, value});
  }
  if (!options.log_level.empty())
    overrides.push_back({"--log-level", "observability.log_level", options.log_level});
  if (!options.log_format.empty())
    overrides.push_back({"--log-format", "observability.log_format", options.log_format});
  return overrides;
}

}  // namespace ba::cli
