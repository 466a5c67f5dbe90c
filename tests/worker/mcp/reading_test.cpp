// SPDX-License-Identifier: Apache-2.0
// What a server says, read: messages, definitions, schemas, headers, results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/core/tool/schema_check.hpp"
#include "worker/mcp/call_result.hpp"
#include "worker/mcp/child_process.hpp"
#include "worker/mcp/mcp_tool.hpp"
#include "worker/mcp/rpc_message.hpp"
#include "worker/mcp/tool_listing.hpp"

namespace ba::mcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Pair;

Json json(const std::string& text) { return *parse_json(text); }

// ---- messages ----------------------------------------------------------------------------------

TEST(RpcMessage, TellsKindsApart) {
  using Kind = RpcMessage::Kind;
  const auto kind = [](const std::string& text) { return read_rpc_message(text).kind; };
  EXPECT_EQ(kind(R"({"jsonrpc":"2.0","id":1,"result":{}})"), Kind::Result);
  EXPECT_EQ(kind(R"({"id":null,"error":{"code":-1,"message":"x"}})"), Kind::Error);
  EXPECT_EQ(kind(R"({"id":"a","method":"m"})"), Kind::Request);
  EXPECT_EQ(kind(R"({"method":"m","params":[]})"), Kind::Notification);
  for (const char* garbage :
       {"", "x", "[]", "7", "{}", R"({"id":1})", R"({"method":7})", R"({"id":{},"method":"m"})",
        R"({"result":1})", R"({"id":1,"error":7})", R"({"id":1.5,"result":1})", "{\"id\":1,"})
    EXPECT_EQ(kind(garbage), Kind::Garbage) << garbage;
  EXPECT_EQ(kind(std::string(100'000, '[')), Kind::Garbage);
}

TEST(RpcMessage, HalvesOfPairsAreReplacedAndWholeOnesStay) {
  const auto text = [](const std::string& escapes) {
    const RpcMessage message = read_rpc_message(R"({"id":1,"result":{"t":")" + escapes + "\"}}");
    EXPECT_EQ(message.kind, RpcMessage::Kind::Result) << escapes;
    return text_member(message.result, "t").value_or("none");
  };
  EXPECT_EQ(text(R"(a\ud800b)"), "a\uFFFDb");
  EXPECT_EQ(text(R"(\udc80.csv)"), "\uFFFD.csv");
  EXPECT_EQ(text(R"(\ud800\ud83d\ude00)"), "\uFFFD\U0001F600");
  EXPECT_EQ(text(R"(\\ud800\ud800)"), "\\ud800\uFFFD") << "an escaped backslash begins none";
  EXPECT_EQ(text(R"(\ud83d\ude00)"), "\U0001F600");
}

TEST(RpcMessage, AServersWordForWhatWasKeptAsTextIsNone) {
  const RpcMessage message = read_rpc_message(
      R"({"id":1,"result":{"content":[],"_meta":{"ba-agent/kept_as_text":true,"other":1}}})");
  EXPECT_EQ(message.result.at("_meta"), (Json{{"other", 1}}));
}

// ---- messages beyond the limits of JSON --------------------------------------------------------

std::string wide_object(int members, const std::string& separator = ",") {
  std::string text = "{";
  for (int i = 0; i < members; ++i)
    text += (i == 0 ? "" : separator) + "\"k" + std::to_string(i) + "\":" + std::to_string(i);
  return text + "}";
}

std::string deep_list(std::size_t levels) {
  return std::string(levels, '[') + "1.10" + std::string(levels, ']');
}

RawToolResult answer(const std::string& result) {
  const RpcMessage message =
      read_rpc_message(R"({"jsonrpc":"2.0","id":7,"result":)" + result + "}");
  EXPECT_EQ(message.kind, RpcMessage::Kind::Result);
  EXPECT_EQ(message.id, 7);
  return read_call_result(message.result);
}

Json text_of_data(const RawToolResult& result) { return json(result.data); }

constexpr const char* kAsText =
    "What is nested or wide beyond at most 64 levels and 4096 members an object is given as its "
    "text.";

TEST(BoundedMessage, StructuredContentBeyondTheLimitsIsItsText) {
  for (const std::string& data : {wide_object(4097), deep_list(65), deep_list(20'000),
                                  R"({"a":{"b":)" + wide_object(5000) + "}}"}) {
    const RawToolResult result = answer(R"({"structuredContent": )" + data + "}");
    EXPECT_FALSE(result.error);
    EXPECT_EQ(text_of_data(result), data);
    EXPECT_EQ(result.note, kAsText);
  }
  const RawToolResult most = answer(R"({"structuredContent":)" + wide_object(4096) + "}");
  EXPECT_EQ(most.data, wide_object(4096));
  EXPECT_EQ(most.note, "");
}

TEST(BoundedMessage, WhatIsWithinTheLimitsIsReadBesideIt) {
  const std::string wide = wide_object(4097);
  const RawToolResult result = answer(R"({"content":[{"type":"text","text":"of 2 pages"}],)"
                                      R"("structuredContent":)" +
                                      wide + R"(,"_meta":[1]})");
  EXPECT_EQ(text_of_data(result), (Json{{"content", "of 2 pages"}, {"structured_content", wide}}));
  const std::string text = Json(wide_object(4097, ",\n  ")).dump();
  const RawToolResult twice = answer(R"({"content":[{"type":"text","text":)" + text +
                                     R"(}],"structuredContent":)" + wide + "}");
  EXPECT_EQ(text_of_data(twice), wide) << "the text says the same";
}

TEST(BoundedMessage, ContentOfAnyShapeReachesTheModel) {
  const std::string wide = wide_object(4097);
  EXPECT_EQ(text_of_data(answer(R"({"content":[{"type":"text","text":)" + wide + "}]}")), wide);
  EXPECT_EQ(text_of_data(answer(R"({"content":{"type":"text","text":)" + wide + "}}")), wide);
  EXPECT_EQ(text_of_data(answer(R"({"content":["x",)" + wide + "]}")), "x\n" + wide);
  EXPECT_EQ(text_of_data(answer(R"({"content":)" + deep_list(70) + "}")), deep_list(69));
  EXPECT_EQ(text_of_data(answer(wide)), wide) << "the result itself";
  EXPECT_EQ(text_of_data(answer(deep_list(70))), deep_list(70));
}

TEST(BoundedMessage, AnErrorStaysOne) {
  const std::string wide = wide_object(4097);
  const RawToolResult failed = answer(R"({"isError":true,"structuredContent":)" + wide + "}");
  ASSERT_TRUE(failed.error);
  EXPECT_THAT(failed.error->message, HasSubstr(R"("k0":0,"k1":1)"));
  std::string in_wide = wide;
  in_wide.insert(1, R"("isError":true,)");
  EXPECT_TRUE(answer(in_wide).error);
  const RpcMessage refused =
      read_rpc_message(R"({"id":7,"error":{"code":-32602,"message":"no","data":)" + wide + "}}");
  EXPECT_EQ(refused.kind, RpcMessage::Kind::Error);
  EXPECT_EQ(refused.error.code, -32602);
  EXPECT_EQ(refused.error.message, "no");
}

TEST(BoundedMessage, AToolWithSuchASchemaCostsItselfAlone) {
  const RpcMessage message =
      read_rpc_message(R"({"id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}},)"
                       R"({"name":"b","inputSchema":{"type":"object","properties":)" +
                       wide_object(4097) + "}}]}}");
  ASSERT_EQ(message.result["tools"].size(), 2u);
  EXPECT_TRUE(read_tool_definition(message.result["tools"][0], false));
  EXPECT_FALSE(read_tool_definition(message.result["tools"][1], false));
}

TEST(BoundedMessage, WhatIsNoJsonIsStillGarbage) {
  using Kind = RpcMessage::Kind;
  const std::string wide = wide_object(4097);
  for (const std::string& text :
       {R"({"id":1,"result":)" + wide, R"({"id":1,"result":)" + wide + ",}", wide, deep_list(70),
        R"({"id":1,"result":)" + std::string(100'000, '[') + "}"})
    EXPECT_EQ(read_rpc_message(text).kind, Kind::Garbage);
  std::string many = wide_object(4097);
  many.insert(1, R"("id":1,"result":{"content":[]},)");
  EXPECT_EQ(read_rpc_message(many).kind, Kind::Result) << "members that nobody reads";
}

TEST(PlainText, LeavesOutWhatAPersonDoesNotSee) {
  EXPECT_EQ(plain_text("a\x01\xe2\x80\x8b"
                       "b\n\xf3\xa0\x81\x81"
                       "c",
                       100),
            "ab\nc");
  EXPECT_EQ(plain_text("ääää", 5), "ää…");
  EXPECT_EQ(plain_text("\xff", 10), "\xef\xbf\xbd");
}

TEST(PlainText, KeepsOneJoinerAfterACharacterBeyondAscii) {
  for (const char* text : {"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  // Persian
                           "\u0d28\u0d4d\u200d \u0d28",                         // Malayalam
                           "\U0001f468\u200d\U0001f469\u200d\U0001f467",        // a family
                           "\u2764\ufe0f\u200d\U0001f525",                      // a heart on fire
                           "\u845b\U000e0100\u98fe"})                           // in a name
    EXPECT_EQ(plain_text(text, 100), text);
  EXPECT_EQ(plain_text("a\u200db\u200cc", 100), "abc");
  EXPECT_EQ(plain_text("\u200d\u06cc\u200c\u200d\u200c\u200d\u062e", 100), "\u06cc\u200c\u062e");
  EXPECT_EQ(plain_text("\u06cc\u200b\u202e\u2060\ufeff\U000e0041\u062e", 100), "\u06cc\u062e");
  EXPECT_EQ(plain_text("\U0001f468\U000e0100\U000e0101", 100), "\U0001f468");
  EXPECT_EQ(plain_text("\u845b\U000e0100\U000e0101", 100), "\u845b\U000e0100");
}

TEST(PlainLine, IsOneLine) { EXPECT_EQ(plain_line("a\nb\r\tc", 100), "a b c"); }

TEST(LineSplitter, PutsPiecesTogetherAndRefusesALineTooLong) {
  LineSplitter splitter(5);
  std::vector<std::string> lines;
  const auto take = [&](std::string_view line) { lines.emplace_back(line); };
  EXPECT_TRUE(splitter.feed("ab", take));
  EXPECT_TRUE(splitter.feed("c\r\n\nde", take));
  EXPECT_TRUE(splitter.feed("fgh\n12345\n", take));
  EXPECT_THAT(lines, ElementsAre("abc", "", "defgh", "12345"));
  EXPECT_FALSE(splitter.feed("123456", take));
}

// ---- headers -----------------------------------------------------------------------------------

TEST(ParamHeaders, EncodesWhatAHeaderCannotCarry) {
  EXPECT_EQ(header_value("us-west1"), "us-west1");
  EXPECT_EQ(header_value("us west 1"), "us west 1");
  EXPECT_EQ(header_value(""), "");
  EXPECT_EQ(header_value("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
  EXPECT_EQ(header_value(" padded "), "=?base64?IHBhZGRlZCA=?=");
  EXPECT_EQ(header_value("line1\nline2"), "=?base64?bGluZTEKbGluZTI=?=");
  EXPECT_EQ(header_value("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
}

TEST(ParamHeaders, MirrorsNestedValuesAndLeavesOutWhatIsNotThere) {
  const auto plan = read_param_headers(json(R"({"type":"object","properties":{
    "a":{"type":"object","properties":{"b":{"type":"integer","x-mcp-header":"B"}}},
    "c":{"type":"boolean","x-mcp-header":"C"},"d":{"type":"string","x-mcp-header":"D"},
    "x-mcp-header":{"type":"string"}}})"));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_THAT(param_headers(*plan, json(R"({"a":{"b":-7},"c":false,"d":null})")),
              ElementsAre(Pair("Mcp-Param-B", "-7"), Pair("Mcp-Param-C", "false")));
}

TEST(ParamHeaders, RefusesWhatBreaksTheRules) {
  for (const char* properties :
       {R"("a":{"type":"string","x-mcp-header":""})",
        R"("a":{"type":"string","x-mcp-header":"x y"})",
        R"("a":{"type":"string","x-mcp-header":"é"})", R"("a":{"type":"string","x-mcp-header":7})",
        R"("a":{"type":"number","x-mcp-header":"A"})",
        R"("a":{"type":"object","x-mcp-header":"A"})", R"("a":{"x-mcp-header":"A"})",
        R"("a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"})",
        R"("a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}})",
        R"("a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]})"})
    EXPECT_FALSE(read_param_headers(
        json(std::string(R"({"type":"object","properties":{)") + properties + "}}")))
        << properties;
  EXPECT_FALSE(read_param_headers(json(R"({"$defs":{"a":{"type":"string","x-mcp-header":"A"}}})")));
}

// ---- schemas -----------------------------------------------------------------------------------

/// Whether arguments pass the check that is made of a 2020-12 schema.
bool passes(const std::string& schema, const std::string& arguments) {
  const auto draft7 = draft7_schema(json(schema));
  EXPECT_TRUE(draft7) << schema;
  const auto check = SchemaCheck::compile(*draft7, schema);
  EXPECT_TRUE(check) << *draft7;
  return bool(check->check(arguments, 10'000));
}

TEST(SchemaTranslation, ChecksWhatBothDraftsCanSay) {
  const char* schema = R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
    "$defs":{"id":{"type":"integer","minimum":1}},"required":["a"],"additionalProperties":false,
    "properties":{"a":{"$ref":"#/$defs/id","maximum":5},
      "p":{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"integer"}},
      "q":{"type":"string"}},
    "dependentRequired":{"q":["p"]}})";
  EXPECT_TRUE(passes(schema, R"({"a":3})"));
  EXPECT_FALSE(passes(schema, R"({"a":0})"));
  EXPECT_FALSE(passes(schema, R"({"a":6})"));
  EXPECT_FALSE(passes(schema, R"({})"));
  EXPECT_FALSE(passes(schema, R"({"a":3,"z":1})"));
  EXPECT_TRUE(passes(schema, R"({"a":3,"p":["x",1,2]})"));
  EXPECT_FALSE(passes(schema, R"({"a":3,"p":[1]})"));
  EXPECT_FALSE(passes(schema, R"({"a":3,"p":["x","y"]})"));
  EXPECT_FALSE(passes(schema, R"({"a":3,"q":"x"})"));
}

TEST(SchemaTranslation, LeavesOutWhatItCannotSayOrMustNotRun) {
  EXPECT_TRUE(
      passes(R"({"type":"object","properties":{"a":{"type":"string","pattern":"^(a+)+$"}}})",
             R"({"a":"b"})"));
  EXPECT_TRUE(
      passes(R"({"type":"object","patternProperties":{"^x":{}},"additionalProperties":false})",
             R"({"xy":1})"));
  EXPECT_TRUE(passes(R"({"type":"object","unevaluatedProperties":false})", R"({"a":1})"));
  EXPECT_TRUE(passes(R"({"type":"object","properties":{"a":{"$ref":"#anchor"}}})", R"({"a":1})"));
  const auto check = SchemaCheck::compile(
      *draft7_schema(json(R"({"type":"object","properties":{"a":{"default":null}}})")));
  EXPECT_EQ(check->check("{}", 100)->parameters, "{}");  // the server knows its defaults
}

TEST(SchemaTranslation, EndsWhereReferencesGoRound) {
  EXPECT_TRUE(
      passes(R"({"type":"object","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},
    "properties":{"x":{"$ref":"#/$defs/a"}}})",
             R"({"x":1})"));
  EXPECT_TRUE(passes(R"({"type":"object","properties":{"x":{"$ref":"#"}}})", R"({"x":{"x":1}})"));
  std::string wide = R"({"type":"object","properties":{"x":{"$ref":"#/$defs/d0"}},"$defs":{)";
  for (int i = 0; i < 30; ++i) {
    const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"}";
    wide += "\"d" + std::to_string(i) + R"(":{"allOf":[)" + next + "," + next + "]},";
  }
  EXPECT_TRUE(passes(wide + R"("d30":{"type":"string"}}})", R"({"x":"y"})"));
}

TEST(SchemaTranslation, RefusesOtherDocumentsAndOtherThanObjects) {
  EXPECT_FALSE(
      draft7_schema(json(R"({"type":"object","properties":{"a":{"$ref":"http://h/s"}}})")));
  EXPECT_FALSE(draft7_schema(json(R"({"type":"object","$defs":{"a":{"$ref":"other.json"}}})")));
  EXPECT_FALSE(draft7_schema(json(R"({"type":"array"})")));
  EXPECT_FALSE(draft7_schema(json("true")));
}

// ---- definitions -------------------------------------------------------------------------------

TEST(SchemaTranslation, RefusesAReferenceToNothing) {
  const auto why = [](const char* reference) {
    return draft7_schema(
               Json::parse(R"({"type":"object","$defs":{"b":{}},"properties":{"a":{"$ref":")" +
                           std::string(reference) + R"("}}})"))
        .error()
        .message;
  };
  EXPECT_EQ(why("#/$defs/c"), "the input schema refers to a part that it doesn't have: #/$defs/c");
  EXPECT_EQ(why("#/properties/~"),
            "the input schema refers to a part that it doesn't have: #/properties/~");
  EXPECT_TRUE(draft7_schema(Json::parse(
      R"({"type":"object","$defs":{"b":{}},"properties":{"a":{"$ref":"#/$defs/b"},"c":{"$ref":"#"},"d":{"$ref":"#anchor"}}})")));
}

TEST(ToolDefinition, HashesWhatAModelAndAPolicyRelyOn) {
  const Json tool = json(R"({"name":"a","description":"d","inputSchema":{"type":"object"}})");
  const std::string hash = read_tool_definition(tool, true)->hash;
  Json reordered =
      json(R"({"inputSchema":{"type":"object"},"description":"d","name":"a","title":"t"})");
  EXPECT_EQ(read_tool_definition(reordered, true)->hash, hash);
  for (const char* change : {R"({"description":"e"})", R"({"annotations":{"readOnlyHint":true}})",
                             R"({"inputSchema":{"type":"object","title":"x"}})"}) {
    Json changed = tool;
    changed.merge_patch(json(change));
    EXPECT_NE(read_tool_definition(changed, true)->hash, hash) << change;
  }
}

TEST(ToolDefinition, ASchemaWithoutATypeIsThatOfAnObjectWhereItSaysNothingElse) {
  const auto read = [](const std::string& schema) {
    return read_tool_definition(json(R"({"name":"a","inputSchema":)" + schema + "}"), true);
  };
  for (const char* schema : {"{}", R"({"type":null})", R"({"properties":{}})",
                             R"({"title":"t","additionalProperties":false})",
                             R"({"properties":{"a":{"type":"string"}},"required":["a"]})",
                             R"({"properties":{"a":{}},"anyOf":[{"required":["a"]}]})"}) {
    const auto tool = read(schema);
    ASSERT_TRUE(tool) << schema;
    EXPECT_EQ(json(tool->input_schema).at("type"), "object") << schema;
    EXPECT_EQ(json(tool->check_schema).at("type"), "object") << schema;
  }
  const auto typed = read(R"({"properties":{"a":{"type":"string"}},"required":["a"]})");
  EXPECT_EQ(typed->input_schema,
            R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]})");
  for (const char* schema :
       {R"({"items":{}})", R"({"enum":[1]})", R"({"type":"string"})", R"({"anyOf":[{}]})", "[]",
        "true", "\"object\"", R"({"properties":1,"minLength":1})"})
    EXPECT_FALSE(read(schema)) << schema;
}

TEST(ToolDefinition, RefusesWhatCannotBeUsed) {
  EXPECT_FALSE(read_tool_definition(json(R"({"inputSchema":{"type":"object"}})"), true));
  EXPECT_FALSE(read_tool_definition(json(R"({"name":"a"})"), true));
  EXPECT_FALSE(read_tool_definition(
      json(
          R"({"name":"a","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}})"),
      true));
  const Json bad_header = json(
      R"({"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"number","x-mcp-header":"X"}}}})");
  EXPECT_FALSE(read_tool_definition(bad_header, true));
  EXPECT_TRUE(read_tool_definition(bad_header, false));  // a pipe has no headers
}

