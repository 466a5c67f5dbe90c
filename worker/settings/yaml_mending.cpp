// SPDX-License-Identifier: Apache-2.0
#include "worker/settings/yaml_mending.hpp"

#include <algorithm>

#include "pipeline/text/message/utf8.hpp"

namespace ba::settings {
namespace {

/// Behind the quote that ends the one at `open`; npos: none does. 'it''s' and "a\"b" go on.
std::size_t behind_quotes(std::string_view text, std::size_t open) {
  const char quote = text[open];
  for (std::size_t at = open + 1; at < text.size(); ++at) {
    const bool doubled = quote == '\'' && text.substr(at).starts_with("''");
    const bool escaped = quote == '"' && text[at] == '\\';
    if (doubled || escaped)
      ++at;
    else if (text[at] == quote)
      return at + 1;
  }
  return std::string_view::npos;
}

/// Elsewhere a quote is a letter: don't.
bool begins_value(std::string_view text, std::size_t at) {
  const std::size_t before = text.substr(0, at).find_last_not_of(" \t\r\n");
  return before != std::string_view::npos &&
         std::string_view("[{,:").find(text[before]) != std::string_view::npos;
}

}  // namespace

std::string unclosed_flow(std::string_view text) {
  std::string open;  // brackets, the innermost last
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if ((letter == '\'' || letter == '"') && begins_value(text, at)) {
      const std::size_t behind = behind_quotes(text, at);
      if (behind == std::string_view::npos)
        return std::string("a text in quotes isn't closed: a ") + letter + " is missing";
      at = behind - 1;
    } else if (letter == '[' || letter == '{') {
      open += letter;
    } else if (letter == ']' || letter == '}') {
      const char opened = letter == ']' ? '[' : '{';
      if (open.find(opened) == std::string::npos)
        return letter == ']' ? "a ] closes no list" : "a } closes no map";
      if (open.back() != opened) break;
      open.pop_back();
    }
  }
  if (open.empty()) return "";
  return open.back() == '[' ? "the list isn't closed: a ] is missing"
                            : "the map isn't closed: a } is missing";
}

std::string with_whole_escapes(const std::string& scalar) {
  if (!utf8_defect(scalar)) return scalar;
  std::string whole;
  for (std::string_view rest = scalar; !rest.empty();) {
    const std::size_t length = utf8_sequence_length(rest);
    if (length == 0 && rest.front() != '\0') whole += '\xc2';
    const std::size_t taken = std::max<std::size_t>(length, 1);
    whole += rest.substr(0, taken);
    rest.remove_prefix(taken);
  }
  return whole;
}

}  // namespace ba::settings
