// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/tool_schema_references.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "worker/llm/tool_schema_merge.hpp"

namespace ba {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDepthMax = 40;
constexpr int kNodesMax = 5'000;
constexpr std::size_t kFilledBytesMax = 1 << 20;  ///< of what references name, each time anew

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
constexpr std::array<std::string_view, 4> kLists{"allOf", "anyOf", "oneOf", "prefixItems"};
constexpr std::array<std::string_view, 4> kMembers{"properties", "patternProperties",
                                                   "dependentSchemas", "dependencies"};

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

class Filling {
 public:
  explicit Filling(const Json& root) : root_(root), open_{&root} {}

  Json schema(const Json& from, int depth) {
    if (++nodes_ > kNodesMax || depth > kDepthMax) return Json::object();
    if (!from.is_object()) return from.is_boolean() ? from : Json::object();
    Json out = Json::object();
    for (const auto& [key, value] : from.items()) keyword(key, value, depth + 1, out);
    const auto reference = from.find("$ref");
    if (reference == from.end() || !reference->is_string()) return out;
    Json target = referred(reference->get<std::string>(), depth + 1);
    if (out.empty() && target.is_object()) return target;
    return target.is_object() ? conjoined(std::move(out), target) : out;
  }

 private:
  void keyword(const std::string& key, const Json& value, int depth, Json& out) {
    if (among(kOnlyPlaces, key)) return;
    if (among(kSchemas, key) && !value.is_array()) {
      out[key] = schema(value, depth);
    } else if ((among(kLists, key) || key == "items") && value.is_array()) {
      Json& list = out[key] = Json::array();
      for (const Json& one : value) list.push_back(schema(one, depth));
    } else if (among(kMembers, key) && value.is_object()) {
      Json& members = out[key] = Json::object();
      for (const auto& [name, one] : value.items())
        members[name] = one.is_array() ? one : schema(one, depth);
    } else {
      out[key] = value;
    }
  }

  Json referred(const std::string& reference, int depth) {
    const Json* target = named(reference);
    if (target == nullptr || !target->is_object()) return Json::object();
    const bool open = std::ranges::find(open_, target) != open_.end();
    if (!open) filled_bytes_ += target->dump(-1, ' ', false, Json::error_handler_t::replace).size();
    if (open || filled_bytes_ > kFilledBytesMax) return of_its_type(*target);
    open_.push_back(target);
    Json out = schema(*target, depth);
    open_.pop_back();
    return out;
  }

  static Json of_its_type(const Json& target) {
    const auto type = target.find("type");
    return type == target.end() ? Json::object() : Json{{"type", *type}};
  }

  const Json* named(const std::string& reference) const {
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
  std::vector<const Json*> open_;  ///< what is being filled in
  int nodes_ = 0;
  std::size_t filled_bytes_ = 0;
};

}  // namespace

nlohmann::ordered_json without_references(const nlohmann::ordered_json& root) {
  return Filling(root).schema(root, 0);
}

}  // namespace ba
