// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/program/secret_setting.hpp"

#include <algorithm>
#include <vector>

#include "worker/config/kafka_section.hpp"
#include "worker/settings/key_path.hpp"
#include "worker/settings/yaml_reader.hpp"

namespace ba {
namespace {

using settings::Node;
using Keys = std::vector<std::string>;

bool is_secret(const Keys& keys) {
  const auto has = [&](const char* key) { return std::ranges::find(keys, key) != keys.end(); };
  const std::string& last = keys.back();
  if (keys.size() > 2 && keys[0] == "kafka" && keys[1] == "properties")
    return is_secret_property(last);
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

}  // namespace

std::optional<std::string> secret_set_by(const std::string& path, const std::string& value) {
  const Keys keys = settings::keys_of(path);
  if (is_secret(keys)) return path;
  if (!settings::looks_like_flow(value)) return std::nullopt;
  const auto written = settings::read_flow(value, {settings::Origin::Kind::Flag, "--set"});
  return written ? secret_in(*written, keys) : std::nullopt;
}

}  // namespace ba
