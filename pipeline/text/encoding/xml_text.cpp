// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/encoding/xml_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "pipeline/text/encoding/xml.hpp"
#include "pipeline/text/message/json_text.hpp"

namespace ba {
namespace {

constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
    {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// The bytes of the character at `at` that XML doesn't have, or 0: controls, U+FFFE and U+FFFF.
std::size_t unfit_length(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20) return byte == '\t' || byte == '\n' || byte == '\r' ? 0 : 1;
  const std::string_view next = text.substr(at, 3);
  return next == "\xEF\xBF\xBE" || next == "\xEF\xBF\xBF" ? 3 : 0;
}

void append_utf8(std::string& out, unsigned point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
    return;
  }
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr std::array<unsigned, 4> kLead{0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[static_cast<std::size_t>(more)] | (point >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((point >> (6 * i)) & 0x3F));
}

bool is_xml_character(unsigned point) {
  if (point < 0x20) return point == '\t' || point == '\n' || point == '\r';
  return point < 0xD800 || (point > 0xDFFF && point < 0xFFFE) ||
         (point > 0xFFFF && point <= 0x10FFFF);
}

/// Of what stands between '&' and ';'.
bool append_entity(std::string& out, std::string_view name) {
  for (const auto& [known, meaning] : kEntities) {
    if (name != known) continue;
    out += meaning;
    return true;
  }
  if (!name.starts_with('#')) return false;
  name.remove_prefix(1);
  const bool hex = name.starts_with('x');
  if (hex) name.remove_prefix(1);
  unsigned point = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data(), end, point, hex ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != end || !is_xml_character(point)) return false;
  append_utf8(out, point);
  return true;
}

/// The entity that must stand in the character's place, or nothing.
std::string_view entity_of(std::string_view text, std::size_t at, XmlPlace place) {
  const bool attribute = place == XmlPlace::Attribute;
  switch (text[at]) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return at >= 2 && text.substr(at - 2, 2) == "]]" ? "&gt;" : "";
    case '"':
      return attribute ? "&quot;" : "";
    case '\r':
      return "&#13;";
    case '\n':
      return attribute ? "&#10;" : "";
    case '\t':
      return attribute ? "&#9;" : "";
    default:
      return "";
  }
}

}  // namespace

bool is_plain_xml_name(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  const bool reserved = text.size() >= 3 && (text[0] | 0x20) == 'x' && (text[1] | 0x20) == 'm' &&
                        (text[2] | 0x20) == 'l';
  return !reserved && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || is_json_digit(c) || c == '.' || c == '-';
  });
}

bool fits_xml(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (unfit_length(text, at) > 0) return false;
  return true;
}

std::string xml_escaped(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t unfit = unfit_length(text, at);
    if (unfit == 1) {
      const auto byte = static_cast<unsigned char>(text[at]);
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else if (unfit == 3) {
      out += text[at + 2] == '\xBE' ? "\\ufffe" : "\\uffff";
      at += 2;
    } else {
      if (text[at] == '\\') out += '\\';
      out += text[at];
    }
  }
  return out;
}

std::optional<std::string> xml_unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    if (++at == text.size()) return std::nullopt;
    if (text[at] == '\\') {
      out += '\\';
      continue;
    }
    const int unit = utf16_unit_at(text.data() + at + 1, text.data() + text.size());
    if (text[at] != 'u' || unit < 0 || is_high_surrogate(unit) || is_low_surrogate(unit))
      return std::nullopt;
    append_utf8(out, static_cast<unsigned>(unit));
    at += 4;
  }
  return out;
}

std::optional<std::string> xml_text_of(std::string_view raw) {
  std::string out;
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] == '&') {
      const std::string_view name = raw.substr(at + 1, 16);
      const std::size_t end = name.find(';');
      if (end == std::string_view::npos || !append_entity(out, name.substr(0, end)))
        return std::nullopt;
      at += end + 1;
    } else if (raw[at] == '\r') {
      if (at + 1 == raw.size() || raw[at + 1] != '\n') out += '\n';
    } else {
      out += raw[at];
    }
  }
  return out;
}

void append_xml_text(std::string& out, std::string_view text, XmlPlace place) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (const std::string_view entity = entity_of(text, at, place); !entity.empty()) {
      out += entity;
    } else if (const std::size_t unfit = unfit_length(text, at); unfit > 0) {
      out += "\xEF\xBF\xBD";
      at += unfit - 1;
    } else {
      out += text[at];
    }
  }
}

}  // namespace ba
