// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/langchain_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "pipeline/text/message/json_text.hpp"
#include "pipeline/text/message/validate.hpp"
#include "tests/pipeline/text/message/random_message.hpp"
#include "tests/pipeline/text/message/sample_history.hpp"

namespace ba {
namespace {

using testing::HasSubstr;

std::string error_of(std::string_view json) {
  const auto message = message_from_json(json);
  return message ? "" : message.error().message;
}

TEST(LangchainJson, RandomMessagesComeBackUnchanged) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    const Message message = test::RandomMessages(seed).next();
    const auto valid = validate_message(message);
    ASSERT_TRUE(valid) << "seed " << seed << ": " << valid.error().message;
    const std::string json = message_to_json(message);
    ASSERT_TRUE(is_json_object(json)) << "seed " << seed << ": " << json;
    const auto back = message_from_json(json);
    ASSERT_TRUE(back) << "seed " << seed << ": " << back.error().message << "\n" << json;
    ASSERT_EQ(*back, message) << "seed " << seed << ": " << json;
  }
}

TEST(LangchainJson, WritesTheShapeThatLangchainReads) {
  AiMessage message;
  message.meta.message_id = MessageId("j/0/1");
  message.meta.conversation_id = ConversationId("c");
  message.meta.round_id = "j/0";
  message.text = "Let me look.";
  message.thinking = "hm";
  message.tool_calls = {{ToolCallId("t1"), "query_database", R"({"sql": "SELECT 1"})", "", ""}};
  message.usage = {10, 20, 30, 5, 2};
  EXPECT_EQ(
      message_to_json(message),
      R"({"type":"ai","data":{"content":"Let me look.","additional_kwargs":{"reasoning_content":"hm",)"
      R"("ba":{"conversation_id":"c","round_id":"j/0","timestamp":"1970-01-01T00:00:00.000000Z",)"
      R"("schema_version":"2.1"}},"response_metadata":{},"type":"ai","name":null,"id":"j/0/1",)"
      R"("tool_calls":[{"name":"query_database","args":{"sql": "SELECT 1"},"id":"t1",)"
      R"("type":"tool_call"}],"invalid_tool_calls":[],"usage_metadata":{"input_tokens":60,)"
      R"("output_tokens":5,"total_tokens":65,"input_token_details":{"cache_read":20,)"
      R"("cache_creation":30},"output_token_details":{"reasoning":2}}}})");
}

TEST(LangchainJson, ReadsWhatLangchainWroteItself) {
  const auto message = message_from_json(
      R"({"type": "ai", "data": {"content": [{"type": "thinking", "thinking": "hm",
          "signature": "xyz"}, {"type": "text", "text": "Hi"}], "additional_kwargs": {},
          "response_metadata": {"model": "m"}, "type": "ai", "name": null, "id": null,
          "tool_calls": [{"name": "f", "args": {"x": 1}, "id": "a", "type": "tool_call"}],
          "invalid_tool_calls": [{"name": "g", "args": "{oops", "id": "b", "error": null,
          "type": "invalid_tool_call"}], "usage_metadata": null}})");
  ASSERT_TRUE(message) << message.error().message;
  const auto& ai = std::get<AiMessage>(*message);
  EXPECT_EQ(ai.text, "Hi");
  EXPECT_EQ(ai.thinking, "hm");
  ASSERT_EQ(ai.tool_calls.size(), 2U);
  EXPECT_EQ(ai.tool_calls[0].args_json, R"({"x": 1})");
  EXPECT_FALSE(ai.tool_calls[1].valid());
  EXPECT_EQ(ai.tool_calls[1].invalid_args, "{oops");
}

// The file is what langchain-core 1.7.2 made of messages_to_json(sample_history()):
// messages_to_dict(messages_from_dict(json.load(...))), written by json.dump(ensure_ascii=False).
TEST(LangchainJson, ComesBackUnchangedThroughLangchain) {
  std::ifstream file("tests/pipeline/text/message/langchain_export.json");
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  const auto messages = messages_from_json(json);
  ASSERT_TRUE(messages) << messages.error().message;
  EXPECT_EQ(*messages, test::sample_history());
}

