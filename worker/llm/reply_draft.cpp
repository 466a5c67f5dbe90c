// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/reply_draft.hpp"

#include <utility>

#include "worker/llm/failure_body.hpp"

namespace ba {

bool ReplyDraft::ends_in_full_context(bool begun) {
  if (!failure || !begun || !says_context_exceeded(*failure)) return false;
  told = failure->context;
  failure.reset();
  return true;
}

void ReplyDraft::move_to(ProtocolReply& result) {
  result.reply.told = told;
  result.reply.model = std::move(model);
  result.reply.provider_request_id = std::move(id);
  result.reply.message.usage = usage;
  result.usage_known = usage_known;
}

}  // namespace ba
