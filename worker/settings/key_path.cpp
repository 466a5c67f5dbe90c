// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/key_path.hpp"

#include <algorithm>

namespace ba::settings {
namespace {

const std::vector<std::string> kPropertyMap{"kafka", "properties"};

/// Where a key that begins with a quote ends; `from` for any other.
std::size_t end_of_quotes(std::string_view path, std::size_t from) {
  if (from >= path.size() || path[from] != '"') return from;
  const std::size_t end = path.find('"', from + 1);
  return end == std::string_view::npos ? from : end + 1;
}

std::string unquoted(std::string_view key) {
  const bool quoted = key.size() >= 2 && key.front() == '"' && key.back() == '"';
  return std::string(quoted ? key.substr(1, key.size() - 2) : key);
}

}  // namespace

std::vector<std::string> keys_of(std::string_view path) {
  std::vector<std::string> keys;
  for (std::size_t from = 0; from <= path.size();) {
    if (keys == kPropertyMap) {  // librdkafka's names have dots
      keys.push_back(unquoted(path.substr(from)));
      break;
    }
    const std::size_t dot = std::min(path.find('.', end_of_quotes(path, from)), path.size());
    keys.push_back(unquoted(path.substr(from, dot - from)));
    from = dot + 1;
  }
  return keys;
}

std::optional<std::string> key_path_problem(std::string_view path) {
  const std::vector<std::string> keys = keys_of(path);
  if (std::ranges::find(keys, "") != keys.end()) return "one of its keys is empty";
  for (const std::string& key : keys)
    if (key.starts_with('"'))
      return "of a key in quotes the second quote is missing, or something stands behind it; "
             "write a.\"b.c\".d";
  return std::nullopt;
}

}  // namespace ba::settings
