#pragma once
// SPDX-License-Identifier: Apache-2.0
// A request as the body of POST /v1/chat/completions, and a chat completion as it is being read.
// System texts at the head of a history join the system message, later ones become the user's, and
// users' texts that follow each other are one message: templates of compatible servers accept
// nothing else. Whole messages and streamed deltas fill the same draft, as a delta is a message of
// which a part is given. Values.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "worker/llm/openai_chat/foreign_members.hpp"
#include "worker/llm/protocol.hpp"
#include "worker/llm/reply_draft.hpp"
#include "worker/llm/request_writer.hpp"

namespace ba::llm {

std::unique_ptr<RequestWriter> openai_chat_writer(const ModelRequest& request,
                                                  const ProtocolContext& context);

struct OpenaiChatCall {
  std::string id;
  std::string name;
  std::string arguments;
  ForeignMembers foreign;
};

struct OpenaiChatDraft : ReplyDraft {
  std::string finish_reason;
  std::string text;
  std::string reasoning;
  std::string refusal;
  std::vector<OpenaiChatCall> calls;
  ForeignMembers foreign;

  /// A choice with its message or delta; some servers put an error or the usage into it.
  /// `keep_reasoning`: reasoning_content is also foreign, so that it goes back.
  void read_choice(JsonView choice, bool keep_reasoning);
  void read_usage(JsonView usage);
  /// The value of an `error` member; nothing of it stays where it says nothing.
  void read_error(JsonView error);
  /// Something of the reply is there.
  bool begun() const {
    return !text.empty() || !reasoning.empty() || !refusal.empty() || !calls.empty() ||
           !foreign.empty();
  }

 private:
  void read_message(JsonView message, bool keep_reasoning);
  void read_content(JsonView content);
  void read_calls(JsonView calls);
  OpenaiChatCall& call_for(JsonView delta, std::int64_t position);

  std::map<std::int64_t, std::size_t> newest_;  ///< of the calls with the sender's number of it
};

/// Checks the draft and makes the reply of it.
Result<ProtocolReply> finish_openai_chat_reply(OpenaiChatDraft draft,
                                               const ProtocolContext& context);

}  // namespace ba::llm