TEST(ToolDefinition, OnlyATrustedServersHintsCount) {
  ToolAnnotations reads;
  reads.read_only = true;
  ToolAnnotations repeats;
  repeats.idempotent = true;
  EXPECT_EQ(effect_of(reads, true), EffectClass::Pure);
  EXPECT_EQ(effect_of(repeats, true), EffectClass::Pure);
  EXPECT_EQ(effect_of({}, true), EffectClass::Once);
  EXPECT_EQ(effect_of(reads, false), EffectClass::Once);
  EXPECT_EQ(effect_of(repeats, false), EffectClass::Once);
}

TEST(ToolNaming, KeepsWhatFitsAndHashesWhatDoesNot) {
  EXPECT_EQ(exposed_name("fs", "read_file"), "fs_read_file");
  EXPECT_THAT(exposed_name("fs", "read.file"), MatchesRegex("fs_read_file_[0-9a-f]{8}"));
  EXPECT_NE(exposed_name("fs", "read.file"), exposed_name("fs", "read file"));
  EXPECT_EQ(exposed_name("fs", std::string(200, 'x')).size(), 64u);
  EXPECT_EQ(exposed_name("fs", "é"), exposed_name("fs", "é"));
}

// ---- results -----------------------------------------------------------------------------------

std::string data_of(const std::string& result) { return read_call_result(json(result)).data; }

