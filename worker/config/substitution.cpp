// SPDX-License-Identifier: Apache-2.0
#include "worker/config/substitution.hpp"

#include <algorithm>
#include <cctype>

namespace ba::config {
namespace {

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front()))) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return letter < 128 && (std::isalnum(letter) || letter == '_');
  });
}

/// The value of what stands between "${" and "}", of which no error repeats more than a name: what
/// isn't meant as a variable may be a part of a password.
Result<std::string> value_of(std::string_view inside, const Environment& environment) {
  std::string_view name = inside;
  std::optional<std::string> fallback;
  if (const std::size_t mark = inside.find(":-"); mark != std::string_view::npos) {
    name = inside.substr(0, mark);
    fallback = std::string(inside.substr(mark + 2));
  }
  if (name.substr(0, 4) == "env:") name.remove_prefix(4);
  if (!is_name(name))
    return invalid_argument(
        "the text between ${ and } is no variable: use ${NAME}, ${NAME:-default}, or $$ for a $");
  if (auto value = environment.get(std::string(name))) return *value;
  if (fallback) return *fallback;
  return invalid_argument("the environment variable " + std::string(name) +
                          " is not set; set it, or give a default: ${" + std::string(name) +
                          ":-default}");
}

}  // namespace

Result<std::string> substitute(const std::string& text, const Environment& environment) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (text[at] != '$' || (next != '$' && next != '{')) {
      out += text[at];
      continue;
    }
    if (next == '$') {
      out += '$';
      ++at;
      continue;
    }
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos)
      return invalid_argument("a ${ has no closing }; write $$ for a $");
    auto value = value_of(std::string_view(text).substr(at + 2, end - at - 2), environment);
    if (!value) return value.error();
    out += *value;
    at = end;
  }
  return out;
}

std::optional<settings::Refusal> substitute_all(settings::Node& root,
                                                const Environment& environment) {
  if (root.kind == settings::Node::Kind::Scalar && root.scalar.find('$') != std::string::npos) {
    auto value = substitute(root.scalar, environment);
    if (!value) return settings::Refusal{root.origin, value.error().message};
    root.scalar = std::move(*value);
  }
  for (settings::Node& item : root.items)
    if (auto refusal = substitute_all(item, environment)) return refusal;
  for (settings::Entry& entry : root.entries)
    if (auto refusal = substitute_all(entry.value, environment)) return refusal;
  return std::nullopt;
}

}  // namespace ba::config
