// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/schema_refusal.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/output_level.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownValue = 80;
constexpr std::size_t kShownChoices = 20;

/// `"a", "b"` of an array, or of an object's keys.
std::string listed(const Json& values, bool keys) {
  std::string text;
  std::size_t count = 0;
  for (auto item = values.begin(); item != values.end(); ++item, ++count) {
    if (count == kShownChoices) return text + ", …";
    text += (count > 0 ? ", " : "") + (keys ? item.key() : shown_value(*item));
  }
  return text;
}

// ---- what a schema allows, in words -------------------------------------------------------------

void add_bound(std::string& text, const Json& schema, const char* key, const char* words) {
  const auto bound = schema.find(key);
  if (bound == schema.end()) return;
  text += (text.empty() ? "" : ", ") + std::string(words) + " " + shown_value(*bound);
}

/// "integer, at least 1, at most 100"; empty when the schema says nothing that has words here.
std::string allowed_by(const Json& schema) {
  std::string text;
  if (!schema.is_object()) return text;
  if (const auto choices = schema.find("enum"); choices != schema.end() && choices->is_array())
    return "one of " + listed(*choices, false);
  if (const auto type = schema.find("type"); type != schema.end())
    text = type->is_string() ? type->get<std::string>() : "one of " + listed(*type, false);
  add_bound(text, schema, "const", "exactly");
  add_bound(text, schema, "minimum", "at least");
  add_bound(text, schema, "exclusiveMinimum", "more than");
  add_bound(text, schema, "maximum", "at most");
  add_bound(text, schema, "exclusiveMaximum", "less than");
  add_bound(text, schema, "multipleOf", "a multiple of");
  add_bound(text, schema, "minLength", "characters at least");
  add_bound(text, schema, "maxLength", "characters at most");
  add_bound(text, schema, "minItems", "items at least");
  add_bound(text, schema, "maxItems", "items at most");
  add_bound(text, schema, "pattern", "matching");
  return text;
}

// ---- why arguments were refused -----------------------------------------------------------------

/// A place in the arguments: how it reads, its value, and what the schema says there.
struct Place {
  std::string path;
  const Json* value;
  const Json* schema;
  bool required = false;  ///< by the object that it is a member of
};

const Json& nothing() {
  static const Json null;
  return null;
}

const Json& child(const Json& parent, const char* key, const std::string& name) {
  const auto outer = parent.is_object() ? parent.find(key) : parent.end();
  if (outer == parent.end() || !outer->is_object()) return nothing();
  const auto inner = outer->find(name);
  return inner == outer->end() ? nothing() : *inner;
}

bool requires_member(const Json& schema, const std::string& name) {
  const auto required = schema.is_object() ? schema.find("required") : schema.end();
  return schema.is_object() && required != schema.end() &&
         std::find(required->begin(), required->end(), name) != required->end();
}

void enter(Place& place, const std::string& segment) {
  const std::string name = segment.substr(1, segment.size() - 2);  // "[name]" or "[0]"
  if (place.value->is_array()) {
    place.path += segment;
    place.required = false;
    const std::size_t index = std::stoul(name);
    place.value = index < place.value->size() ? &(*place.value)[index] : &nothing();
    const auto items =
        place.schema->is_object() ? place.schema->find("items") : place.schema->end();
    place.schema = items == place.schema->end() ? &nothing() : &*items;
    return;
  }
  place.path += (place.path.empty() ? "" : ".") + name;
  const auto value = place.value->is_object() ? place.value->find(name) : place.value->end();
  place.value = value == place.value->end() ? &nothing() : &*value;
  place.required = requires_member(*place.schema, name);
  place.schema = &child(*place.schema, "properties", name);
}

std::string in_quotes(const std::string& text) {
  const std::size_t from = text.find('\'');
  const std::size_t to = text.rfind('\'');
  return from < to ? text.substr(from + 1, to - from - 1) : std::string();
}

/// At the top with what every call may have, whose schema doesn't name it.
std::string names_at(const Place& place) {
  const auto known =
      place.schema->is_object() ? place.schema->find("properties") : place.schema->end();
  std::string names = known == place.schema->end() ? "" : listed(*known, true);
  if (place.path.empty()) names += (names.empty() ? "" : ", ") + std::string(kLevelKey);
  return names.empty() ? "none" : names;
}

std::string reason(const Place& place, const std::string& description) {
  const std::string prefix = place.path.empty() ? "" : place.path + ".";
  if (description.starts_with("Missing required")) {
    const std::string name = in_quotes(description);
    const std::string allowed = allowed_by(child(*place.schema, "properties", name));
    return prefix + name + ": this required parameter is missing" +
           (allowed.empty() ? "" : "; expected " + allowed);
  }
  if (description.starts_with("Object contains a property")) {
    // The text itself has quotes around 'properties': the name stands between the last two.
    const std::size_t to = description.rfind('\'');
    const std::size_t from = description.rfind('\'', to - 1);
    return prefix + description.substr(from + 1, to - from - 1) +
           ": there is no such parameter; there are: " + names_at(place);
  }
  const std::string allowed = allowed_by(*place.schema);
  if (place.required && place.value->is_null())
    return place.path + ": null is not allowed, this parameter is required; expected " +
           (allowed.empty() ? description : allowed);
  return (place.path.empty() ? "arguments" : place.path) + ": " + shown_value(*place.value) +
         " is not allowed; expected " + (allowed.empty() ? description : allowed);
}

}  // namespace

std::string shown_value(const Json& value) {
  return cut_code_points(dump_exact(value), kShownValue);
}

std::string refusal_text(const Json& schema, const Json& args, const SchemaMisfit& misfit) {
  Place place{"", &args, &schema};
  for (std::size_t i = 1; i < misfit.place.size(); ++i) enter(place, misfit.place[i]);
  return reason(place, misfit.description);
}

}  // namespace ba