std::string error_of(const std::string& result) {
  const RawToolResult read = read_call_result(json(result));
  EXPECT_TRUE(read.error) << result;
  return read.error ? read.error->message : "";
}

TEST(CallResult, TellsATextBesideStructuredContent) {
  EXPECT_EQ(
      data_of(R"({"content":[{"type":"text","text":"x"}],"structuredContent":{"b":1,"a":2}})"),
      R"({"content":"x","structured_content":{"b":1,"a":2}})");
  EXPECT_EQ(data_of(R"({"content":[{"type":"text","text":"{\"a\":1}"},
                       {"type":"text","text":"of 1905 rows the first"},
                       {"type":"image","mimeType":"image/png","data":"AAEC"}],
                       "structuredContent":{"a":1}})"),
            R"({"content":["of 1905 rows the first",{"type":"image","mime_type":"image/png",)"
            R"("bytes":3}],"structured_content":{"a":1}})");
}

TEST(CallResult, TellsStructuredContentOnceWhereATextRepeatsIt) {
  const std::string same = R"("structuredContent":{"b":1,"a":{"c":[2,3]}}})";
  for (const char* content :
       {R"([{"type":"text","text":"{ \"a\": {\"c\": [2, 3.0]},\n \"b\": 1 }"}])", "[]", "null",
        R"([{"type":"text","text":""}])"})
    EXPECT_EQ(data_of(std::string(R"({"content":)") + content + "," + same),
              R"({"b":1,"a":{"c":[2,3]}})")
        << content;
  EXPECT_EQ(data_of("{" + same), R"({"b":1,"a":{"c":[2,3]}})");
  EXPECT_EQ(
      data_of(R"({"content":[{"type":"text","text":"hi"}],"structuredContent":{"result":"hi"}})"),
      R"({"result":"hi"})");
  EXPECT_EQ(data_of(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"{\"n\":1}"}],
                       "structuredContent":{"result":["a",{"n":1}]}})"),
            R"({"result":["a",{"n":1}]})");
  EXPECT_EQ(data_of(R"({"content":[{"type":"text","text":"a"}],
                       "structuredContent":{"result":["a","b"]}})"),
            R"({"content":"a","structured_content":{"result":["a","b"]}})");
}

