// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/schema_nulls.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/core/tool/schema_parts.hpp"
#include "pipeline/text/semantic/schema_walk.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

/// Looks at schemas; beyond that nulls stay, and the check decides.
constexpr int kLooksMax = 1'000'000;

const Json* member(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() ? &*found : nullptr;
}

bool lists(const Json* list, const Json& value) {
  return list != nullptr && list->is_array() &&
         std::find(list->begin(), list->end(), value) != list->end();
}

bool has_null(const Json& value) {
  if (value.is_null()) return true;
  return value.is_structured() && std::ranges::any_of(value, has_null);
}

class NullDropper {
 public:
  explicit NullDropper(const Json& root) : schemas_(root) {}

  void drop(const Json& root, Json& arguments) {
    Parts parts;
    spread(&root, true, parts);
    drop_in(parts, arguments);
  }

 private:
  /// The schemas that say something of one value, each once; true: it must fit that one.
  using Parts = std::map<const Json*, bool>;
  using Declarations = std::vector<std::pair<const Json*, bool>>;

  void spread(const Json* schema, bool always, Parts& parts) {
    schema = schemas_.resolve(schema);
    if (schema == nullptr || --looks_left_ < 0) return;
    const auto [known, fresh] = parts.emplace(schema, always);
    if (!fresh && (known->second || !always)) return;
    known->second = always;
    spread_all(member(*schema, "allOf"), always, parts);
    spread_all(member(*schema, "anyOf"), false, parts);
    spread_all(member(*schema, "oneOf"), false, parts);
    spread(member(*schema, "then"), false, parts);
    spread(member(*schema, "else"), false, parts);
  }

  void spread_all(const Json* schemas, bool always, Parts& parts) {
    if (schemas == nullptr || !schemas->is_array()) return;
    for (const Json& one : *schemas) spread(&one, always, parts);
  }

  void drop_in(const Parts& parts, Json& value) {
    if (value.is_array()) return drop_in_items(parts, value);
    if (!value.is_object()) return;
    for (auto item = value.begin(); item != value.end();) {
      const bool goes = item->is_null() && counts_as_not_given(parts, item.key());
      if (item->is_structured()) drop_in(parts_of_member(parts, item.key()), *item);
      item = goes ? value.erase(item) : std::next(item);
    }
  }

  void drop_in_items(const Parts& parts, Json& array) {
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (!array[i].is_structured()) continue;
      Parts inner;
      for (const auto& [schema, always] : parts) {
        if (--looks_left_ < 0) return;
        spread(schemas_.item(schema, i), always, inner);
      }
      drop_in(inner, array[i]);
    }
  }

  Declarations declarations(const Parts& parts, const std::string& name) {
    Declarations found;
    for (const auto& [schema, always] : parts) {
      if (--looks_left_ < 0) return {};
      const Json* properties = member(*schema, "properties");
      const Json* property = properties ? member(*properties, name.c_str()) : nullptr;
      if (property != nullptr) found.emplace_back(property, always);
    }
    return found;
  }

  Parts parts_of_member(const Parts& parts, const std::string& name) {
    Parts inner;
    for (const auto& [property, always] : declarations(parts, name))
      spread(property, always, inner);
    if (!inner.empty()) return inner;
    for (const auto& [schema, always] : parts)
      spread(member(*schema, "additionalProperties"), always, inner);
    return inner;
  }

  bool counts_as_not_given(const Parts& parts, const std::string& name) {
    const Declarations declared = declarations(parts, name);
    bool must = false;
    bool preset = false;
    bool one_allows = false;
    bool one_refuses = false;
    for (const auto& [property, always] : declared) {
      const bool allows = allows_null(property);
      must = must || always;
      one_allows = one_allows || allows;
      one_refuses = one_refuses || (always && !allows);
      preset = preset || member(*property, "default") != nullptr;
    }
    if (declared.empty() || (!preset && is_required(parts, name))) return false;
    return must ? one_refuses : !one_allows;
  }

  static bool is_required(const Parts& parts, const std::string& name) {
    return std::ranges::any_of(parts, [&name](const auto& part) {
      return part.second && lists(member(*part.first, "required"), name);
    });
  }

  bool allows_null(const Json* schema) {
    if (schema->is_boolean()) return schema->get<bool>();
    schema = schemas_.resolve(schema);
    if (schema == nullptr || --looks_left_ < 0) return true;
    const auto [known, fresh] = allows_null_.emplace(schema, true);  // true where it goes round
    if (!fresh) return known->second;
    return allows_null_[schema] = allows_null_itself(*schema) && groups_allow_null(*schema);
  }

  static bool allows_null_itself(const Json& schema) {
    const Json null;
    const Json* type = member(schema, "type");
    if (type != nullptr && *type != "null" && !lists(type, "null")) return false;
    const Json* one = member(schema, "const");
    if (one != nullptr && !one->is_null()) return false;
    const Json* choices = member(schema, "enum");
    return choices == nullptr || lists(choices, null);
  }

  bool groups_allow_null(const Json& schema) {
    const auto allows = [this](const Json& one) { return allows_null(&one); };
    const Json* all = member(schema, "allOf");
    if (all != nullptr && all->is_array() && !std::ranges::all_of(*all, allows)) return false;
    for (const char* group : {"anyOf", "oneOf"}) {
      const Json* some = member(schema, group);
      if (some != nullptr && some->is_array() && !std::ranges::any_of(*some, allows)) return false;
    }
    const Json* none = member(schema, "not");
    return none == nullptr || !allows_null(none);
  }

  const SchemaWalk schemas_;
  std::map<const Json*, bool> allows_null_;
  int looks_left_ = kLooksMax;
};

void add_null(Json* list) {
  if (list != nullptr && list->is_array() && !lists(list, Json())) list->push_back(Json());
}

/// Where the keywords beside it stand for themselves.
bool is_plain(const Json& schema) {
  return std::ranges::none_of(std::vector{"$ref", "allOf", "anyOf", "oneOf", "not", "const"},
                              [&schema](const char* key) { return schema.contains(key); });
}

void allow_null(Json& schema) {
  if (is_plain(schema)) {
    if (const auto type = schema.find("type"); type != schema.end() && type->is_string())
      *type = Json::array({*type, "null"});
    else if (type != schema.end() && !lists(&*type, "null"))
      type->push_back("null");
    if (const auto choices = schema.find("enum"); choices != schema.end()) add_null(&*choices);
    return;
  }
  const Json* preset = member(schema, "default");
  Json either = {{"anyOf", {{{"type", "null"}}, schema}}};
  if (preset != nullptr) either["default"] = *preset;
  schema = std::move(either);
}

}  // namespace

void drop_nulls(const Json& schema, Json& arguments) {
  if (!has_null(arguments)) return;
  NullDropper(schema).drop(schema, arguments);
}

void take_nullable(Json& schema) {
  change_schemas(schema, [&schema](Json& one) {
    const auto nullable = one.find("nullable");
    if (&one != &schema && nullable != one.end() && *nullable == true) allow_null(one);
  });
}

}  // namespace ba
