// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/semantic/semantic_parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Says that texts mean what they say in lower case, and refuses "bad".
class LowerCase final : public SqlReader {
 public:
  Result<SqlReading> read(std::string_view sql) const override {
    if (sql == "bad") return invalid_argument("no SQL");
    SqlReading reading;
    reading.canonical = "{\"tree\":\"";
    for (const char c : sql) reading.canonical += static_cast<char>(std::tolower(c));
    reading.canonical += "\"}";
    if (sql == "NOW") reading.not_cacheable = "it asks for the time";
    return reading;
  }
};

constexpr const char* kSchema = R"({"type": "object",
  "properties": {
    "sql": {"type": "string", "x-semantic": "sql"},
    "path": {"type": "string", "x-semantic": "path"},
    "paths": {"type": "array", "x-semantic": "path", "items": {"type": "string"}},
    "url": {"type": "string", "x-semantic": "url"},
    "text": {"type": "string", "x-semantic": "text"},
    "set": {"type": "array", "x-semantic": "set"},
    "texts": {"type": "array", "x-semantic": "set", "items": {"x-semantic": "text"}},
    "ignored": {"x-semantic": "ignore"},
    "plain": {},
    "inner": {"type": "object", "properties": {"text": {"x-semantic": "text"},
                                               "ignored": {"x-semantic": "ignore"}}},
    "list": {"type": "array", "items": {"$ref": "#/definitions/pair"}},
    "tuple": {"type": "array", "items": [{"x-semantic": "text"}, {}]},
    "more": {"allOf": [{"properties": {"text": {"x-semantic": "text"}}}]},
    "map": {"type": "object", "additionalProperties": {"x-semantic": "path"}},
    "loop": {"$ref": "#/properties/loop"}},
  "definitions": {"pair": {"properties": {"text": {"x-semantic": "text"}}}}})";

std::string canonical(const char* parameters) {
  const auto meaning = semantic_parameters(parameters, kSchema, LowerCase());
  EXPECT_TRUE(meaning) << parameters;
  return meaning ? meaning->canonical : "";
}

struct Pair {
  const char* left;
  const char* right;
};

