// SPDX-License-Identifier: Apache-2.0
// with_object_type() and draft7_schema() of tool_listing.hpp. What can't be said in draft 7, or
// would be unsafe to run for a stranger (patterns), is left out: the server checks for itself.
// References are followed within the document only and replaced by what they name.

#include <algorithm>
#include <utility>

#include "pipeline/core/tool/output_level.hpp"
#include "worker/mcp/tool_listing.hpp"
#include "worker/tools/base/name_list.hpp"

namespace ba::mcp {
namespace {

/// Keywords that mean the same in both drafts and hold no schema; "nullable" the check knows.
const tools::NameList kSame = tools::name_list(
    "type enum const required minimum maximum exclusiveMinimum exclusiveMaximum multipleOf "
    "minLength maxLength minItems maxItems uniqueItems minProperties maxProperties title "
    "nullable");
const tools::NameList kOneSchema{
    "additionalProperties", "propertyNames", "not", "if", "then", "else", "contains"};
const tools::NameList kSchemaLists{"allOf", "anyOf", "oneOf"};
constexpr std::size_t kShownReference = 100;
constexpr int kDepthMax = 48;  // of the translation: a check of deeper data would be cut anyway

/// "#/$defs/a~1b" one step: unescaped.
std::string unescaped(std::string text) {
  for (const auto& [from, to] : {std::pair("~1", "/"), std::pair("~0", "~")})
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + 1))
      text.replace(at, 2, to);
  return text;
}

class Translation {
 public:
  explicit Translation(const Json& root) : root_(root) {}

  Json schema(const Json& from, int depth) {
    if (++nodes_ > kSchemaNodesMax || depth > kDepthMax) return true;
    if (!from.is_object()) return from.is_boolean() ? from : Json(true);
    Json out = Json::object();
    for (auto item = from.begin(); item != from.end(); ++item)
      keyword(item.key(), *item, depth, out);
    arrays(from, depth, out);
    dependencies(from, depth, out);
    // Names that patterns would allow must not be refused for want of the patterns.
    if (member(from, "patternProperties") != nullptr) out.erase("additionalProperties");
    // How often is said beside it: the bare keyword would be stricter, or laxer, than meant.
    if (member(from, "minContains") || member(from, "maxContains")) out.erase("contains");
    if (const auto reference = text_member(from, "$ref")) {
      Json target = referred(*reference, depth);
      if (out.empty()) return target;
      out["allOf"].push_back(std::move(target));
    }
    return out;
  }

  /// A reference to a part that isn't there; empty: there is none.
  const std::string& missing() const { return missing_; }
  bool too_large() const { return nodes_ > kSchemaNodesMax; }

 private:
  void keyword(const std::string& name, const Json& value, int depth, Json& out) {
    if (kSame.contains(name)) {
      out[name] = value;
    } else if (kOneSchema.contains(name)) {
      out[name] = schema(value, depth + 1);
    } else if (kSchemaLists.contains(name) && value.is_array()) {
      for (const Json& item : value) out[name].push_back(schema(item, depth + 1));
    } else if (name == "properties" && value.is_object()) {
      Json& properties = out[name] = Json::object();
      for (auto item = value.begin(); item != value.end(); ++item)
        properties[item.key()] = schema(*item, depth + 1);
    }
  }

  /// prefixItems and items were items and additionalItems.
  void arrays(const Json& from, int depth, Json& out) {
    const Json* first = member(from, "prefixItems");
    const Json* rest = member(from, "items");
    const bool old_form = rest != nullptr && rest->is_array();
    if (old_form) std::swap(first, rest);
    if (old_form) rest = member(from, "additionalItems");
    if (first == nullptr || !first->is_array()) {
      if (rest != nullptr) out["items"] = schema(*rest, depth + 1);
      return;
    }
    Json items = Json::array();
    for (const Json& item : *first) items.push_back(schema(item, depth + 1));
    out["items"] = std::move(items);
    if (rest != nullptr) out["additionalItems"] = schema(*rest, depth + 1);
  }

