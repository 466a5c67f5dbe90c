#pragma once
// SPDX-License-Identifier: Apache-2.0
// What all readers of replies have in common, whatever their protocol: the draft that they fill,
// and what a failed request means to the conversation. Values and pure functions.

#include <optional>
#include <string>

#include "worker/llm/failure_table.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {

struct ReplyDraft {
  std::string id;
  std::string model;
  std::optional<ProviderFailure> failure;  ///< instead of a reply
  ContextRefusal told;                     ///< of a context that got full while it was written
  Usage usage;
  bool usage_known = false;

  /// Where the failure says that the context got full while the reply was written, of which
  /// something is there (`begun`): what was written until then is kept, and was paid.
  bool ends_in_full_context(bool begun);

  /// Model, id and usage, and what was told of the context.
  void move_to(ProtocolReply& result);
};

/// What a status other than 200 means, of failed_reply().
Result<ProtocolReply> read_failure(int status, std::string_view body,
                                   const ProtocolContext& context);

/// A reply with stop ContextExceeded, `refused` and without usage where the conversation is too
/// long for the model; a Protocol error where the server failed to read its own model's output;
/// else the error of the table.
Result<ProtocolReply> failed_reply(const ProviderFailure& failure, const ProtocolContext& context);

/// The same of what is told in a body of status 200 or inside a stream: the request may have been
/// accepted. `begun`: something of the reply was there already, so it was paid.
Result<ProtocolReply> failed_reply_of_200(const ProviderFailure& failure, bool begun,
                                          const ProtocolContext& context);

}  // namespace ba::llm