TEST(SemanticParameters, AreTheSameForCallsThatMeanTheSame) {
  const Pair pairs[]{{R"({"plain":1})", R"({"plain":1.0})"},
                     {R"({"plain":100})", R"({"plain":1e2})"},
                     {R"({"plain":0})", R"({"plain":-0.0})"},
                     {R"({"plain":0.5})", R"({"plain":5e-1})"},
                     {R"({"plain":[1,2.0]})", R"({"plain":[1.0,2]})"},
                     {R"({"plain":"é"})", "{\"plain\":\"e\u0301\"}"},
                     {R"({"plain":"a"})", R"({"plain":"\u0061"})"},
                     {R"({"é":1})", "{\"e\u0301\":1}"},
                     {R"({"plain":1,"text":"a"})", R"({"text":"a","plain":1})"},
                     {R"({"plain":{"a":1,"b":2}})", R"({ "plain" : { "b" : 2 , "a" : 1 } })"},
                     {R"({"sql":"SELECT A"})", R"({"sql":"select a"})"},
                     {R"({"path":"a/b"})", R"({"path":"./a//b"})"},
                     {R"({"paths":["a/b","c"]})", R"({"paths":["./a/b","c/"]})"},
                     {R"({"url":"http://A.b"})", R"({"url":"http://a.b:80/"})"},
                     {R"({"text":"a b"})", R"({"text":" a \n b"})"},
                     {R"({"set":[1,2,3]})", R"({"set":[3,1.0,2]})"},
                     {R"({"set":[{"a":1,"b":2}]})", R"({"set":[{"b":2,"a":1.0}]})"},
                     {R"({"set":[1,1,2]})", R"({"set":[2,1]})"},
                     {R"({"texts":["a b","c"]})", R"({"texts":["c","a  b"]})"},
                     {R"({"ignored":1})", R"({"ignored":2})"},
                     {R"({"ignored":1})", R"({})"},
                     {R"({"inner":{"text":"a b","ignored":1}})", R"({"inner":{"text":"a  b"}})"},
                     {R"({"list":[{"text":"a b"}]})", R"({"list":[{"text":" a b "}]})"},
                     {R"({"tuple":["a b","c"]})", R"({"tuple":[" a b","c"]})"},
                     {R"({"more":{"text":"a b"}})", R"({"more":{"text":"a  b"}})"},
                     {R"({"map":{"x":"a/b"}})", R"({"map":{"x":"a//b"}})"},
                     {R"({"loop":1})", R"({"loop":1.0})"}};
  for (const Pair& pair : pairs)
    EXPECT_EQ(canonical(pair.left), canonical(pair.right)) << pair.left << "\n" << pair.right;
}

TEST(SemanticParameters, DifferForCallsThatCouldHaveDifferentResults) {
  const Pair pairs[]{{R"({"plain":1})", R"({"plain":2})"},
                     {R"({"plain":1})", R"({"plain":"1"})"},
                     {R"({"plain":1})", R"({"plain":true})"},
                     {R"({"plain":null})", R"({})"},
                     {R"({"plain":null})", R"({"plain":0})"},
                     {R"({"plain":""})", R"({"plain":null})"},
                     {R"({"plain":[]})", R"({"plain":{}})"},
                     {R"({"plain":[1,2]})", R"({"plain":[2,1]})"},
                     {R"({"plain":[1]})", R"({"plain":1})"},
                     {R"({"plain":"a b"})", R"({"plain":"a  b"})"},
                     {R"({"plain":"a"})", R"({"plain":"A"})"},
                     {R"({"plain":0.1})", R"({"plain":0.10000000000000002})"},
                     {R"({"plain":9007199254740992})", R"({"plain":9007199254740993})"},
                     {R"({"plain":9223372036854775807})", R"({"plain":9223372036854775806})"},
                     {R"({"plain":18446744073709551617})", R"({"plain":18446744073709551618})"},
                     {R"({"plain":0.12345678901234567890})", R"({"plain":0.12345678901234567891})"},
                     {R"({"plain":1e400})", R"({"plain":1e401})"},
                     {R"({"set":[1e400]})", R"({"set":[2e400]})"},
                     {R"({"plain":{"a":1}})", R"({"plain":{"A":1}})"},
                     {R"({"plain":{"a":{"b":1}}})", R"({"plain":{"a":1,"b":1}})"},
                     {R"({"plain":"é"})", R"({"plain":"e"})"},
                     {R"({"plain":"ﬁ"})", R"({"plain":"fi"})"},
                     {R"({"sql":"a"})", R"({"sql":"b"})"},
                     {R"({"sql":"bad"})", R"({"sql":"BAD"})"},
                     {R"({"sql":"é"})", "{\"sql\":\"e\u0301\"}"},
                     {R"({"path":"a"})", R"({"path":"A"})"},
                     {R"({"path":"a"})", R"({"path":"../a"})"},
                     {R"({"url":"http://a.b/c"})", R"({"url":"http://a.b/d"})"},
                     {R"({"text":"a b"})", R"({"text":"ab"})"},
                     {R"({"text":"a"})", R"({"text":"A"})"},
                     {R"({"set":[1,2]})", R"({"set":[1,3]})"},
                     {R"({"set":[[1,2]]})", R"({"set":[[2,1]]})"},
                     {R"({"set":["1"]})", R"({"set":[1]})"},
                     {R"({"inner":{"text":"a"}})", R"({"inner":{"text":"b"}})"},
                     {R"({"plain":{"ignored":1}})", R"({"plain":{}})"},
                     {"{\"plain\":{\"é\":1,\"e\u0301\":2}}", "{\"plain\":{\"é\":2,\"e\u0301\":1}}"},
                     {R"({"tuple":["a","b c"]})", R"({"tuple":["a","b  c"]})"}};
  for (const Pair& pair : pairs)
    EXPECT_NE(canonical(pair.left), canonical(pair.right)) << pair.left << "\n" << pair.right;
}

TEST(SemanticParameters, SayWhyTheCallIsNotCacheable) {
  const auto reason = [](const char* parameters) {
    return semantic_parameters(parameters, kSchema, LowerCase())->not_cacheable;
  };
  EXPECT_EQ(reason(R"({"sql":"NOW"})"), "it asks for the time");
  EXPECT_EQ(reason(R"({"sql":"bad"})"), "its SQL can't be read: no SQL");
  EXPECT_EQ(reason(R"({"sql":"a"})"), std::nullopt);
  EXPECT_EQ(reason(R"({"plain":"NOW"})"), std::nullopt);
}

TEST(SemanticParameters, AreRefusedWhereTheyAreNoObject) {
  EXPECT_FALSE(semantic_parameters("[]", kSchema, LowerCase()));
  EXPECT_FALSE(semantic_parameters("{", kSchema, LowerCase()));
  EXPECT_FALSE(semantic_parameters("{}", "[]", LowerCase()));
}

TEST(SemanticParameters, HaveDeclarationsThatAreLookedAt) {
  EXPECT_THAT(wrong_semantics(kSchema), IsEmpty());
  EXPECT_THAT(wrong_semantics(R"({"properties":{"a":{"x-semantic":"sqll"},
                                  "b":{"items":[{"x-semantic":1}]}}})"),
              ElementsAre("properties.a.x-semantic: \"sqll\" is not one of sql, path, url, text, "
                          "set, ignore",
                          "properties.b.items.0.x-semantic: 1 is not one of sql, path, url, text, "
                          "set, ignore"));
}

}  // namespace
}  // namespace ba
