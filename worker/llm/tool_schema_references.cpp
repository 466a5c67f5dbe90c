// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/schema_parts.hpp"
#include "worker/llm/tool_schema_parts.hpp"

namespace ba::llm {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDepthMax = 40;
/// Of what references name, each time anew; the less where that is too much.
constexpr std::size_t kFilledBytesMax = 1 << 20;
constexpr std::size_t kFewFilledBytesMax = 64 << 10;

constexpr std::array<std::string_view, 14> kOnlyPlaces{"$ref",
                                                       "$schema",
                                                       "$id",
                                                       "id",
                                                       "$anchor",
                                                       "$defs",
                                                       "definitions",
                                                       "$comment",
                                                       "$vocabulary",
                                                       "$dynamicRef",
                                                       "$dynamicAnchor",
                                                       "$recursiveRef",
                                                       "$recursiveAnchor",
                                                       "$async"};
template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// "%24" is '$' in a fragment.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* first = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(first, first + 2, value, 16).ptr == first + 2) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// The schema that calls itself so, by `$anchor` or `$id`.
const Json* named_so(const Json& within, const std::string& reference) {
  if (within.is_object()) {
    for (const char* key : {"$id", "id"})
      if (const auto id = within.find(key); id != within.end() && *id == reference) return &within;
    if (const auto anchor = within.find("$anchor");
        anchor != within.end() && anchor->is_string() &&
        "#" + anchor->get_ref<const std::string&>() == reference)
      return &within;
  }
  if (within.is_structured())
    for (const Json& inner : within)
      if (const Json* found = named_so(inner, reference)) return found;
  return nullptr;
}

Json as_list(const Json& value) { return value.is_array() ? value : Json::array({value}); }

/// The types that a schema's own words allow, a text or a list; null: they don't say.
Json types_of(const Json& schema, int depth) {
  constexpr int kAlternativesDepthMax = 8;
  if (!schema.is_object() || depth > kAlternativesDepthMax) return Json();
  if (const auto type = schema.find("type"); type != schema.end()) {
    if (schema.value("nullable", Json()) != true || holds(as_list(*type), "null")) return *type;
    Json types = as_list(*type);
    types.push_back("null");
    return types;
  }
  if (Json types = types_of_values(schema); !types.is_null()) return types;
  for (const char* key : {"anyOf", "oneOf"}) {
    const auto list = schema.find(key);
    if (list == schema.end() || !list->is_array()) continue;
    Json types = Json::array();
    for (const Json& one : *list) {
      const Json its = types_of(one, depth + 1);
      if (its.is_null()) return Json();
      for (const Json& type : as_list(its))
        if (!holds(types, type)) types.push_back(type);
    }
    if (!types.empty()) return types.size() == 1 ? Json(types[0]) : types;
  }
  if (schema.contains("properties")) return "object";
  return schema.contains("items") ? Json("array") : Json();
}

class Filling {
 public:
  Filling(const Json& root, int levels)
      : root_(root),
        levels_(std::max(levels, 0)),
        filled_bytes_max_(levels < 0 ? kFewFilledBytesMax : kFilledBytesMax),
        open_{&root} {}

  bool too_large() const { return nodes_ > kSchemaPartsMax; }

  Json schema(const Json& from, int depth) {
    if (++nodes_ > kSchemaPartsMax) return Json::object();
    if (depth > kDepthMax) return of_its_type(from);
    if (!from.is_object()) return from.is_boolean() ? from : Json::object();
    Json out = Json::object();
    std::vector<std::string> cut;
    for (const auto& [key, value] : from.items()) {
      const std::size_t before = cuts_;
      keyword(key, value, depth + 1, out);
      if (cuts_ != before) cut.push_back(key);
    }
    for (const std::string& key : cut) loosen(out, key);
    const auto reference = from.find("$ref");
    if (reference == from.end() || !reference->is_string()) return out;
    Json target = referred(reference->get<std::string>(), depth + 1);
    if (out.empty() && target.is_object()) return target;
    return target.is_object() ? conjoined(std::move(out), target) : out;
  }

 private:
  void keyword(const std::string& key, const Json& value, int depth, Json& out) {
    if (among(kOnlyPlaces, key)) return;
    const SchemaPlace place = schema_place(key);
    if (place == SchemaPlace::One && !value.is_array()) {
      out[key] = schema(value, depth);
    } else if ((place == SchemaPlace::List || key == "items") && value.is_array()) {
      Json& list = out[key] = Json::array();
      for (const Json& one : value) list.push_back(schema(one, depth));
    } else if (place == SchemaPlace::Named && value.is_object()) {
      Json members = Json::object();
      for (const auto& [name, one] : value.items())  // distinct names: no search for each
        members.get_ref<Json::object_t&>().emplace_back(name,
                                                        one.is_array() ? one : schema(one, depth));
      out[key] = std::move(members);
    } else {
      out[key] = value;
    }
  }

  Json referred(const std::string& reference, int depth) {
    const Json* target = named(reference);
    if (target == nullptr || !target->is_object() || too_large()) {
      ++cuts_;
      return Json::object();
    }
    if (std::ranges::count(open_, target) > levels_) return of_its_type(*target);
    filled_bytes_ += bytes_of(target);
    if (filled_bytes_ > filled_bytes_max_) return of_its_type(*target);
    open_.push_back(target);
    Json out = schema(*target, depth);
    open_.pop_back();
    return out;
  }

  /// The widest that is of the same types: what it names, also through references.
  Json of_its_type(const Json& target) {
    ++cuts_;
    const Json* last = &target;
    for (int steps = 0; steps < kDepthMax && last->is_object(); ++steps) {
      const auto reference = last->find("$ref");
      if (reference == last->end() || !reference->is_string() || last->contains("type")) break;
      const Json* next = named(reference->get<std::string>());
      if (next == nullptr) break;
      last = next;
    }
    Json types = types_of(*last, 0);
    return types.is_null() ? Json::object() : Json{{"type", std::move(types)}};
  }

  std::size_t bytes_of(const Json* target) {
    const auto [known, fresh] = bytes_.emplace(target, 0);
    if (fresh) known->second = dump_exact(*target).size();
    return known->second;
  }

  const Json* named(const std::string& reference) const {
    const auto [known, fresh] = named_.emplace(reference, nullptr);
    if (fresh) known->second = found(reference);
    return known->second;
  }

  const Json* found(const std::string& reference) const {
    if (reference == "#") return &root_;
    if (!reference.starts_with("#/")) return named_so(root_, reference);
    try {
      const Json::json_pointer pointer(decoded(std::string_view(reference).substr(1)));
      return root_.contains(pointer) ? &root_.at(pointer) : nullptr;
    } catch (const Json::exception&) {
      return nullptr;
    }
  }

  const Json& root_;
  const int levels_;
  const std::size_t filled_bytes_max_;
  std::vector<const Json*> open_;  ///< what is being filled in
  std::size_t nodes_ = 0;
  std::size_t cuts_ = 0;  ///< what may be more than its schema says
  std::size_t filled_bytes_ = 0;
  std::map<const Json*, std::size_t> bytes_;          ///< of what was filled in
  mutable std::map<std::string, const Json*> named_;  ///< by reference
};

}  // namespace

std::optional<nlohmann::ordered_json> without_references(const nlohmann::ordered_json& root,
                                                         int levels) {
  Filling filling(root, levels);
  Json filled = filling.schema(root, 0);
  if (filling.too_large()) return std::nullopt;
  return filled;
}

}  // namespace ba::llm
