// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/llm/protocol_fixture.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/reply_draft.hpp"

namespace ba::llm {
namespace {

using nlohmann::json;

class AnthropicReply : public ProtocolFixture {
 protected:
  AnthropicReply() : ProtocolFixture(&anthropic_protocol()) {}

  static std::string message(
      const std::string& content, const std::string& stop,
      const std::string& usage = R"({"input_tokens":10,"output_tokens":5})") {
    return R"({"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":)" +
           content + R"(,"stop_reason":")" + stop + R"(","stop_sequence":null,"usage":)" + usage +
           "}";
  }

  static std::string event(const std::string& data) {
    return "event: " + json::parse(data)["type"].get<std::string>() + "\ndata: " + data + "\n\n";
  }
};

using AnthropicReplyOfAny = WithAnyServer<AnthropicReply>;
INSTANTIATE_TEST_SUITE_P(Quirks, AnthropicReplyOfAny, ::testing::ValuesIn(every_quirk()),
                         quirk_name);

constexpr const char* kTextBlock = R"([{"type":"text","text":"Hello"}])";

TEST_P(AnthropicReplyOfAny, ReadsAnAnswer) {
  const auto result = read(message(kTextBlock, "end_turn", R"({"input_tokens":10,
    "cache_creation_input_tokens":20,"cache_read_input_tokens":30,"output_tokens":5,
    "output_tokens_details":{"thinking_tokens":2},"service_tier":"standard"})"));
  ASSERT_TRUE(result);
  const ModelReply& reply = result->reply;
  EXPECT_EQ(reply.message.text, "Hello");
  EXPECT_EQ(reply.stop, StopReason::EndTurn);
  EXPECT_EQ(reply.raw_stop, "end_turn");
  EXPECT_EQ(reply.model, "claude-x");
  EXPECT_EQ(reply.provider_request_id, "msg_1");
  EXPECT_EQ(reply.message.usage, (Usage{10, 30, 20, 5, 2}));
  EXPECT_TRUE(result->usage_known);
  EXPECT_FALSE(reply.message.extra);
}

TEST_P(AnthropicReplyOfAny, KeepsArgumentsByteForByte) {
  const auto result = read(message(
      R"([{"type":"text","text":"I look."},{"type":"tool_use","id":"toolu_1","name":"q","input":{ "sql" : "caf\u00e9" }}])",
      "tool_use"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->reply.stop, StopReason::ToolUse);
  ASSERT_EQ(result->reply.message.tool_calls.size(), 1U);
  const ToolCall& call = result->reply.message.tool_calls[0];
  EXPECT_EQ(call.id.value, "toolu_1");
  EXPECT_EQ(call.name, "q");
  EXPECT_EQ(call.args_json, R"({ "sql" : "caf\u00e9" })");
  EXPECT_TRUE(call.valid());
  EXPECT_FALSE(result->reply.message.extra);
}

TEST_P(AnthropicReplyOfAny, KeepsTheContentUntouchedWhenTheNeutralMessageCanNotSayIt) {
  const std::vector<std::string> contents = {
      R"([{"type":"thinking","thinking":"h\u006d","signature":"Eq=="},{"type":"text","text":"x"}])",
      R"([{"type":"redacted_thinking","data":"zz"}])",
      R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])",
      R"([{"type":"text","text":"a","citations":[{"x":1}]}])",
      R"([{"type":"server_tool_use","id":"s","name":"web_search","input":{}}])"};
  for (const std::string& content : contents) {
    const auto result = read(message(content, "end_turn"));
    ASSERT_TRUE(result);
    ASSERT_TRUE(result->reply.message.extra) << content;
    EXPECT_EQ(result->reply.message.extra->provider, "anthropic/p");
    EXPECT_EQ(result->reply.message.extra->json, content);
  }
  EXPECT_EQ(read(message(contents[0], "end_turn"))->reply.message.thinking, "hm");
  EXPECT_EQ(read(message(contents[2], "end_turn"))->reply.message.text, "ab");
}

TEST_P(AnthropicReplyOfAny, MapsStopReasons) {
  const std::vector<std::pair<std::string, StopReason>> rows = {
      {"end_turn", StopReason::EndTurn},
      {"stop_sequence", StopReason::EndTurn},
      {"max_tokens", StopReason::MaxTokens},
      {"refusal", StopReason::Refusal},
      {"model_context_window_exceeded", StopReason::MaxTokens},
      {"pause_turn", StopReason::Other}};
  for (const auto& [raw, stop] : rows) {
    const auto result = read(message(kTextBlock, raw));
    ASSERT_TRUE(result);
    EXPECT_EQ(result->reply.stop, stop) << raw;
    EXPECT_EQ(result->reply.raw_stop, raw);
  }
  expect_malformed(read(message(kTextBlock, "something_new")), "something_new");
  EXPECT_EQ(read(message("[]", "model_context_window_exceeded"))->reply.stop,
            StopReason::ContextExceeded);
}

TEST_F(AnthropicReply, TakesCallsThatAreWholeUnlessTheReplyWasCut) {
  const std::string call = R"([{"type":"tool_use","id":"t","name":"q","input":{}}])";
  EXPECT_EQ(read(message(call, "max_tokens"))->reply.stop, StopReason::MaxTokens);
  EXPECT_EQ(read(message(call, "model_context_window_exceeded"))->reply.stop,
            StopReason::MaxTokens);
  EXPECT_EQ(read(message(call, "refusal"))->reply.stop, StopReason::Refusal);
  EXPECT_EQ(read(message(call, "end_turn"))->reply.stop, StopReason::ToolUse);
  EXPECT_EQ(read(message(call, "something_new"))->reply.stop, StopReason::ToolUse);
  const std::string unreadable = R"([{"type":"tool_use","id":"t","name":"q","input":"{"}])";
  expect_malformed(read(message(unreadable, "something_new")), "something_new");
  expect_malformed(read(message(kTextBlock, "tool_use")), "no call");
}

TEST_P(AnthropicReplyOfAny, RefusesMalformedReplies) {
  limits_.tool_calls_max = 2;
  const auto calls = [](const std::vector<std::string>& list) {
    std::string content;
    for (const std::string& call : list) content += (content.empty() ? "" : ",") + call;
    return message("[" + content + "]", "tool_use");
  };
  const std::string a = R"({"type":"tool_use","id":"a","name":"q","input":{}})";
  const std::string b = R"({"type":"tool_use","id":"b","name":"q","input":{}})";
  const std::string c = R"({"type":"tool_use","id":"c","name":"q","input":{}})";
  EXPECT_TRUE(read(calls({a, b})));
  expect_malformed(read(calls({a, b, c})), "tool_calls_max");
  expect_malformed(read(calls({a, a})), "id a");
  expect_malformed(read(calls({R"({"type":"tool_use","name":"q","input":{}})"})), "no id");
  expect_malformed(read(calls({R"({"type":"tool_use","id":"a","input":{}})"})), "no name");
  expect_malformed(read(message(R"([{"type":"text","text":"a\u0000b"}])", "end_turn")), "NUL");
  expect_malformed(read("<html><body>Bad gateway</body></html>"), "an HTML page");
  expect_malformed(read(""), "empty");
  expect_malformed(read(R"({"id":"x")"), "not JSON");
  expect_malformed(read(calls({R"({"type":"tool_use","id":"a","name":"q","input":{"k":1e4000}})"})),
                   "a number beyond 10^1000");
  expect_malformed(read(R"({"id":"x","content":"text"})"), "content");
  expect_malformed(read(R"({"id":"x","content":["text"]})"), "block");
  expect_malformed(read("[1]"), "content");
}

TEST_P(AnthropicReplyOfAny, LetsTheModelReadThatItsArgumentsAreTooLong) {
  limits_.tool_args_bytes_max = 20;
  const auto reply =
      read(message(R"([{"type":"tool_use","id":"a","name":"q","input":{"k":"xxxxxxxxxxxx"}},)"
                   R"({"type":"tool_use","id":"b","name":"q","input":{"k":"xxxxxxxxxxxé"}}])",
                   "tool_use"));
  ASSERT_TRUE(reply);
  const ToolCall& fits = reply->reply.message.tool_calls.at(0);
  EXPECT_TRUE(fits.valid());
  const ToolCall& call = reply->reply.message.tool_calls.at(1);
  EXPECT_EQ(call.args_error, "the arguments have 21 bytes; at most 20 are allowed");
  EXPECT_EQ(call.args_json, "{}");
  EXPECT_EQ(call.invalid_args, R"({"k":"xxxxxxxxxxxé")");
}

TEST_P(AnthropicReplyOfAny, LetsTheModelReadWhyItsArgumentsWereRefused) {
  for (const auto& [input, reason] : std::vector<std::pair<std::string, std::string>>{
           {"[1]", "must be a JSON object, not an array"},
           {"\"x\"", "must be a JSON object, not a string"},
           {"7", "must be a JSON object, not a number"},
           {R"({"k":"a\\\u0000b"})", "a NUL character"}}) {
    const auto result = read(
        message(R"([{"type":"tool_use","id":"a","name":"q","input":)" + input + "}]", "tool_use"));
    ASSERT_TRUE(result);
    const ToolCall& call = result->reply.message.tool_calls.at(0);
    EXPECT_EQ(call.args_json, "{}");
    EXPECT_EQ(call.invalid_args, input);
    EXPECT_NE(call.args_error.find(reason), std::string::npos) << call.args_error;
  }
}

TEST_P(AnthropicReplyOfAny, DoesNotKnowTheCostWithoutUsage) {
  EXPECT_FALSE(read(message(kTextBlock, "end_turn", "null"))->usage_known);
  const auto odd =
      read(message(kTextBlock, "end_turn", R"({"input_tokens":-5,"output_tokens":"7"})"));
  EXPECT_FALSE(odd->usage_known);
  EXPECT_EQ(odd->reply.message.usage, Usage{});
}

TEST_P(AnthropicReplyOfAny, IgnoresACountThatNoCallCanHave) {
  const auto most = read(
      message(kTextBlock, "end_turn", R"({"input_tokens":100000000,"output_tokens":100000001})"));
  EXPECT_EQ(most->reply.message.usage.input_tokens, 100'000'000);
  EXPECT_EQ(most->reply.message.usage.output_tokens, 0);
}

std::string streamed_call() {
  const std::vector<std::string> events = {
      R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"cache_read_input_tokens":7,"output_tokens":1}}})",
      R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
      R"({"type":"ping"})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Ich se"}})",
      R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"he nach für dich 😀."}})",
      R"({"type":"content_block_stop","index":0})",
      R"({"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"q","input":{}}})",
      R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}})",
      R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"sql\": \"SEL"}})",
      R"({"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"ECT 1\"}"}})",
      R"({"type":"content_block_stop","index":1})",
      R"({"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":15}})",
      R"({"type":"message_stop"})"};
  std::string bytes;
  for (const std::string& data : events)
    bytes += "event: " + json::parse(data)["type"].get<std::string>() + "\ndata: " + data + "\n\n";
  return bytes;
}

