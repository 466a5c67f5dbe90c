#pragma once
// SPDX-License-Identifier: Apache-2.0
// Responses in the pieces that tests put together.

#include "tests/worker/llm/protocol_fixture.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba::llm {

class OpenaiResponsesFixture : public ProtocolFixture {
 protected:
  OpenaiResponsesFixture() : ProtocolFixture(&openai_responses_protocol()) {}

  static std::string response(
      const std::string& items, const std::string& status = "completed",
      const std::string& more = R"("usage":{"input_tokens":10,"output_tokens":5})") {
    return R"({"id":"resp_1","object":"response","model":"gpt-x","status":")" + status +
           R"(","output":[)" + items + "]," + more + "}";
  }

  static std::string incomplete(const std::string& items, const std::string& reason) {
    return response(items, "incomplete", R"("incomplete_details":{"reason":")" + reason + "\"}");
  }

  static std::string message(const std::string& text) {
    return R"({"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[)"
           R"({"type":"output_text","annotations":[],"logprobs":[],"text":")" +
           text + "\"}]}";
  }

  static std::string refusal(const std::string& text) {
    return R"({"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[)"
           R"({"type":"refusal","refusal":")" +
           text + "\"}]}";
  }

  /// `arguments` is JSON: usually a string.
  static std::string call(const std::string& id, const std::string& arguments) {
    return R"({"id":"fc_)" + id + R"(","type":"function_call","status":"completed","call_id":")" +
           id + R"(","name":"q","arguments":)" + arguments + "}";
  }

  static std::string reasoning(const std::string& id, const std::string& summary = "") {
    return R"({"id":")" + id + R"(","type":"reasoning","summary":[)" +
           (summary.empty() ? "" : R"({"type":"summary_text","text":")" + summary + "\"}") +
           R"(],"encrypted_content":"gAAAA/+="})";
  }

  static std::string event(const std::string& type, const std::string& members) {
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\"," + members + "}\n\n";
  }

  static std::string done(int index, const std::string& item) {
    return event("response.output_item.done",
                 R"("output_index":)" + std::to_string(index) + R"(,"item":)" + item);
  }

  /// Reasoning, text and two calls, as deltas and as items, then the whole response.
  static std::string streamed_calls() {
    const std::string items = reasoning("rs_1", "Hm ü.") + "," + message("I look.") + "," +
                              call("c1", R"("{\"a\":1}")") + "," + call("c2", "\"\"");
    return event("response.created", R"("response":{"id":"resp_1","status":"in_progress"})") +
           ": keep-alive\n\n" +
           event("response.output_item.added", R"("output_index":0,"item":{"type":"reasoning"})") +
           done(0, reasoning("rs_1", "Hm ü.")) +
           event("response.output_text.delta", R"("output_index":1,"delta":"I lo")") +
           done(1, message("I look.")) +
           event("response.function_call_arguments.delta", R"("output_index":2,"delta":"{")") +
           done(2, call("c1", R"("{\"a\":1}")")) + done(3, call("c2", "\"\"")) +
           event("response.completed", R"("response":)" + response(items));
  }
};

}  // namespace ba::llm
