// SPDX-License-Identifier: Apache-2.0
// Of schemas made by chance: what is sent is taken by the provider, and whatever arguments the
// tool's own schema allows, it allows, too.
#include <gtest/gtest.h>

#include <random>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/schema_check.hpp"
#include "tests/worker/llm/taken_schema.hpp"
#include "worker/llm/tool_fits.hpp"

namespace ba::llm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kBytesMax = 1 << 20;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : numbers_(seed) {}

  int below(int count) { return static_cast<int>(numbers_() % static_cast<std::uint64_t>(count)); }
  bool one_in(int count) { return below(count) == 0; }
  template <std::size_t N>
  const char* of(const char* const (&texts)[N]) {
    return texts[below(static_cast<int>(N))];
  }

 private:
  std::mt19937_64 numbers_;
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : chance_(seed) {}

  std::string schema() {
    Json top = object(3);
    if (chance_.one_in(3)) top["anyOf"] = demands();
    top["$defs"]["node"] = {
        {"type", "object"},
        {"properties", {{"v", value(0)}, {"next", {{"$ref", "#/$defs/node"}}}}}};
    return dump_exact(top);
  }

  /// Mostly of the schema's kind.
  Json instance(const Json& root, const Json& schema, int depth) {
    if (!schema.is_object() || depth > 6 || chance_.one_in(12)) return anything();
    if (schema.contains("$ref")) return instance(root, root["$defs"]["node"], depth + 1);
    if (schema.contains("const") && !chance_.one_in(4)) return schema["const"];
    if (schema.contains("enum") && !chance_.one_in(4))
      return schema["enum"][any_index(schema["enum"])];
    for (const char* key : {"anyOf", "oneOf", "allOf"})
      if (schema.contains(key) && !schema.contains("properties") && !chance_.one_in(4)) {
        Json one = schema[key][any_index(schema[key])];
        if (schema.contains("type") && !one.contains("type")) one["type"] = schema["type"];
        return instance(root, one, depth + 1);
      }
    Json type = schema.value("type", Json("string"));
    if (type.is_array()) type = Json(type[any_index(type)]);
    return of_type(root, schema, type, depth);
  }

 private:
  std::size_t any_index(const Json& list) {
    return static_cast<std::size_t>(chance_.below(static_cast<int>(list.size())));
  }

  Json of_type(const Json& root, const Json& schema, const Json& type, int depth) {
    if (type == "object") {
      Json out = Json::object();
      if (schema.contains("properties"))
        for (const auto& [name, inner] : schema["properties"].items())
          if (!chance_.one_in(3)) out[name] = instance(root, inner, depth + 1);
      if (chance_.one_in(5)) out["s_more"] = anything();
      return out;
    }
    if (type == "array") {
      Json out = Json::array();
      for (int i = chance_.below(3); i >= 0; --i)
        out.push_back(instance(root, schema.value("items", Json()), depth + 1));
      return out;
    }
    if (type == "string") return chance_.of(kTexts);
    if (type == "integer") return chance_.below(8);
    if (type == "number") return chance_.below(80) / 10.0;
    if (type == "boolean") return chance_.one_in(2);
    return nullptr;
  }

  Json anything() {
    static const char* const kValues[] = {"null",      "1",         "2.5",   "\"a\"", "true",
                                          "{\"a\":1}", "[1,\"a\"]", "[[1]]", "1e5",   "-0"};
    return parse_exact<Json>(chance_.of(kValues));
  }

  Json value(int depth) {
    static const char* const kPlain[] = {
        R"({"type":"string","minLength":1})",
        R"({"type":"string","pattern":"a"})",
        R"({"type":"string","pattern":"^[a-c]+$"})",
        R"({"type":"string","format":"date-time"})",
        R"({"type":"string","maxLength":1000})",
        R"({"type":"string","enum":["","a","b"]})",
        R"({"type":"integer","minimum":1,"maximum":1e400})",
        R"({"type":"number","exclusiveMaximum":5})",
        R"({"type":"integer","enum":[1,2.0,3]})",
        R"({"type":["string","null"],"enum":["a",null]})",
        R"({"type":["string","integer"],"minLength":1,"minimum":2})",
        R"({"type":["number","array","null"],"items":{"type":"string"}})",
        R"({"type":"string","nullable":true})",
        R"({"enum":[1,"a",null]})",
        R"({"const":"a"})",
        R"({"const":1e5})",
        R"({"description":"what you like"})",
        R"({"type":"boolean","default":true})",
        R"({"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]})",
        R"({"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b"}]})",
        R"({"type":"integer","oneOf":[{"const":1},{"const":2}]})",
        R"({"type":"string","not":{"pattern":"b"}})",
        R"({"type":["string","integer"],"not":{"type":["integer","null"]}})",
        R"({"type":["string","number"],"oneOf":[{"type":"string","pattern":"a"},{"type":"number"}]})",
        R"({"$ref":"#/$defs/node"})"};
    if (depth == 0 || chance_.one_in(3)) return parse_exact<Json>(chance_.of(kPlain));
    switch (chance_.below(6)) {
      case 0:
        return Json{{"type", "array"}, {"items", value(depth - 1)}};
      case 1:
        return Json{{"anyOf", {value(depth - 1), value(depth - 1), {{"type", "null"}}}},
                    {"description", "d"}};
      case 2:
        return Json{{"oneOf", Json::array({value(depth - 1), object(depth - 1)})}};
      case 3:
        return Json{{"allOf", Json::array({value(depth - 1), value(depth - 1)})}};
      default:
        return object(depth - 1);
    }
  }

  Json demands() {
    Json list = Json::array();
    for (const char* name : {"a", "$top"}) list.push_back(Json{{"required", Json::array({name})}});
    if (chance_.one_in(2)) list.push_back(Json{{"minProperties", 2}});
    return list;
  }

  Json object(int depth) {
    Json out{{"type", "object"}, {"properties", Json::object()}};
    for (const char* name : {"a", "b", "$top", "c d"})
      if (!chance_.one_in(3)) out["properties"][name] = value(depth);
    if (chance_.one_in(3)) out["required"] = Json::array({chance_.of(kNames)});
    if (chance_.one_in(3)) out["additionalProperties"] = false;
    if (chance_.one_in(6)) out["patternProperties"] = {{"^s_", Json::object()}};
    if (chance_.one_in(4)) out[chance_.one_in(2) ? "anyOf" : "oneOf"] = demands();
    if (chance_.one_in(6)) out["not"] = {{"required", Json::array({chance_.of(kNames)})}};
    if (chance_.one_in(6)) {
      out["if"] = {{"required", Json::array({chance_.of(kNames)})}};
      out["then"] = {{"required", Json::array({"a"})}};
    }
    return out;
  }

  static constexpr const char* const kTexts[] = {"a", "b", "", "abc", "zz", "2026-01-02T03:04:05Z"};
  static constexpr const char* const kNames[] = {"a", "b", "$top"};

  Chance chance_;
};

