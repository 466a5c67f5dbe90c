#pragma once
// SPDX-License-Identifier: Apache-2.0
// A response as it is being read, and what becomes of it. Whole bodies and streams fill the same
// draft. Values.

#include <memory>
#include <string>
#include <vector>

#include "pipeline/text/message/json_view.hpp"
#include "worker/llm/reply_draft.hpp"

namespace ba {

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

}  // namespace ba
