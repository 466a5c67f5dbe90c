#pragma once
// SPDX-License-Identifier: Apache-2.0
// A chat completion as it is being read: whole messages and streamed deltas fill the same draft, as
// a delta is a message of which a part is given. Values.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pipeline/message/json_view.hpp"
#include "worker/llm/protocol.hpp"

namespace ba {

/// Members that this protocol doesn't know, kept for the way back: texts grow by their pieces, of
/// anything else the last one stays.
class ForeignMembers {
 public:
  void add(std::string_view key, JsonView value);
  bool empty() const { return members_.empty(); }
  std::string json() const;     ///< {"key":value,…}
  std::string members() const;  ///< the same without braces

 private:
  struct Member {
    std::string key;
    bool is_text = false;
    std::string value;  ///< the text, or JSON
  };
  std::vector<Member> members_;
  std::map<std::string, std::size_t> places_;  ///< in members_, by key
};

struct OpenaiChatCall {
  std::string id;
  std::string name;
  std::string arguments;
  ForeignMembers foreign;
};

struct OpenaiChatDraft {
  std::string id;
  std::string model;
  std::string finish_reason;
  std::string text;
  std::string reasoning;
  std::string refusal;
  std::vector<OpenaiChatCall> calls;
  ForeignMembers foreign;
  Usage usage;
  bool usage_known = false;

  /// `keep_reasoning`: reasoning_content is also foreign, so that it goes back.
  void read_message(JsonView message, bool keep_reasoning);
  void read_usage(JsonView usage);

 private:
  void read_content(JsonView content);
  void read_calls(JsonView calls);
  OpenaiChatCall& call_for(JsonView delta, std::int64_t position);

  std::map<std::int64_t, std::size_t> newest_;  ///< of the calls with the sender's number of it
};

/// Checks the draft and makes the reply of it.
Result<ProtocolReply> finish_openai_chat_reply(OpenaiChatDraft draft,
                                               const ProtocolContext& context);

}  // namespace ba
