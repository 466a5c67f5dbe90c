// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/reply_draft.hpp"

#include <utility>

#include "worker/llm/failure_body.hpp"

namespace ba::llm {
namespace {

/// llama.cpp answers 500 when what the model wrote doesn't fit the template's parser.
bool unreadable_output(const ProviderFailure& failure, LlmQuirks quirks) {
  return quirks == LlmQuirks::LlamaCpp && failure.status == 500 &&
         failure.message.find("does not match the expected") != std::string::npos;
}

}  // namespace

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

Result<ProtocolReply> read_failure(int status, std::string_view body,
                                   const ProtocolContext& context) {
  return failed_reply(read_failure_body(status, body), context);
}

Result<ProtocolReply> failed_reply(const ProviderFailure& failure, const ProtocolContext& context) {
  if (says_context_exceeded(failure)) {
    ProtocolReply result;
    result.reply.stop = StopReason::ContextExceeded;
    result.reply.raw_stop = failure.code.empty() ? failure.type : failure.code;
    if (result.reply.raw_stop.empty()) result.reply.raw_stop = std::to_string(failure.status);
    result.reply.refused = failure.context;
    result.usage_known = true;  // nothing was generated
    return result;
  }
  if (unreadable_output(failure, context.provider.quirks)) return malformed_reply(failure.message);
  return error_of(failure);
}

Result<ProtocolReply> failed_reply_of_200(const ProviderFailure& failure, bool begun,
                                          const ProtocolContext& context) {
  Result<ProtocolReply> result = failed_reply(failure, context);
  if (result && begun) {  // it may have been paid
    result->reply.refused.reset();
    result->reply.told = failure.context;
  }
  if (result) return result;
  Error error = result.error();
  error.maybe_done = begun || failure.status >= 500;
  return error;
}

}  // namespace ba::llm
