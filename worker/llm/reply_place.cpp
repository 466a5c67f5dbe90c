// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/reply_place.hpp"

#include "pipeline/text/message/position.hpp"

namespace ba {

ReplyPlace reply_place(const ModelRequest& request) {
  ReplyPlace place;
  for (auto message = request.messages.rbegin(); message != request.messages.rend(); ++message)
    if (const auto found =
            position_in(meta_of(**message).message_id, meta_of(**message).round_id)) {
      place.round = found->round;
      place.step = found->step + 1;
      break;
    }
  place.has_tools = !request.tools.empty();
  if (request.answer_schema.empty())
    for (const ToolSpec& tool : request.tools) place.tool_names.push_back(tool.name);
  return place;
}

}  // namespace ba