TEST(CallResult, ReadsWhyAToolFailedWhereverItStands) {
  EXPECT_EQ(
      error_of(R"({"isError":true,"content":[],"structuredContent":{"code":7,"why":"no row"}})"),
      R"({"code":7,"why":"no row"})");
  EXPECT_EQ(error_of(R"({"isError":true,"structuredContent":"no row"})"), R"("no row")");
  EXPECT_EQ(error_of(R"({"isError":true,"content":[{"type":"text","text":"It failed."}],
                        "structuredContent":{"why":"no row"}})"),
            "It failed.\n{\"why\":\"no row\"}");
  EXPECT_EQ(error_of(R"({"isError":true,"content":[{"type":"text","text":"{\"why\": \"x\"}"}],
                        "structuredContent":{"why":"x"}})"),
            R"({"why":"x"})");
  for (const char* nothing :
       {R"({"isError":true,"content":[{"type":"text","text":" \n"}]})",
        R"({"isError":true,"content":null,"structuredContent":null})",
        R"({"isError":true,"content":[{"type":"text","text":""}],"structuredContent":{}})"})
    EXPECT_EQ(error_of(nothing), "the tool failed and said nothing of why") << nothing;
}

TEST(CallResult, LosesNoContentThatHasAnotherForm) {
  EXPECT_EQ(data_of(R"({"content":"x"})"), R"("x")");
  EXPECT_EQ(data_of(R"({"content":["x",{"type":"text","text":"y"}]})"), R"("x\ny")");
  EXPECT_EQ(data_of(R"({"content":{"type":"text","text":"x"}})"), R"("x")");
  EXPECT_EQ(data_of(R"({"content":[{"type":"text","text":{"a":1}}]})"), R"("{\"a\":1}")");
  EXPECT_EQ(data_of(R"({"content":[{"type":"note","text":"x"}]})"),
            R"([{"type":"note","text":"x"}])");
  EXPECT_EQ(data_of(R"({"content":[{"type":"resource_link","uri":"a:b","name":"n",
                       "title":"A title","description":"What it is"}]})"),
            R"([{"type":"resource_link","uri":"a:b","name":"n","title":"A title",)"
            R"("description":"What it is"}])");
}

