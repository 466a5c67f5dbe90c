// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_schema_parts.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/schema_parts.hpp"

namespace ba::llm {
namespace {

using Json = nlohmann::ordered_json;
using Notes = std::vector<std::string>;

/// Of what is copied into each of a schema's alternatives.
constexpr std::size_t kCopiedBytesMax = 1 << 20;
constexpr std::array<std::string_view, 3> kLists{"allOf", "anyOf", "oneOf"};
constexpr std::array<std::string_view, 4> kRepeats{"minLength", "maxLength", "minItems",
                                                   "maxItems"};

template <typename Names>
bool among(const Names& names, std::string_view name) {
  return std::ranges::any_of(names, [name](const auto& one) { return one == name; });
}

bool is_list(const Json& schema, const char* key) {
  const auto found = schema.find(key);
  return found != schema.end() && found->is_array();
}

bool is_object(const Json& schema, const char* key) {
  const auto found = schema.find(key);
  return found != schema.end() && found->is_object();
}

void describe(Json& schema, const Notes& notes) {
  for (const std::string& note : notes) {
    const Json before = schema.value("description", Json(""));
    const std::string text = before.is_string() ? before.get<std::string>() : "";
    schema["description"] = text + (text.empty() ? "" : " ") + note;
  }
}

Json both_texts(const Json& first, const Json& second) {
  if (first == second || !first.is_string() || !second.is_string()) return second;
  return first.get<std::string>() + " " + second.get<std::string>();
}

bool is_null_alone(const Json& schema) {
  if (!schema.is_object()) return false;
  return schema.value("type", types_of_values(schema)) == "null";
}

class Fitting {
 public:
  explicit Fitting(const ToolRules& rules) : rules_(rules) {}

  bool too_large() const { return parts_ > kSchemaPartsMax; }

  /// `top`: where the notes of the whole go; null: an inner schema, which has its own.
  void fit(Json& schema, Notes* top) {
    if (++parts_ > kSchemaPartsMax) return;
    Notes notes;
    if (!schema.is_object()) schema = Json::object();
    fit_alternatives(schema);
    if (!rules_.keywords.empty()) add_conditional_properties(schema);
    if (rules_.lone_any_of) {
      merge_all(schema);
      fit_alternatives(schema);
      if (!is_list(schema, "anyOf")) fit_types(schema, rules_);  // which may make some
      if (is_list(schema, "anyOf")) return fit_each(schema);
    }
    fit_one(schema, notes);
    if (top == nullptr)
      describe(schema, notes);
    else
      top->insert(top->end(), notes.begin(), notes.end());
    if (rules_.typed) say_type(schema, rules_);
    if (rules_.typed) drop_of_other_types(schema, rules_);
  }

 private:
  /// Without alternatives, or where these may stand beside other keywords.
  void fit_one(Json& schema, Notes& notes) {
    fit_members(schema, notes);
    if (rules_.typed_branches) move_type_in(schema);
    fit_types(schema, rules_);
    fit_values(schema, rules_, notes);
    fit_array(schema);
    drop_unknown(schema);
    fit_inner(schema);
  }

  /// Alternatives alone: each with what stands beside them, and null as a word in each.
  void fit_each(Json& schema) {
    const Json list = std::move(schema["anyOf"]);
    schema.erase("anyOf");
    if (list.size() * dump_exact(schema).size() > kCopiedBytesMax) parts_ = kSchemaPartsMax + 1;
    if (too_large()) return;
    Json branches = Json::array();
    bool null = schema.value("nullable", Json()) == true;
    for (const Json& branch : list) {
      if (exclude_each_other(branch, schema)) continue;
      if (is_null_alone(branch)) {
        null = true;
        continue;
      }
      Json one = conjoined(branch, schema);
      if (branch.contains("description") && schema.contains("description"))
        one["description"] = both_texts(schema["description"], branch["description"]);
      fit(one, nullptr);
      const bool only_lists = is_list(one, "anyOf");
      for (const Json& each : only_lists ? one["anyOf"] : Json::array({one}))
        if (std::ranges::find(branches, each) == branches.end()) branches.push_back(each);
    }
    if (branches.empty()) {
      if (null && !schema.contains("type")) schema["type"] = "null";
      return fit(schema, nullptr);
    }
    for (Json& one : branches)
      if (null && one.is_object() && one.value("type", Json()) != "null") one["nullable"] = true;
    schema = branches.size() == 1 ? Json(branches[0]) : Json{{"anyOf", branches}};
  }