TEST_P(AnthropicReplyOfAny, ReadsAStreamHoweverItIsCut) {
  const std::string bytes = streamed_call();
  for (std::size_t piece = 1; piece < 60; ++piece) {
    const auto result = stream(bytes, piece);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->reply.message.text, "Ich sehe nach für dich 😀.");
    ASSERT_EQ(result->reply.message.tool_calls.size(), 1U);
    EXPECT_EQ(result->reply.message.tool_calls[0].args_json, R"({"sql": "SELECT 1"})");
    EXPECT_EQ(result->reply.stop, StopReason::ToolUse);
    EXPECT_EQ(result->reply.message.usage, (Usage{25, 7, 0, 15, 0}));
    EXPECT_EQ(result->reply.provider_request_id, "msg_1");
    EXPECT_FALSE(result->reply.message.extra);
  }
}

TEST_P(AnthropicReplyOfAny, RefusesAStreamThatEndsAtAnyByteBeforeTheStopReason) {
  const std::string bytes = streamed_call();
  const std::size_t last_word = bytes.find("event: message_stop");
  for (std::size_t size = 0; size < last_word; ++size)
    expect_malformed(stream(bytes.substr(0, size)), "ended before");
  EXPECT_TRUE(stream(bytes.substr(0, last_word)));
}

