// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/json_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/message/json_scan.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kDigits[static_cast<unsigned char>(c) >> 4];
      out += kDigits[static_cast<unsigned char>(c) & 15];
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  out += '"';
  while (at != end) {
    const char* const plain_end = after_plain(at, end);
    out.append(at, plain_end);
    at = plain_end;
    if (at != end) append_escaped(out, *at++);
  }
  out += '"';
}

bool is_json(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) return false;  // the library would skip it, we don't
  return !utf8_defect(text) && accept_exact(text);
}

bool is_json_object(std::string_view text) {
  const auto* first = std::find_if_not(text.begin(), text.end(), is_json_space);
  return first != text.end() && *first == '{' && is_json(text);
}

}  // namespace ba
