// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_schema_parts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/output_level.hpp"

namespace ba::llm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNoteCodePointsMax = 1000;
constexpr int kDepthMax = 16;  // of alternatives within alternatives

Json taken(Json& schema, const char* key) {
  const auto found = schema.find(key);
  if (found == schema.end()) return Json();
  Json value = std::move(*found);
  schema.erase(key);
  return value;
}

const Json& member(const Json& schema, const char* key) {
  static const Json none;
  const auto found = schema.find(key);
  return found == schema.end() ? none : *found;
}

bool is_objects(const Json& schema) {
  const Json& type = member(schema, "type");
  return type.is_null() || type == "object" ||
         (type.is_array() && std::ranges::find(type, Json("object")) != type.end());
}

bool needs(const Json& schema, const std::string& name) {
  const Json& names = member(schema, "required");
  return names.is_array() && std::ranges::find(names, Json(name)) != names.end();
}

void append(std::string& text, const std::string& more) {
  text += (text.empty() ? "" : ", ") + more;
}

/// `kind "file", path`: what it fixes and needs beyond the others, else what it may have.
std::string label_of(const Json& branch, const Json& base) {
  std::string fixed;
  std::string may_have;
  const Json& properties = member(branch, "properties");
  if (properties.is_object())
    for (const auto& [name, value] : properties.items()) {
      if (value.is_object() && value.contains("const"))
        append(fixed, name + " " + dump_exact(value["const"]));
      else if (!needs(branch, name))
        append(may_have, name);
    }
  const Json& required = member(branch, "required");
  if (required.is_array())
    for (const Json& name : required) {
      if (!name.is_string() || needs(base, name)) continue;
      const auto own = properties.is_object() ? properties.find(name.get_ref<const std::string&>())
                                              : properties.end();
      const bool told = own != properties.end() && own->is_object() && own->contains("const");
      if (!told) append(fixed, name);
    }
  if (!fixed.empty()) return fixed;
  return may_have.empty() ? "none of these" : may_have;
}

std::string together(const std::vector<Json>& branches, const Json& base, bool exactly_one) {
  std::vector<std::string> labels;
  for (const Json& branch : branches) {
    std::string label = label_of(branch, base);
    if (std::ranges::find(labels, label) == labels.end()) labels.push_back(std::move(label));
  }
  if (labels.size() < 2) return "";
  std::string text = exactly_one ? "Give the parameters of exactly one of these: "
                                 : "Give the parameters of at least one of these: ";
  for (const std::string& label : labels)
    text += (&label == &labels.front() ? "(" : ", (") + label + ")";
  return cut_code_points(text, kNoteCodePointsMax) + ".";
}

/// In each of the branches, so needed in any case.
void need_common(Json& schema, const std::vector<Json>& branches) {
  const Json& first = member(branches.front(), "required");
  if (!first.is_array()) return;
  for (const Json& name : first) {
    const bool everywhere = name.is_string() && std::ranges::all_of(branches, [&](const Json& one) {
                              return needs(one, name.get_ref<const std::string&>());
                            });
    if (everywhere && !needs(schema, name)) schema["required"].push_back(name);
  }
}