TEST(LangchainJson, RefusesWhatIsNoMessageAndNamesTheField) {
  EXPECT_THAT(error_of("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of("{\"type\":\"human\""), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of(R"({"type":"human"})"), HasSubstr("data must not be missing"));
  EXPECT_THAT(error_of(R"({"type":"human","data":1})"), HasSubstr("data must be an object"));
  EXPECT_THAT(error_of(R"({"type":"function","data":{}})"), HasSubstr("type must be system"));
  EXPECT_THAT(error_of(R"({"type":"human","data":{"content":1}})"), HasSubstr("data.content"));
  EXPECT_THAT(error_of(R"({"type":"human","data":{"content":"\u0000"}})"),
              HasSubstr("data.content must be a string without NUL"));
  EXPECT_THAT(error_of(R"({"type":"tool","data":{"content":""}})"),
              HasSubstr("data.tool_call_id must not be missing"));
  EXPECT_THAT(error_of(R"({"type":"tool","data":{"content":"","tool_call_id":"a","status":"x"}})"),
              HasSubstr("data.status must be success or error"));
  EXPECT_THAT(error_of(R"({"type":"ai","data":{"content":"","tool_calls":[{"id":"a"}]}})"),
              HasSubstr("data.tool_calls[0].args must be an object"));
  EXPECT_THAT(error_of(R"({"type":"ai","data":{"content":"","tool_calls":[{"args":{}}]}})"),
              HasSubstr("data.tool_calls[0].id must not be missing"));
}

TEST(LangchainJson, RefusesAPlaceOfAnInvalidCallThatIsNone) {
  const auto at = [](const std::string& positions) {
    return R"({"type":"ai","data":{"content":"","additional_kwargs":{"ba":{"invalid_positions":)" +
           positions +
           R"(}},"tool_calls":[{"name":"f","args":{},"id":"a"}],"invalid_tool_calls":[)"
           R"({"name":"g","args":"{","id":"b"},{"name":"g","args":"[","id":"c"}]}})";
  };
  const auto ids_at = [&](const std::string& positions) {
    const auto message = message_from_json(at(positions));
    EXPECT_TRUE(message) << message.error().message;
    std::string ids;
    for (const ToolCall& call : std::get<AiMessage>(*message).tool_calls) ids += call.id.value;
    return ids;
  };
  EXPECT_EQ(ids_at("[0,1]"), "bca");
  EXPECT_EQ(ids_at("[0,2]"), "bac");
  EXPECT_EQ(ids_at("[1]"), "abc") << "without a place it comes last";
  const std::string path = "data.additional_kwargs.ba.invalid_positions";
  for (const char* bad : {"[2,0]", "[-1,0]", "[\"0\",1]", "[0.5,1]", "[null,1]", "[1e99,0]"})
    EXPECT_THAT(error_of(at(bad)), HasSubstr(path + "[0] must be a place from 0 to 1")) << bad;
  EXPECT_THAT(error_of(at("[0,3]")), HasSubstr(path + "[1] must be a place from 0 to 2"));
  EXPECT_THAT(error_of(at("{}")), HasSubstr(path + " must be an array"));
}

TEST(LangchainJson, RefusesANewerMajorVersion) {
  const auto with_version = [](const std::string& version) {
    return R"({"type":"human","data":{"content":"x","additional_kwargs":{"ba":{"schema_version":")" +
           version + R"("}}}})";
  };
  EXPECT_EQ(error_of(with_version("2.1")), "");
  EXPECT_EQ(error_of(with_version("2.9")), "");
  EXPECT_THAT(error_of(with_version("3.0")),
              HasSubstr("schema_version \"3.0\" is newer than this program reads (2.1)"));
  EXPECT_THAT(error_of(with_version("1.7")), HasSubstr("Cannot migrate from 1.7 to 2.1"));
  for (const char* bad : {"2", "2.", ".1", "two.1", "2.x", "-1.0", "2.1.0"})
    EXPECT_THAT(error_of(with_version(bad)), HasSubstr("is not of the form major.minor")) << bad;
}

TEST(LangchainJson, ListsComeBackAndErrorsNameTheElement) {
  std::vector<Message> messages;
  test::RandomMessages random(7);
  for (int i = 0; i < 20; ++i) messages.push_back(random.next());
  const auto back = messages_from_json(messages_to_json(messages));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, messages);
  EXPECT_THAT(
      messages_from_json(R"([{"type":"human","data":{}},{"type":"x","data":{}}])").error().message,
      HasSubstr("messages[1]: type must be"));
}

TEST(LangchainJson, OnlyAnArrayIsAListOfMessages) {
  EXPECT_TRUE(messages_from_json(" [ ] ").value().empty());
  for (const char* text : {"", "{}", "null", "\xef\xbb\xbf[]", "[1]"})
    EXPECT_FALSE(messages_from_json(text)) << text;
}

TEST(LangchainJson, MutatedTextIsAMessageOrAnError) {
  const std::string whole = message_to_json(test::sample_history()[2]);
  constexpr std::string_view kPieces = "{}[]\",:\\u0e-+.tn \xff";
  for (unsigned seed = 0; seed < 10000; ++seed) {
    std::mt19937 random(seed);
    std::string text = whole;
    for (unsigned edits = 1 + random() % 3; edits > 0; --edits)
      text[random() % text.size()] = kPieces[random() % kPieces.size()];
    if (const auto message = message_from_json(text)) {
      ASSERT_TRUE(message_from_json(message_to_json(*message))) << "seed " << seed << ": " << text;
    }
  }
}

}  // namespace
}  // namespace ba