constexpr int kSchemas = 150;
constexpr int kInstances = 24;

TEST(ToolSchemaWidening, IsTakenAndKeepsNobodyFromACallThatTheToolAllows) {
  int allowed = 0;
  for (int seed = 1; seed <= kSchemas; ++seed) {
    Maker maker(static_cast<std::uint64_t>(seed));
    const std::string text = maker.schema();
    const auto own = SchemaCheck::compile(text);
    ASSERT_TRUE(own) << "seed " << seed << ": " << own.error().message << "\n" << text;
    std::vector<std::string> good;
    const Json schema = parse_exact<Json>(text);
    for (int i = 0; i < kInstances; ++i) {
      const std::string arguments = dump_exact(maker.instance(schema, schema, 0));
      if (own->check(arguments, kBytesMax)) good.push_back(arguments);
    }
    allowed += static_cast<int>(good.size());
    for (const ToolRules* rules : all_tool_rules()) {
      if (rules->as_is) continue;
      const FittedSchema fitted = fitted_schema(text, *rules);
      ASSERT_EQ(fitted.fault, "") << rules->who << ", seed " << seed << "\n" << text;
      if (fitted.schema.empty()) continue;  // it takes no parameters that have a name
      EXPECT_EQ(TakenSchema::refusal(parse_exact<Json>(fitted.schema), *rules), "")
          << rules->who << ", seed " << seed << "\n"
          << text << "\n"
          << fitted.schema;
      const auto sent = SchemaCheck::compile(fitted.schema);
      ASSERT_TRUE(sent) << rules->who << ", seed " << seed << ": " << sent.error().message;
      for (const std::string& arguments : good) {
        const auto checked = sent->check(arguments, kBytesMax);
        EXPECT_TRUE(checked) << rules->who << ", seed " << seed << ": " << arguments << "\n"
                             << (checked ? "" : checked.error().message) << "\n"
                             << text << "\n"
                             << fitted.schema;
      }
    }
  }
  EXPECT_GT(allowed, kSchemas) << "else it says little";
}

}  // namespace
}  // namespace ba::llm