TEST_P(AnthropicReplyOfAny, AssemblesStreamedThinkingForTheWayBack) {
  const std::string bytes =
      event(
          R"({"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":1}}})") +
      event(
          R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":"","odd":[1]}})") +
      event(
          R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"h\"m"}})") +
      event(
          R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Eq=="}})") +
      event(
          R"({"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"zz"}})") +
      event(
          R"({"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}})") +
      event(
          R"({"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"x"}})") +
      event(
          R"({"type":"content_block_delta","index":2,"delta":{"type":"citations_delta","citation":{"c":1}}})") +
      event(
          R"({"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"t","name":"q","input":{}}})") +
      event(
          R"({"type":"content_block_delta","index":3,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}})") +
      event(
          R"({"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":9}})") +
      event(R"({"type":"message_stop"})");
  const auto result = stream(bytes);
  ASSERT_TRUE(result) << result.error().message;
  const AiMessage& message = result->reply.message;
  EXPECT_EQ(message.thinking, "h\"m");
  ASSERT_TRUE(message.extra);
  EXPECT_EQ(json::parse(message.extra->json), json::parse(R"([
    {"type":"thinking","odd":[1],"thinking":"h\"m","signature":"Eq=="},
    {"type":"redacted_thinking","data":"zz"},
    {"type":"text","text":"x","citations":[{"c":1}]},
    {"type":"tool_use","id":"t","name":"q","input":{}}])"));
  EXPECT_EQ(message.tool_calls[0].invalid_args, "{\"a\":");
  EXPECT_EQ(result->reply.stop, StopReason::MaxTokens);
}