std::vector<std::string> names_in(const std::vector<Json>& branches) {
  std::vector<std::string> names;
  for (const Json& branch : branches)
    if (const Json& properties = member(branch, "properties"); properties.is_object())
      for (const auto& [name, value] : properties.items())
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

void add_properties(Json& schema, const std::vector<Json>& branches) {
  for (const std::string& name : names_in(branches)) {
    std::vector<Json> its;
    for (const Json& branch : branches)
      if (const Json& properties = member(branch, "properties"); properties.is_object())
        if (const auto found = properties.find(name); found != properties.end() && *found != false)
          its.push_back(*found);
    if (its.empty()) continue;
    Json& properties = schema["properties"];
    if (!properties.contains(name)) {
      properties[name] = either_of(its);
      for (const char* key : {"additionalProperties", "unevaluatedProperties"}) schema.erase(key);
    } else if (its.size() == branches.size()) {
      properties[name] = conjoined(properties[name], either_of(its));
    }
  }
}

/// The names that `not: {"required": […]}` rules out together.
std::string excluded(const Json& unwanted) {
  const Json& names = member(unwanted, "required");
  if (!unwanted.is_object() || unwanted.size() != 1 || !names.is_array() || names.empty())
    return "";
  std::string list;
  for (const Json& name : names)
    if (name.is_string()) append(list, name);
  return cut_code_points((names.size() == 1 ? "Don't give: " : "Don't give together: ") + list,
                         kNoteCodePointsMax) +
         ".";
}

class Flattening {
 public:
  explicit Flattening(std::vector<std::string>& notes) : notes_(notes) {}

  void flatten(Json& schema, int depth) {
    const Json all = taken(schema, "allOf");
    if (all.is_array())
      for (const Json& branch : all) add_one(schema, branch, depth);
    for (const char* key : {"anyOf", "oneOf"}) {
      const Json list = taken(schema, key);
      if (list.is_array()) add_alternatives(schema, list, {key == std::string("oneOf"), depth});
    }
    if (std::string note = excluded(taken(schema, "not")); !note.empty()) tell(std::move(note));
    schema.erase("enum");
    schema.erase("const");
  }

 private:
  struct How {
    bool exactly_one;
    int depth;
  };

  void add_one(Json& schema, Json branch, int depth) {
    if (!branch.is_object() || depth > kDepthMax) return;
    flatten(branch, depth + 1);
    const bool second = schema.contains("if") && branch.contains("if");
    if (second) add_conditional_properties(branch);
    schema = conjoined(std::move(schema), branch);
  }

  /// Those that are no object's can't hold of arguments.
  void add_alternatives(Json& schema, const Json& list, How how) {
    if (how.depth > kDepthMax) return;
    std::vector<Json> branches;
    for (Json branch : list) {
      if (branch == true) branch = Json::object();
      if (!branch.is_object() || !is_objects(branch)) continue;
      flatten(branch, how.depth + 1);
      add_conditional_properties(branch);
      branches.push_back(std::move(branch));
    }
    if (branches.empty()) return;
    if (std::string note = together(branches, schema, how.exactly_one); !note.empty())
      tell(std::move(note));
    add_properties(schema, branches);
    need_common(schema, branches);
  }

  void tell(std::string note) {
    if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
  }

  std::vector<std::string>& notes_;
};

}  // namespace

void make_plain_top(nlohmann::ordered_json& schema, std::vector<std::string>& notes) {
  Flattening(notes).flatten(schema, 0);
  if (member(schema, "type") != "object") {
    // In front, where people look for it.
    Json typed{{"type", "object"}};
    schema.erase("type");
    for (const auto& [key, value] : schema.items()) typed[key] = value;
    schema = std::move(typed);
  }
  if (!member(schema, "properties").is_object()) schema["properties"] = Json::object();
}

void loosen(nlohmann::ordered_json& schema, std::string_view key) {
  if (key == "contains") {
    schema.erase("maxContains");
  } else if (key == "not") {
    schema.erase("not");
  } else if (key == "oneOf") {
    Json list = taken(schema, "oneOf");
    if (!schema.contains("anyOf")) schema["anyOf"] = std::move(list);
  } else if (key == "if") {
    add_conditional_properties(schema);
    for (const char* each : {"if", "then", "else"}) schema.erase(each);
  }
}

void add_conditional_properties(nlohmann::ordered_json& schema) {
  std::vector<Json> all;
  for (const char* key : {"then", "else"}) all.push_back(member(schema, key));
  for (const char* key : {"dependentSchemas", "dependencies"})
    if (const Json& named = member(schema, key); named.is_object())
      for (const Json& one : named) all.push_back(one);
  std::erase_if(all, [](const Json& one) { return !member(one, "properties").is_object(); });
  if (all.empty()) return;
  const Json own = member(schema, "properties");
  for (const std::string& name : names_in(all)) {
    if (own.is_object() && own.contains(name)) continue;
    std::vector<Json> its;
    for (const Json& one : all)
      if (const auto found = one["properties"].find(name);
          found != one["properties"].end() && *found != false)
        its.push_back(*found);
    if (its.empty()) continue;
    schema["properties"][name] = either_of(its);
    for (const char* key : {"additionalProperties", "unevaluatedProperties"}) schema.erase(key);
  }
}

}  // namespace ba::llm
