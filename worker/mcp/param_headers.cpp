// SPDX-License-Identifier: Apache-2.0
// read_param_headers() and its like, of mcp_transport.hpp.

#include <algorithm>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/base/lower_case.hpp"
#include "pipeline/text/contract/base64.hpp"
#include "worker/mcp/mcp_transport.hpp"

namespace ba::mcp {
namespace {

constexpr std::string_view kKey = "x-mcp-header";
constexpr std::string_view kBegin = "=?base64?";
constexpr std::string_view kEnd = "?=";
constexpr std::int64_t kHeaderDigitsMax = 21;  // with more of them, an exponent would be written
constexpr int kDepthMax = 64;                  // of a schema; parse_json() has no deeper ones

/// RFC 9110 §5.6.2
bool token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != kMarks.npos;
  });
}

bool primitive(const Json& schema) {
  const auto type = text_member(schema, "type");
  return type == "string" || type == "integer" || type == "boolean";
}

/// Keywords whose value is data or names, not a schema.
bool is_data(std::string_view key) {
  return key == "default" || key == "enum" || key == "const" || key == "examples" ||
         key == "required";
}

bool maps_names(std::string_view key) {
  return key == "properties" || key == "patternProperties" || key == "$defs" ||
         key == "definitions" || key == "dependentSchemas";
}

/// How many annotations there are at any place below a schema.
int count_annotations(const Json& schema, int depth = 0) {
  if (depth > kDepthMax) return 0;
  int count = 0;
  if (schema.is_array())
    for (const Json& item : schema) count += count_annotations(item, depth + 1);
  if (!schema.is_object()) return count;
  for (auto item = schema.begin(); item != schema.end(); ++item) {
    if (item.key() == kKey) ++count;
    if (item.key() == kKey || is_data(item.key())) continue;
    if (maps_names(item.key()) && item->is_object())
      for (const Json& inner : *item) count += count_annotations(inner, depth + 1);
    else
      count += count_annotations(*item, depth + 1);
  }
  return count;
}

class Collector {
 public:
  Result<void> visit(const Json& schema) {
    const Json* properties = member(schema, "properties");
    if (properties == nullptr || !properties->is_object()) return {};
    for (auto item = properties->begin(); item != properties->end(); ++item) {
      path_.push_back(item.key());
      if (auto taken = take(*item); !taken) return taken;
      if (auto inner = visit(*item); !inner) return inner;
      path_.pop_back();
    }
    return {};
  }

  std::vector<ParamHeader> found;

 private:
  Result<void> take(const Json& property) {
    const Json* name = member(property, kKey);
    if (name == nullptr) return {};
    if (!name->is_string() || !token(name->get_ref<const std::string&>()))
      return wrong("is no name of a header");
    if (!primitive(property))
      return wrong("stands at a property that is no string, integer or boolean");
    ParamHeader header{path_, "Mcp-Param-" + name->get<std::string>()};
    for (const ParamHeader& other : found)
      if (lower_case(other.name) == lower_case(header.name)) return wrong("is used twice");
    found.push_back(std::move(header));
    return {};
  }

  Error wrong(const std::string& what) const {
    return invalid_argument("x-mcp-header of '" + path_.back() + "' " + what);
  }

  std::vector<std::string> path_;
};

/// The text of a value that a header may carry.
std::optional<std::string> text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (!is_any_number(value)) return std::nullopt;
  const Decimal number = decimal_value(value);
  if (!number.whole() || number.point > kHeaderDigitsMax) return std::nullopt;
  std::string text;
  append_decimal_text(text, number);
  return text;
}

}  // namespace

Result<std::vector<ParamHeader>> read_param_headers(const Json& input_schema) {
  Collector collector;
  if (auto visited = collector.visit(input_schema); !visited) return visited.error();
  if (count_annotations(input_schema) != std::ssize(collector.found))
    return invalid_argument("x-mcp-header stands where it is not reached through properties alone");
  return std::move(collector.found);
}

HeaderList param_headers(const std::vector<ParamHeader>& plan, const Json& arguments) {
  HeaderList headers;
  for (const ParamHeader& header : plan) {
    const Json* value = &arguments;
    for (const std::string& name : header.path)
      if (value != nullptr) value = member(*value, name);
    const auto text = value != nullptr ? text_of(*value) : std::nullopt;
    if (text) headers.emplace_back(header.name, header_value(*text));
  }
  return headers;
}

std::string header_value(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool plain =
      std::ranges::all_of(text, [&](char c) { return (c > ' ' && c < 0x7f) || blank(c); });
  const bool padded = !text.empty() && (blank(text.front()) || blank(text.back()));
  const bool sentinel = text.starts_with(kBegin) && text.ends_with(kEnd);
  if (plain && !padded && !sentinel) return std::string(text);
  return std::string(kBegin) + base64_encoded(text) + std::string(kEnd);
}

}  // namespace ba::mcp