/// The provider writes such a block and refuses it in the next request.
TEST_P(AnthropicReplyOfAny, KeepsNoTextBlockWithoutText) {
  const std::string thinking = R"({"type":"thinking","thinking":"I look.","signature":"U0lH"})";
  const std::string call = R"({"type":"tool_use","id":"t","name":"q","input":{"sql":"SELECT 1"}})";
  for (const char* empty : {R"({"type":"text","text":""})", R"({"type":"text","text":" \n"})"}) {
    const auto whole = read(message("[" + thinking + "," + empty + "," + call + "]", "tool_use"));
    ASSERT_TRUE(whole->reply.message.extra);
    EXPECT_EQ(whole->reply.message.extra->json, "[" + thinking + "," + call + "]");
  }
  const auto streamed = stream(
      event(R"({"type":"message_start","message":{"id":"m","usage":{"input_tokens":1}}})") +
      event(
          R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})") +
      event(
          R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"I look."}})") +
      event(
          R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"U0lH"}})") +
      event(
          R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})") +
      event(R"({"type":"content_block_start","index":2,"content_block":)" + call + "}") +
      event(
          R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}})"));
  ASSERT_TRUE(streamed) << streamed.error().message;
  EXPECT_EQ(json::parse(streamed->reply.message.extra->json),
            json::parse("[" + thinking + "," + call + "]"));
}

TEST_P(AnthropicReplyOfAny, TakesAnInputThatComesWholeOrBehindAPlaceholder) {
  const auto arguments = [&](const std::string& input, const std::vector<std::string>& pieces) {
    std::string bytes =
        event(R"({"type":"message_start","message":{"id":"m","usage":{"input_tokens":1}}})") +
        event(
            R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"q","input":)" +
            input + "}}");
    for (const std::string& piece : pieces)
      bytes += event(
          R"({"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":)" +
          json(piece).dump() + "}}");
    bytes += event(
        R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}})");
    const auto result = stream(bytes);
    return result ? result->reply.message.tool_calls.at(0).args_json : result.error().message;
  };
  EXPECT_EQ(arguments("{}", {"{\"a\":", "1}"}), R"({"a":1})");
  EXPECT_EQ(arguments(R"({"a":1})", {""}), R"({"a":1})");
  EXPECT_EQ(arguments(R"({"a":1})", {}), R"({"a":1})");
  EXPECT_EQ(arguments("{}", {"{}", "{\"a\":", "1}"}), R"({"a":1})");
  EXPECT_EQ(arguments("{}", {"", "{\"a\":1}"}), R"({"a":1})");
  EXPECT_EQ(arguments("{}", {""}), "{}");
  EXPECT_EQ(arguments("{}", {"{}", ""}), "{}");
}

