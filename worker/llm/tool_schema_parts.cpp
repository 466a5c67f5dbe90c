// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_schema_parts.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "pipeline/tool/output_level.hpp"
#include "worker/llm/tool_schema_merge.hpp"
#include "worker/llm/tool_schema_top.hpp"
#include "worker/llm/tool_schema_types.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;
using Notes = std::vector<std::string>;

constexpr std::size_t kShownCodePoints = 300;

constexpr std::array<std::string_view, 12> kSchemas{"items",
                                                    "additionalItems",
                                                    "additionalProperties",
                                                    "contains",
                                                    "propertyNames",
                                                    "not",
                                                    "if",
                                                    "then",
                                                    "else",
                                                    "contentSchema",
                                                    "unevaluatedItems",
                                                    "unevaluatedProperties"};
constexpr std::array<std::string_view, 3> kLists{"allOf", "anyOf", "oneOf"};
constexpr std::array<std::string_view, 3> kMembers{"properties", "patternProperties",
                                                   "dependentSchemas"};

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

std::string shown(const Json& value) {
  return cut_code_points(value.dump(-1, ' ', false, Json::error_handler_t::replace),
                         kShownCodePoints);
}

void describe(Json& schema, const Notes& notes) {
  for (const std::string& note : notes) {
    const Json before = schema.value("description", Json(""));
    const std::string text = before.is_string() ? before.get<std::string>() : "";
    schema["description"] = text + (text.empty() ? "" : " ") + note;
  }
}

/// The same once, in their order: lists of the draft hold nothing twice.
Json each_once(const Json& list) {
  Json out = Json::array();
  for (const Json& value : list)
    if (std::ranges::find(out, value) == out.end()) out.push_back(value);
  return out;
}

class Fitting {
 public:
  explicit Fitting(const ToolRules& rules) : rules_(rules) {}

  /// `top`: where the notes of the whole go; null: an inner schema, which has its own.
  void fit(Json& schema, Notes* top) {
    Notes notes;
    if (!schema.is_object()) schema = Json::object();
    fit_alternatives(schema);
    if (!rules_.keywords.empty()) add_conditional_properties(schema);
    fit_members(schema, notes);
    fit_values(schema, notes);
    fit_array(schema);
    if (rules_.lone_any_of) merge_all(schema);
    fit_types(schema, rules_);
    drop_unknown(schema);
    fit_inner(schema);
    if (top == nullptr)
      describe(schema, notes);
    else
      top->insert(top->end(), notes.begin(), notes.end());
    if (rules_.lone_any_of) leave_any_of_alone(schema);
    if (rules_.typed) say_type(schema);
  }

 private:
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
      Json kept = Json::object();
      for (auto& [name, value] : schema["properties"].items()) {
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
                    shown(name) + ": " + shown(value) + ".");
    schema.erase("additionalProperties");
  }

  void fit_required(Json& schema) const {
    if (!is_list(schema, "required")) return;
    Json kept = Json::array();
    for (const Json& name : each_once(schema["required"])) {
      if (!name.is_string()) continue;
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

  void fit_values(Json& schema, Notes& notes) const {
    if (is_list(schema, "enum")) {
      schema["enum"] = each_once(schema["enum"]);
      if (schema["enum"].empty()) schema.erase("enum");
    }
    if (!rules_.text_enums) return;
    if (schema.contains("const")) {
      if (!schema.contains("enum")) schema["enum"] = Json::array({schema["const"]});
      schema.erase("const");
    }
    if (!schema.contains("enum")) return;
    const auto taken = [](const Json& value) {
      return value.is_string() && !value.get_ref<const std::string&>().empty();
    };
    if (std::ranges::all_of(schema["enum"], taken)) return;
    notes.push_back("One of: " + shown(schema["enum"]) + ".");
    schema.erase("enum");
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
    Json kept = Json::object();
    for (auto& [key, value] : schema.items()) {
      if (key.starts_with("x-")) continue;
      if (!rules_.keywords.empty() && !among(rules_.keywords, key)) continue;
      if (key == "pattern" && !takes_pattern(value)) continue;
      if (key == "format" && !takes_format(type, value)) continue;
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
    return rules_.repeats_max == 0 || !bound.is_number() || bound <= rules_.repeats_max;
  }

  bool takes_pattern(const Json& pattern) const {
    if (rules_.patterns == ToolRules::Patterns::Any) return true;
    if (!pattern.is_string()) return false;
    const auto& text = pattern.get_ref<const std::string&>();
    return text.starts_with('^') && text.ends_with('$') && !text.ends_with("\\$");
  }

  void fit_inner(Json& schema) {
    for (auto& [key, value] : schema.items()) {
      if (among(kSchemas, key) && !value.is_boolean()) fit(value, nullptr);
      if (among(kLists, key) && value.is_array())
        for (Json& one : value) fit(one, nullptr);
      if (among(kMembers, key) && value.is_object())
        for (Json& one : value) fit(one, nullptr);
    }
  }

  /// Each branch with what stands beside them.
  static void leave_any_of_alone(Json& schema) {
    if (!is_list(schema, "anyOf")) return;
    Json branches = std::move(schema["anyOf"]);
    schema.erase("anyOf");
    if (schema.empty()) {
      schema["anyOf"] = std::move(branches);
      return;
    }
    for (Json& one : branches) one = conjoined(std::move(one), schema);
    schema = branches.size() == 1 ? Json(branches[0]) : Json{{"anyOf", branches}};
  }

  const ToolRules& rules_;
};

}  // namespace

void fit_parts(nlohmann::ordered_json& schema, const ToolRules& rules,
               std::vector<std::string>& notes) {
  Fitting(rules).fit(schema, &notes);
}

}  // namespace ba