TEST(CallResult, KeepsTheJoinersThatScriptsAndEmojiAreWrittenWith) {
  const std::string text = "می\u200cخواهم \U0001f468\u200d\U0001f469";
  EXPECT_EQ(
      error_of(Json{{"isError", true}, {"content", {{{"type", "text"}, {"text", text}}}}}.dump()),
      text);
}

TEST(CallResult, JoinsTextsAndDescribesTheRest) {
  EXPECT_EQ(read_call_result(
                json(R"({"content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]})"))
                .data,
            R"("x\ny")");
  EXPECT_EQ(read_call_result(json(R"({"content":[{"type":"text","text":"x"},
      {"type":"image","mimeType":"image/png","data":"AAECAw=="},
      {"type":"resource_link","uri":"file:///a","name":"a","size":9},
      {"type":"resource","resource":{"uri":"b://c","mimeType":"text/plain","text":"hey"}},
      {"type":"resource","resource":{"uri":"b://d","blob":"AAEC"}},{"type":"new"},7]})"))
                .data,
            R"(["x",{"type":"image","mime_type":"image/png","bytes":4},)"
            R"({"type":"resource_link","uri":"file:///a","name":"a","bytes":9},)"
            R"({"type":"resource","uri":"b://c","mime_type":"text/plain","text":"hey","bytes":3},)"
            R"({"type":"resource","uri":"b://d","bytes":3},{"type":"new"},{"type":"unknown"}])");
  EXPECT_EQ(read_call_result(json("{}")).data, "[]");
}

TEST(CallResult, TellsNoMoreThanAThousandItems) {
  Json content = Json::array();
  for (int i = 0; i < 1500; ++i) content.push_back({{"type", "text"}, {"text", "x"}});
  const Json data = json(read_call_result({{"content", content}}).data);
  EXPECT_EQ(data.size(), kContentItemsMax + 1);
  EXPECT_EQ(data.back()["items"], 500);
}

TEST(CallResult, AToolsOwnErrorIsBoundedAndNeedsAPerson) {
  const RawToolResult result = read_call_result(
      {{"isError", true}, {"content", {{{"type", "text"}, {"text", std::string(100'000, 'x')}}}}});
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->type, ToolErrorType::ExecutionError);
  EXPECT_LE(result.error->message.size(), kErrorBytesMax + 3);
  EXPECT_THAT(read_call_result({{"isError", true}}).error->message, HasSubstr("said nothing"));
}

}  // namespace
}  // namespace ba::mcp
