#pragma once
// SPDX-License-Identifier: Apache-2.0
// Histories and requests for the tests of the model adapters.

#include <string>
#include <vector>

#include "pipeline/core/model/model_client.hpp"

namespace ba::llm {

/// A request that owns its messages.
class TestRequest {
 public:
  TestRequest& system(const std::string& text) {
    SystemMessage message;
    message.text = text;
    return add(std::move(message));
  }
  TestRequest& human(const std::string& text) {
    HumanMessage message;
    message.text = text;
    return add(std::move(message));
  }
  TestRequest& ai(const std::string& text, std::vector<ToolCall> calls = {}) {
    AiMessage message;
    message.text = text;
    message.tool_calls = std::move(calls);
    return add(std::move(message));
  }
  TestRequest& ai(AiMessage message) { return add(std::move(message)); }
  TestRequest& tool(const std::string& id, const std::string& content,
                    ToolStatus status = ToolStatus::Success) {
    ToolMessage message;
    message.tool_call_id = ToolCallId(id);
    message.tool_name = "query_database";
    message.content = content;
    message.status = status;
    return add(std::move(message));
  }
  TestRequest& with_tool() {
    std::vector<ToolSpec> tools = request_.tools;
    tools.push_back(
        {"query_database", "Runs SQL.",
         R"({"type":"object","properties":{"sql":{"type":"string"}},"required":["sql"]})"});
    request_.tools = std::move(tools);
    return *this;
  }

  /// Valid until the next change.
  const ModelRequest& get() {
    request_.messages.clear();
    for (const Message& message : messages_) request_.messages.push_back(&message);
    return request_;
  }
  ModelRequest& fields() { return request_; }

 private:
  template <typename M>
  TestRequest& add(M message) {
    message.meta.message_id = MessageId("m" + std::to_string(messages_.size()));
    messages_.emplace_back(std::move(message));
    return *this;
  }

  ModelRequest request_{"m", "You are exact.", {}, {}};
  std::vector<Message> messages_;
};

inline ToolCall tool_call(const std::string& id,
                          const std::string& args = R"({"sql":"SELECT 1"})") {
  ToolCall call;
  call.id = ToolCallId(id);
  call.name = "query_database";
  call.args_json = args;
  return call;
}

}  // namespace ba::llm