  void dependencies(const Json& from, int depth, Json& out) {
    Json all = Json::object();
    if (const Json* names = member(from, "dependentRequired"); names && names->is_object())
      for (auto item = names->begin(); item != names->end(); ++item)
        if (item->is_array()) all[item.key()] = *item;
    if (const Json* schemas = member(from, "dependentSchemas"); schemas && schemas->is_object())
      for (auto item = schemas->begin(); item != schemas->end(); ++item)
        if (!all.contains(item.key())) all[item.key()] = schema(*item, depth + 1);
    if (!all.empty()) out["dependencies"] = std::move(all);
  }

  /// What a reference names, in place; anything where it names itself or something by an anchor.
  Json referred(const std::string& reference, int depth) {
    const bool open = std::ranges::find(open_, reference) != open_.end();
    const Json* target = open ? nullptr : named(reference);
    if (target == nullptr && !open && reference.starts_with("#/")) missing_ = reference;
    if (target == nullptr) return true;
    open_.push_back(reference);
    Json out = schema(*target, depth + 1);
    open_.pop_back();
    return out;
  }

  const Json* named(const std::string& reference) const {
    if (reference.size() > 1 && reference[1] != '/') return nullptr;
    const Json* at = &root_;
    for (std::size_t from = 2; from <= reference.size() && reference.size() > 1;) {
      const std::size_t slash = std::min(reference.find('/', from), reference.size());
      const std::string step = unescaped(reference.substr(from, slash - from));
      if (at->is_array()) return nullptr;
      at = member(*at, step);
      if (at == nullptr) return nullptr;
      from = slash + 1;
    }
    return at;
  }

  const Json& root_;
  std::vector<std::string> open_;  ///< references that are being replaced
  int nodes_ = 0;
  std::string missing_;
};

const tools::NameList kOfObjects{
    "$schema", "$id",         "$comment", "title",    "description",          "properties", "$defs",
    "type",    "definitions", "examples", "required", "additionalProperties", "default"};

/// Whether it has a keyword that says more than that arguments are an object.
bool says_something(const Json& schema) {
  for (auto item = schema.begin(); item != schema.end(); ++item)
    if (!kOfObjects.contains(item.key())) return true;
  return false;
}

/// Whether any part of the schema, used or not, names another document.
bool names_another_document(const Json& schema) {
  if (schema.is_array()) return std::ranges::any_of(schema, names_another_document);
  if (!schema.is_object()) return false;
  for (auto item = schema.begin(); item != schema.end(); ++item) {
    const bool reference = item.key() == "$ref" || item.key() == "$dynamicRef";
    if (reference && item->is_string() && !item->get_ref<const std::string&>().starts_with('#'))
      return true;
    const bool data = item.key() == "enum" || item.key() == "const" || item.key() == "default" ||
                      item.key() == "examples";
    if (!data && names_another_document(*item)) return true;
  }
  return false;
}

}  // namespace

Json with_object_type(Json input_schema) {
  if (!input_schema.is_object()) return input_schema;
  const Json* type = member(input_schema, "type");
  if (type != nullptr && !type->is_null()) return input_schema;
  const Json* properties = member(input_schema, "properties");
  const bool of_object = properties != nullptr && properties->is_object();
  if (!of_object && says_something(input_schema)) return input_schema;
  Json typed = {{"type", "object"}};
  for (auto item = input_schema.begin(); item != input_schema.end(); ++item)
    if (item.key() != "type") typed[item.key()] = *item;
  return typed;
}

Result<std::string> draft7_schema(const Json& input_schema) {
  if (!input_schema.is_object() || text_member(input_schema, "type").value_or("") != "object")
    return invalid_argument("the input schema is not that of an object");
  if (names_another_document(input_schema))
    return invalid_argument("the input schema refers to another document, which is never fetched");
  Translation translation(input_schema);
  Json out = translation.schema(input_schema, 0);
  if (!translation.missing().empty())
    return invalid_argument("the input schema refers to a part that it doesn't have: " +
                            cut_code_points(translation.missing(), kShownReference));
  if (translation.too_large()) out = Json{{"type", "object"}};
  return compact(out);
}

}  // namespace ba::mcp
