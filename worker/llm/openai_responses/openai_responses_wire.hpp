#pragma once
// SPDX-License-Identifier: Apache-2.0
// A request as the body of POST /v1/responses, and a response as it is being read. System texts at
// the head of a history join the instructions, later ones become the user's, and users' texts that
// follow each other are one item, as in openai_chat. Whole bodies and streams fill the same draft.
// Values.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "worker/llm/protocol.hpp"
#include "worker/llm/reply_draft.hpp"
#include "worker/llm/request_writer.hpp"

namespace ba::llm {

/// Stands in every request: who keeps nothing at the provider must get the reasoning in a form that
/// can be handed back.
inline constexpr std::string_view kIncludeReasoning =
    R"("include":["reasoning.encrypted_content"],)";

std::unique_ptr<RequestWriter> openai_responses_writer(const ModelRequest& request,
                                                       const ProtocolContext& context);

struct OpenaiResponsesDraft : ReplyDraft {
  std::string status;
  std::string incomplete_reason;
  std::vector<std::string> items;  ///< the output, each as it was sent

  /// All but the output.
  void read_response(JsonView response);
  void read_output(JsonView output);

 private:
  void read_usage(JsonView usage);
};

/// The item with other arguments; everything else byte for byte.
std::string with_arguments(JsonView item, std::string_view arguments);

/// Checks the draft and makes the reply of it.
Result<ProtocolReply> finish_openai_responses_reply(OpenaiResponsesDraft draft,
                                                    const ProtocolContext& context);

/// The streamed form of a response. Deltas only repeat what whole items say, so those are read
/// (`response.output_item.done`) and the event that ends the stream: completed, incomplete or
/// failed. Items that were never announced as done are put together from their deltas, or taken
/// from that last event where it has more. What `context` refers to must outlive the reader.
std::unique_ptr<StreamReader> openai_responses_stream(const ProtocolContext& context);

}  // namespace ba::llm
