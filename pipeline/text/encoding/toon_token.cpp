// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/encoding/toon_token.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "pipeline/base/decimal.hpp"
#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/encoding/number_text.hpp"
#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// What a reader might take for a number, or an older one may (§7.2): "05" and "+1" too.
bool looks_like_number(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || !is_json_digit(text.front())) return false;
  const std::size_t first = text.find_first_not_of('0');
  if (first == std::string_view::npos) return true;
  text.remove_prefix(is_json_digit(text[first]) ? first : first - 1);
  return is_json_number(text);
}

bool needs_quotes(std::string_view text, char delimiter) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return true;
  if (text.front() == '-' || text.front() == '#') return true;
  if (text == "true" || text == "false" || text == "null") return true;
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == delimiter ||
        std::string_view(":\"\\[]{}").find(c) != std::string_view::npos)
      return true;
  return looks_like_number(text);
}

void append_quoted(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

/// Appends what the escape at `at` (behind the backslash) means and moves behind it; else false.
bool read_escape(std::string_view text, std::size_t& at, std::string& out) {
  constexpr std::array<std::pair<char, char>, 5> kEscapes{
      {{'\\', '\\'}, {'"', '"'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}}};
  for (const auto& [name, meaning] : kEscapes) {
    if (text[at] != name) continue;
    out += meaning;
    ++at;
    return true;
  }
  if (text[at] != 'u') return false;
  const int unit = utf16_unit_at(text.data() + at + 1, text.data() + text.size());
  if (unit < 0 || is_high_surrogate(unit) || is_low_surrogate(unit)) return false;
  append_code_point(out, static_cast<char32_t>(unit));
  at += 5;
  return true;
}

}  // namespace

bool is_toon_bare_key(std::string_view text) {
  if (text.empty() || !(is_letter(text.front()) || text.front() == '_')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || is_json_digit(c) || c == '_' || c == '.';
  });
}

void append_toon_key(std::string& out, std::string_view key) {
  if (is_toon_bare_key(key))
    out += key;
  else
    append_quoted(out, key);
}

void append_toon_primitive(std::string& out, const OrderedJson& value, char delimiter) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (needs_quotes(text, delimiter))
      append_quoted(out, text);
    else
      out += text;
  } else if (value.is_number_float()) {
    append_decimal(out, value.get<double>());
  } else {
    out += number_text(value);
  }
}

std::optional<std::string> read_toon_quoted(std::string_view token, std::string& why) {
  std::string text;
  for (std::size_t at = 1; at < token.size();) {
    const char c = token[at++];
    if (c == '"') {
      if (at == token.size()) return text;
      why = "text stands behind the closing quote of a string";
      return std::nullopt;
    }
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') {
      why = "a control character in a quoted string must be escaped";
      return std::nullopt;
    }
    if (c != '\\') {
      text += c;
    } else if (at == token.size() || !read_escape(token, at, text)) {
      why = R"(an unknown escape; allowed are \\ \" \n \r \t and \uXXXX, but no surrogates)";
      return std::nullopt;
    }
  }
  why = "a string isn't closed: a '\"' is missing";
  return std::nullopt;
}

std::optional<OrderedJson> read_toon_primitive(std::string_view token, std::string& why) {
  if (token.starts_with('"')) {
    auto text = read_toon_quoted(token, why);
    if (!text) return std::nullopt;
    return OrderedJson(std::move(*text));
  }
  if (token == "true") return OrderedJson(true);
  if (token == "false") return OrderedJson(false);
  if (token == "null") return OrderedJson(nullptr);
  if (!is_json_number(token)) return OrderedJson(std::string(token));
  auto number = decimal_number_of(token);
  if (!number) why = std::string(number_problem(token)) + "; put it in quotes";
  return number;
}

std::size_t find_unquoted(std::string_view text, char wanted, char other, std::size_t from) {
  bool quoted = false;
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      if (c == '\\') ++at;
    } else if (c == wanted || c == other) {
      return at;
    }
  }
  return std::string_view::npos;
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace ba
