// SPDX-License-Identifier: Apache-2.0
// pg_value_as_json() of row_json.hpp.

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "pipeline/base/decimal.hpp"
#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/text/encoding/number_text.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "worker/tools/sql/connection/row_json.hpp"

namespace ba::sql {
namespace {

// OIDs of pg_type.dat; they never change.
constexpr unsigned kBool = 16, kInt8 = 20, kInt2 = 21, kInt4 = 23, kOid = 26, kJson = 114,
                   kFloat4 = 700, kFloat8 = 701, kTimestamp = 1114, kTimestampTz = 1184,
                   kNumeric = 1700, kJsonb = 3802, kText = 25, kBytea = 17, kDate = 1082,
                   kTimeTz = 1266;

const std::map<unsigned, unsigned> kElements{
    {1000, kBool},        {1005, kInt2},   {1007, kInt4},    {1016, kInt8},
    {1021, kFloat4},      {1022, kFloat8}, {1231, kNumeric}, {1009, kText},
    {1015, kText},        {1014, kText},   {1182, kDate},    {1115, kTimestamp},
    {1185, kTimestampTz}, {2951, kText},   {1001, kBytea},   {1270, kTimeTz}};

/// With the digits that it has; NaN, infinities and what is longer than any reader takes are texts.
std::string number_as_json(std::string_view text) {
  const bool plain = is_json_number(text) && number_problem(text) == nullptr;
  return plain ? std::string(text) : json_quoted(text);
}

/// The year of a date as ISO 8601 has it: 44 BC is -0043, and beyond 9999 there is a sign.
std::string iso_year(std::string_view digits, bool before_christ) {
  long year = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), year);
  if (before_christ) year = 1 - year;
  std::string text = std::to_string(year < 0 ? -year : year);
  text.insert(0, text.size() < 4 ? 4 - text.size() : 0, '0');
  const char* sign = year < 0 ? "-" : year > 9999 ? "+" : "";
  return sign + text;
}

/// "+00" and "+05:30" as hours and minutes.
std::string with_whole_zone(std::string time) {
  const std::size_t zone = time.find_last_of("+-");
  if (zone != std::string::npos && zone + 3 == time.size()) time += ":00";
  return time;
}

/// "2013-01-01 05:00:00+00" → "2013-01-01T05:00:00+00:00", a date alike; infinity as it is.
std::string date_as_json(std::string_view text, bool with_zone) {
  const bool before_christ = text.ends_with(" BC");
  const std::string_view value = text.substr(0, text.size() - (before_christ ? 3 : 0));
  const std::size_t year = value.find('-');
  if (year == std::string_view::npos || year < 4 || value[0] < '0' || value[0] > '9')
    return json_quoted(text);
  std::string rest(value.substr(year));
  if (const std::size_t gap = rest.find(' '); gap != std::string::npos) rest[gap] = 'T';
  if (with_zone) rest = with_whole_zone(std::move(rest));
  return json_quoted(iso_year(value.substr(0, year), before_christ) + rest);
}

/// As bytea_output = hex writes it: how many bytes, and their SHA-256.
std::string bytes_as_json(std::string_view text) {
  if (!text.starts_with("\\x")) return json_quoted(text);
  std::string bytes;
  for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
    unsigned char byte = 0;
    std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return "{\"bytes\":" + std::to_string(bytes.size()) + ",\"sha256\":\"" + sha256_hex_of(bytes) +
         "\"}";
}

std::string json_as_json(std::string_view text) {
  const JsonShape shape = json_shape(text);
  const bool fits = shape.depth <= kJsonDepthMax / 2 && shape.members <= kJsonMembersMax;
  if (!fits || !accept_exact(text)) return json_quoted(text);
  return std::string(text);
}

/// Reads PostgreSQL's text form of an array: {1,NULL,"a \"b\"",{…}}.
class ArrayReader {
 public:
  ArrayReader(std::string_view text, unsigned element) : text_(text), element_(element) {}

  std::optional<std::string> read() {
    // With lower bounds other than 1: "[0:1]={1,2}".
    if (text_.starts_with('[')) at_ = text_.find('=') + 1;
    auto json = array(0);
    return json && at_ == text_.size() ? json : std::nullopt;
  }

 private:
  static constexpr int kDimensionsMax = 6;

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::optional<std::string> array(int depth) {
    if (peek() != '{' || depth == kDimensionsMax) return std::nullopt;
    ++at_;
    std::string json = "[";
    while (peek() != '}') {
      const auto item = peek() == '{' ? array(depth + 1) : element();
      if (!item) return std::nullopt;
      json += (json.size() > 1 ? "," : "") + *item;
      if (peek() == ',') ++at_;
    }
    ++at_;
    return json + "]";
  }

  std::optional<std::string> element() {
    std::string value;
    const bool quoted = peek() == '"';
    if (quoted) ++at_;
    while (at_ < text_.size() && !(quoted ? peek() == '"' : peek() == ',' || peek() == '}')) {
      if (peek() == '\\') ++at_;
      value += peek();
      ++at_;
    }
    if (at_ >= text_.size()) return std::nullopt;
    if (quoted) ++at_;
    if (!quoted && value == "NULL") return "null";
    return pg_value_as_json(value, element_);
  }

  std::string_view text_;
  unsigned element_;
  std::size_t at_ = 0;
};

}  // namespace

std::string json_quoted(std::string_view text) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::ranges::all_of(text, plain)) return '"' + std::string(text) + '"';
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string readable_formats() {
  std::string script;
  for (const auto& [name, value] : kReadableSettings)
    script += (script.empty() ? "SET " : "; SET ") + std::string(name) + " = '" + value + "'";
  return script;
}

std::string pg_value_as_json(std::string_view text, unsigned type) {
  switch (type) {
    case kBool:
      return text == "t" ? "true" : "false";
    case kInt2:
    case kInt4:
    case kInt8:
    case kOid:
      return std::string(text);
    case kFloat4:
    case kFloat8:
    case kNumeric:
      return number_as_json(text);
    case kJson:
    case kJsonb:
      return json_as_json(text);
    case kDate:
    case kTimestamp:
      return date_as_json(text, false);
    case kTimestampTz:
      return date_as_json(text, true);
    case kTimeTz:
      return json_quoted(with_whole_zone(std::string(text)));
    case kBytea:
      return bytes_as_json(text);
    default:
      break;
  }
  if (const auto element = kElements.find(type); element != kElements.end())
    if (const auto json = ArrayReader(text, element->second).read()) return *json;
  return json_quoted(text);
}

}  // namespace ba::sql