  /// Of lists of schemas: what always holds, or never does, says so by its place.
  static void fit_alternatives(Json& schema) {
    for (const std::string_view key : kLists) {
      const std::string name(key);
      const auto found = schema.find(name);
      if (found == schema.end()) continue;
      const bool all = key == "allOf";
      Json list = Json::array();
      bool anything = false;
      for (Json& one : *found) {
        const bool open = one == true || (one.is_object() && one.empty());
        anything |= open && !all;
        if (one.is_object() && !open) list.push_back(std::move(one));
      }
      if (list.empty() || anything)
        schema.erase(name);
      else
        schema[name] = std::move(list);
    }
    for (const char* key : {"not", "if"})
      if (const auto found = schema.find(key); found != schema.end() && !found->is_object())
        schema.erase(key);
    if (!schema.contains("if"))
      for (const char* key : {"then", "else"}) schema.erase(key);
  }

  /// Properties that nothing may have, and those whose names the provider doesn't take.
  void fit_members(Json& schema, Notes& notes) const {
    if (is_object(schema, "properties")) {
      Json own = std::move(schema["properties"]);  // what is erased meanwhile moves its members
      Json kept = Json::object();
      for (auto& [name, value] : own.items()) {
        if (value == false) continue;
        if (rules_.property_words && !is_property_word(name))
          move_out(schema, name, value, notes);
        else
          kept[name] = std::move(value);
      }
      schema["properties"] = std::move(kept);
    }
    fit_required(schema);
  }

  void move_out(Json& schema, const std::string& name, const Json& value, Notes& notes) const {
    const bool needed = is_list(schema, "required") && among(schema["required"], name);
    notes.push_back(std::string(needed ? "It needs" : "It also takes") + " the parameter " +
                    shown_value(name) + ": " + shown_value(value) + ".");
    for (const char* key : {"additionalProperties", "unevaluatedProperties"}) schema.erase(key);
  }

  void fit_required(Json& schema) const {
    if (!is_list(schema, "required")) return;
    Json kept = Json::array();
    for (const Json& name : schema["required"]) {
      if (!name.is_string() || holds(kept, name)) continue;
      const auto& text = name.get_ref<const std::string&>();
      const bool known = is_object(schema, "properties") && schema["properties"].contains(text);
      if (rules_.known_required && !known) continue;
      if (rules_.property_words && !is_property_word(text)) continue;
      kept.push_back(name);
    }
    if (kept.empty())
      schema.erase("required");
    else
      schema["required"] = std::move(kept);
  }

  /// A list of schemas by place is any of them at each place, which every draft has.
  void fit_array(Json& schema) const {
    std::vector<Json> places;
    const char* first = is_list(schema, "prefixItems") ? "prefixItems" : "items";
    const char* rest = first == std::string_view("items") ? "additionalItems" : "items";
    if (is_list(schema, first)) {
      for (const Json& one : schema[first]) places.push_back(one);
      const auto others = schema.find(rest);
      if (others == schema.end() || *others != false)
        places.push_back(others == schema.end() ? Json(true) : *others);
      std::erase(places, Json(false));
      schema.erase("prefixItems");
      schema["items"] = places.empty() ? Json::object() : either_of(places);
    }
    schema.erase("additionalItems");
    const auto items = schema.find("items");
    const bool has_items = items != schema.end() && items->is_object();
    if (items != schema.end() && !has_items) *items = Json::object();
    if (rules_.items_needed && items == schema.end() && may_be(schema, "array"))
      schema["items"] = Json::object();
  }

