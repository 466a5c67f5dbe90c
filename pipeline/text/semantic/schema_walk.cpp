// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/schema_walk.hpp"

#include <nlohmann/json.hpp>

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDepthMax = 16;  // of references, and of schemas within allOf and its like

const Json* member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

bool is_schema(const Json* value) { return value != nullptr && value->is_object(); }

}  // namespace

const Json* SchemaWalk::resolve(const Json* schema) const {
  for (int steps = 0; steps < kDepthMax; ++steps) {
    if (!is_schema(schema)) return nullptr;
    const Json* reference = member(*schema, "$ref");
    if (reference == nullptr || !reference->is_string()) return schema;
    const std::string& target = reference->get_ref<const std::string&>();
    if (!target.starts_with('#')) return schema;
    try {
      const Json::json_pointer pointer(target.substr(1));
      schema = root_.contains(pointer) ? &root_.at(pointer) : nullptr;
    } catch (const Json::exception&) {
      return nullptr;
    }
  }
  return nullptr;
}

const Json* SchemaWalk::own_property(const Json& schema, const std::string& name) const {
  const Json* properties = member(schema, "properties");
  if (is_schema(properties)) {
    const Json* property = member(*properties, name.c_str());
    if (property != nullptr) return property;
  }
  const Json* others = member(schema, "additionalProperties");
  return is_schema(others) ? others : nullptr;
}

const Json* SchemaWalk::property_within(const Json* schema, const std::string& name,
                                        int depth) const {
  schema = resolve(schema);
  if (schema == nullptr || depth == kDepthMax) return nullptr;
  if (const Json* own = own_property(*schema, name)) return own;
  for (const char* group : {"allOf", "anyOf", "oneOf"}) {
    const Json* schemas = member(*schema, group);
    if (schemas == nullptr || !schemas->is_array()) continue;
    for (const Json& one : *schemas)
      if (const Json* found = property_within(&one, name, depth + 1)) return found;
  }
  return nullptr;
}

const Json* SchemaWalk::property(const Json* schema, const std::string& name) const {
  return property_within(schema, name, 0);
}

const Json* SchemaWalk::item(const Json* schema, std::size_t index) const {
  schema = resolve(schema);
  if (schema == nullptr) return nullptr;
  const Json* first = member(*schema, "prefixItems");
  if (first != nullptr && first->is_array() && index < first->size()) return &(*first)[index];
  const Json* items = member(*schema, "items");
  if (items == nullptr) return nullptr;
  if (!items->is_array()) return items;
  return index < items->size() ? &(*items)[index] : nullptr;
}

}  // namespace ba