TEST_P(AnthropicReplyOfAny, TakesWhatServersSayInManyWays) {
  const std::string begin =
      event(R"({"type":"message_start","message":{"id":"m","usage":{"input_tokens":100000}}})");
  const std::string text = event(
      R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"It is 42."}})");
  const std::string end =
      event(
          R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":0,"output_tokens":5}})") +
      event(R"({"type":"message_delta","delta":{"stop_reason":""},"usage":{"output_tokens":0}})");
  // Nothing said, words for "still here", another protocol's end, types by the event's name alone.
  const std::string untyped =
      "event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"},"
      "\"usage\":{\"output_tokens\":5}}\n\n";
  const auto all_cached = stream(
      begin + text +
      event(
          R"({"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":0,"cache_read_input_tokens":100000,"output_tokens":5}})"));
  EXPECT_EQ(all_cached->reply.message.usage, (Usage{0, 100'000, 0, 5, 0})) << "a real zero";
  EXPECT_EQ(stream(begin + text + event(R"({"type":"message_stop"})"))->reply.message.text,
            "It is 42.");
  const auto refused = stream("data: {\"code\":\"InvalidApiKey\",\"message\":\"No key\"}\n\n");
  EXPECT_EQ(refused.error().code, ErrorCode::Authentication);
  EXPECT_NE(stream(event(R"({"type":"error","message":"busy"})")).error().message.find("busy"),
            std::string::npos);
  for (const std::string& bytes :
       {begin + "data:\n\n" + text + "data: \n\n" + end, begin + "data: ping\n\n" + text + end,
        begin + text + end + "data: [DONE]\n\n", begin + text + untyped}) {
    const auto result = stream(bytes);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->reply.message.text, "It is 42.");
    EXPECT_EQ(result->reply.stop, StopReason::EndTurn);
    EXPECT_EQ(result->reply.message.usage, (Usage{100'000, 0, 0, 5, 0})) << "a later zero";
  }
}

TEST_P(AnthropicReplyOfAny, ReportsAnErrorInsideAStream) {
  const auto result = stream(
      event(R"({"type":"message_start","message":{"id":"m","model":"x","usage":{}}})") +
      event(R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::Overloaded);
  EXPECT_EQ(result.error().retry, Retry::Later);
  EXPECT_TRUE(result.error().maybe_done);
  EXPECT_EQ(result.error().detail, "529 overloaded_error");
}

/// It was paid; what it says of lengths is worth as much.
TEST_P(AnthropicReplyOfAny, KeepsTheNumbersOfAContextThatGotFullInsideAStream) {
  const auto result = stream(
      event(R"({"type":"message_start","message":{"id":"m","model":"x","usage":{}}})") +
      event(
          R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"Hm.","signature":""}})") +
      event(
          R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}})"));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->reply.stop, StopReason::ContextExceeded);
  EXPECT_FALSE(result->reply.refused);
  EXPECT_EQ(result->reply.told, (ContextRefusal{200'000, 210'000, false}));
}

TEST_P(AnthropicReplyOfAny, RefusesMalformedStreams) {
  const std::string start =
      event(R"({"type":"message_start","message":{"id":"m","model":"x","usage":{}}})");
  expect_malformed(stream(start + "data: {\"type\":\n\n"), "not JSON");
  expect_malformed(
      stream(start +
             event(R"({"type":"content_block_start","index":1,"content_block":{"type":"text"}})")),
      "next is 0");
  expect_malformed(
      stream(start + event(R"({"type":"content_block_delta","index":0,"delta":{"text":"a"}})")),
      "not started");
  expect_malformed(
      stream(start + event(R"({"type":"content_block_start","index":0,"content_block":7})")),
      "not an object");
  EXPECT_TRUE(stream(start + event(R"({"type":"brand_new_event","x":1})") +
                     event(R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})")));
}

TEST_P(AnthropicReplyOfAny, ReadsFailures) {
  const auto fail = [&](int status, const std::string& body) {
    return read_failure(status, body, context());
  };
  const auto overloaded = fail(
      529,
      R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"})");
  EXPECT_EQ(overloaded.error().code, ErrorCode::Overloaded);
  EXPECT_EQ(overloaded.error().message, "HTTP 529 overloaded_error: Overloaded");
  const auto spent = fail(
      429,
      R"({"type":"error","error":{"type":"rate_limit_error","message":"m","details":{"error_code":"enforced_spend_limit_reached"}}})");
  EXPECT_EQ(spent.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(spent.error().retry, Retry::Never);
  const auto long_prompt = fail(
      400,
      R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}})");
  ASSERT_TRUE(long_prompt);
  EXPECT_EQ(long_prompt->reply.stop, StopReason::ContextExceeded);
  const auto html = fail(413, "<html><h1>413 Payload Too Large</h1></html>");
  EXPECT_EQ(html.error().code, ErrorCode::LimitExceeded);
  EXPECT_EQ(html.error().message, "HTTP 413: an HTML page");
}

TEST_P(AnthropicReplyOfAny, RoundTripsAHistory) {
  provider_.prompt_cache = false;
  const std::string content =
      R"([{"type":"thinking","thinking":"hm","signature":"Eq=="},{"type":"text","text":"I look."},)"
      R"({"type":"tool_use","id":"toolu_1","name":"query_database","input":{"sql":"SELECT 1"}}])";
  const auto reply = read(message(content, "tool_use"));
  ASSERT_TRUE(reply);
  auto request = TestRequest().human("q").ai(reply->reply.message).tool("toolu_1", "1");
  EXPECT_EQ(written(request)["messages"][1]["content"], json::parse(content));
}

}  // namespace
}  // namespace ba::llm
