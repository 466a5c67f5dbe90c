#pragma once
// SPDX-License-Identifier: Apache-2.0
// Whole conversations, for `ba-agent export` and `import`. Each call is one transaction on a
// connection of its own, the first a reading one. Blocking; any thread.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/ids.hpp"
#include "storage/access.hpp"

namespace ba::storage {

struct ConversationHistory {
  ConversationId conversation_id;
  std::vector<std::string> messages;  ///< the stored JSON, in order
  int unfinished_jobs = 0;            ///< which may still add to it
};

struct HistoryLimits {
  std::int64_t messages_max = 0;
  std::int64_t bytes_max = 0;
};

/// Of the conversation of that id, or of the one that the job of that id belongs to. None: there is
/// neither. Conflict: they are two; LimitExceeded: it is larger.
Result<std::optional<ConversationHistory>> find_history(const PgAccess& access,
                                                        const TenantId& tenant,
                                                        const std::string& name,
                                                        const HistoryLimits& limits);

struct ImportedConversation {
  TenantId tenant;
  ConversationId conversation_id;
  std::vector<std::string> messages;  ///< the stored JSON, in order; a valid history
  std::string by;
};

/// Makes the conversation with these messages as the history that it began with: a job that comes
/// later goes on with them. Conflict: there is a conversation of that id; the message says whether
/// it was imported with these messages.
Result<void> import_conversation(const PgAccess& access, const ImportedConversation& imported);

}  // namespace ba::storage
