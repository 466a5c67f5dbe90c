// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/answer/closed_form.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "pipeline/text/answer/schema_index.hpp"
#include "pipeline/text/answer/schema_keywords.hpp"

namespace ba {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 14> kKnown{
    "$schema", "$ref",        "$defs",      "definitions", "type",
    "title",   "description", "properties", "required",    "additionalProperties",
    "items",   "enum",        "const",      "anyOf"};

bool may_be(const Json& schema, std::string_view kind) {
  const auto type = schema.find("type");
  if (type == schema.end()) return false;
  return *type == kind ||
         (type->is_array() && std::find(type->begin(), type->end(), kind) != type->end());
}

class Forms {
 public:
  explicit Forms(const SchemaIndex& index) : index_(index) {}

  ClosedForm read() {
    const Json& root = index_.root();
    form_.object = form_.closed = root.value("type", Json()) == "object";
    form_.all_required = true;
    visit(root);
    return form_;
  }

 private:
  void visit(const Json& schema) {
    if (open_.contains(&schema)) {
      form_.recursive = true;
      return;
    }
    if (!seen_.insert(&schema).second) return;
    form_.closed = form_.closed && schema.is_object() && is_closed(schema);
    if (!schema.is_object()) return;
    open_.insert(&schema);
    if (const auto reference = schema.find("$ref"); reference != schema.end())
      visit(index_.target(reference->get_ref<const std::string&>()));
    for_each_schema_in(schema, [&](const std::string& place, const Json& inner, SchemaReach reach) {
      if (reach != SchemaReach::Nowhere && place != "additionalProperties") visit(inner);
    });
    open_.erase(&schema);
  }

  bool is_closed(const Json& schema) {
    for (const auto& [keyword, unused] : schema.items())
      if (std::find(kKnown.begin(), kKnown.end(), keyword) == kKnown.end()) return false;
    const bool says_what = schema.contains("type") || schema.contains("$ref") ||
                           schema.contains("enum") || schema.contains("const") ||
                           schema.contains("anyOf");
    if (!says_what || schema.value("items", Json()).is_array()) return false;
    if (may_be(schema, "array") && !schema.contains("items")) return false;
    if (!may_be(schema, "object") && !schema.contains("properties")) return true;
    const Json names = schema.value("properties", Json::object());
    const Json required = schema.value("required", Json::array());
    for (const auto& [name, unused] : names.items())
      if (std::find(required.begin(), required.end(), name) == required.end())
        form_.all_required = false;
    return schema.value("additionalProperties", Json()) == false &&
           std::all_of(required.begin(), required.end(),
                       [&](const Json& name) { return names.contains(name.get<std::string>()); });
  }

  const SchemaIndex& index_;
  ClosedForm form_;
  std::set<const Json*> seen_;
  std::set<const Json*> open_;
};

}  // namespace

ClosedForm closed_form(std::string_view schema) {
  const auto index = SchemaIndex::read(schema);
  return index ? Forms(**index).read() : ClosedForm{};
}

}  // namespace ba
