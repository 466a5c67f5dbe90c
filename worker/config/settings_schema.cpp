// SPDX-License-Identifier: Apache-2.0
#include "worker/config/settings_schema.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "worker/config/config.hpp"
#include "worker/config/load_config.hpp"
#include "worker/settings/micro_usd.hpp"

namespace ba::config {
namespace {

using Json = nlohmann::ordered_json;
using settings::micro_usd_text;
using settings::SettingShape;

/// A value that a variable stands for, whatever it must be: ${NAME}.
const Json kVariable = {{"type", "string"}, {"pattern", "\\$"}};
const Json kAnyScalar = {{"type", {"string", "number", "boolean", "null"}}};

/// Null is the default.
Json any_of(std::initializer_list<Json> forms) {
  Json all = Json::array();
  for (const Json& form : forms) all.push_back(form);
  all.push_back(kVariable);
  all.push_back({{"type", "null"}});
  return {{"anyOf", std::move(all)}};
}

Json number_schema(Json bounded) {
  const Json digits = {{"type", "string"}, {"pattern", "^-?[0-9][0-9_.]*$"}};
  return any_of({std::move(bounded), digits});
}

std::string upper(std::string text) {
  for (char& letter : text)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

/// In any case; without quotes YAML takes some words for true and false.
Json choice_schema(const std::vector<std::string>& choices) {
  Json names = Json::array();
  for (const std::string& name : choices) names.push_back(name);
  for (const std::string& name : choices)
    if (upper(name) != name) names.push_back(upper(name));
  const bool truths = std::ranges::find(choices, "on") != choices.end() ||
                      std::ranges::find(choices, "off") != choices.end();
  const Json named = {{"enum", std::move(names)}};
  return truths ? any_of({named, Json{{"type", "boolean"}}}) : any_of({named});
}

Json value_schema(const SettingShape& shape) {
  using Kind = SettingShape::Kind;
  const Bounds& bounds = shape.bounds;
  switch (shape.kind) {
    case Kind::Text:
      return kAnyScalar;
    case Kind::Texts:
      return any_of({{{"type", "array"}, {"items", kAnyScalar}}, kAnyScalar});
    case Kind::TextMap:
      return any_of({{{"type", "object"}, {"additionalProperties", kAnyScalar}}});
    case Kind::Whole:
      return number_schema(
          {{"type", "integer"}, {"minimum", bounds.least}, {"maximum", bounds.most}});
    case Kind::Real:
      return number_schema({{"type", "number"}, {"minimum", shape.least}, {"maximum", shape.most}});
    case Kind::Dollars:
      return number_schema({{"type", "number"},
                            {"minimum", Json::parse(micro_usd_text(bounds.least))},
                            {"maximum", Json::parse(micro_usd_text(bounds.most))}});
    case Kind::Boolean:
      return any_of({{{"type", "boolean"}}, {{"enum", {"yes", "no", "on", "off", 1, 0}}}});
    case Kind::Choice:
      return choice_schema(shape.choices);
  }
  return kAnyScalar;
}

Json map_schema() {
  return {{"type", {"object", "null"}},
          {"properties", Json::object()},
          {"additionalProperties", false}};
}

/// The map that a part of a path leads to; made where it isn't there. `roots[*]` is an item.
Json& inner_map(Json& map, const std::string& part) {
  if (part == settings::kAnyName) {
    Json& inner = map["additionalProperties"];
    if (!inner.is_object()) inner = map_schema();
    return inner;
  }
  const std::size_t bracket = part.find('[');
  Json& inner = map["properties"][part.substr(0, bracket)];
  if (bracket == std::string::npos) return inner.is_null() ? inner = map_schema() : inner;
  if (inner.is_null()) inner = {{"type", {"array", "null"}}, {"items", map_schema()}};
  return inner["items"];
}

/// Those that say nothing are left out: the name of an entry, a place for a secret.
void add_default(Json& schema, const settings::Setting& setting) {
  Json value = Json::parse(setting.value_json);
  const bool says_much = !value.is_null() && value != "" && value != settings::kAnyName &&
                         value != settings::kMaskedSecret &&
                         !(value.is_structured() && value.empty());
  if (says_much) schema["default"] = std::move(value);
}

}  // namespace

std::string settings_schema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "Configuration of ba-agent"}};
  schema.update(map_schema());
  schema["type"] = "object";
  for (const settings::Setting& setting : outlined_settings()) {
    Json* map = &schema;
    for (std::size_t i = 0; i + 1 < setting.path.size(); ++i)
      map = &inner_map(*map, setting.path[i]);
    Json value = value_schema(setting.shape);
    add_default(value, setting);
    (*map)["properties"][setting.path.back()] = std::move(value);
  }
  return schema.dump(2);
}

}  // namespace ba::config