  static void merge_all(Json& schema) {
    const auto all = schema.find("allOf");
    if (all != schema.end()) {
      const Json list = *all;
      schema.erase("allOf");
      for (const Json& one : list) schema = conjoined(std::move(schema), one);
      schema.erase("allOf");
    }
    const auto one_of = schema.find("oneOf");
    if (one_of == schema.end()) return;
    if (!schema.contains("anyOf")) schema["anyOf"] = *one_of;
    schema.erase("oneOf");
  }

  void drop_unknown(Json& schema) const {
    // What the patterns would allow must not be forbidden without them.
    const bool patterns = schema.contains("patternProperties") && !rules_.keywords.empty() &&
                          !among(rules_.keywords, "patternProperties");
    const Json type = schema.value("type", Json());
    const bool no_values = !schema.contains("enum");
    Json kept = Json::object();
    for (auto& [key, value] : schema.items()) {
      if (key.starts_with("x-")) continue;
      if (!rules_.keywords.empty() && !among(rules_.keywords, key)) continue;
      if (key == "pattern" && !takes_pattern(value)) continue;
      if (key == "format" && (!takes_format(type, value) || (no_values && value == "enum")))
        continue;
      if (among(kRepeats, key) && !takes_repeats(value)) continue;
      if (patterns && key == "additionalProperties") continue;
      if (rules_.known_required && key == "properties" && value.empty()) continue;
      kept[key] = std::move(value);
    }
    schema = std::move(kept);
  }

  bool takes_format(const Json& type, const Json& format) const {
    if (rules_.formats.empty()) return true;
    if (!format.is_string() || !among(rules_.formats, format.get_ref<const std::string&>()))
      return false;
    const bool of_texts = format == "date-time" || format == "enum";
    return !type.is_string() || (type == "string") == of_texts;
  }

  bool takes_repeats(const Json& bound) const {
    return rules_.repeats_max == 0 || !is_any_number(bound) ||
           nearest_double(bound) <= rules_.repeats_max;
  }

  bool takes_pattern(const Json& pattern) const {
    if (rules_.patterns == ToolRules::Patterns::Any) return true;
    if (!pattern.is_string()) return false;
    const auto& text = pattern.get_ref<const std::string&>();
    return text.starts_with('^') && text.ends_with('$') && !text.ends_with("\\$");
  }

  void fit_inner(Json& schema) {
    std::vector<std::string> changed;
    Json nothing = Json::array();
    for (auto& [key, value] : schema.items()) {
      const Json before = value_that_must_stay(key) ? value : Json();
      switch (schema_place(key)) {
        case SchemaPlace::One:
          if (!value.is_boolean() && !value.is_array()) fit(value, nullptr);
          break;
        case SchemaPlace::List:
        case SchemaPlace::Named:
          for (Json& one : value.is_structured() ? value : nothing)
            if (key != "dependencies" || !one.is_array()) fit(one, nullptr);
          break;
        case SchemaPlace::None:
          break;
      }
      if (!before.is_null() && before != value) changed.push_back(key);
    }
    for (const std::string& key : changed) loosen(schema, key);
  }

  /// Where a wider schema within makes the whole narrower.
  static bool value_that_must_stay(std::string_view key) {
    return key == "not" || key == "if" || key == "oneOf" || key == "contains";
  }

  const ToolRules& rules_;
  std::size_t parts_ = 0;
};

}  // namespace

bool fit_parts(nlohmann::ordered_json& schema, const ToolRules& rules,
               std::vector<std::string>& notes) {
  Fitting fitting(rules);
  fitting.fit(schema, &notes);
  return !fitting.too_large();
}

}  // namespace ba::llm
