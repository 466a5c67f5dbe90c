#pragma once
// SPDX-License-Identifier: Apache-2.0
// What the drafts of replies have in common, whatever their protocol. Values.

#include <optional>
#include <string>

#include "worker/llm/failure_table.hpp"
#include "worker/llm/protocol.hpp"

namespace ba {

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

}  // namespace ba
