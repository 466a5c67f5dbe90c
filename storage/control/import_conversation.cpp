// SPDX-License-Identifier: Apache-2.0
#include "storage/control/write_once.hpp"
#include "storage/conversations.hpp"

namespace ba {
namespace {

// Waits for another transaction that is making the same one.
constexpr Statement kMake{"import_make", R"sql(
  INSERT INTO conversations (tenant, conversation_id, imported_by) VALUES ($1, $2, $3)
  ON CONFLICT DO NOTHING RETURNING id)sql"};

constexpr Statement kMessages{"import_messages", R"sql(
  INSERT INTO inherited_messages (conversation, n, message)
  SELECT $1::bigint, m.n, m.message
  FROM unnest($2::json[]) WITH ORDINALITY AS m (message, n))sql"};

Result<void> import(Transaction& transaction, const ImportedConversation& imported) {
  const auto made =
      transaction.run(kMake, imported.tenant.value, imported.conversation_id.value, imported.by);
  if (made.empty()) {
    Error error;
    error.code = ErrorCode::Conflict;
    error.message = "there is a conversation \"" + imported.conversation_id.value +
                    "\" of tenant " + imported.tenant.value +
                    " already; name another with --conversation";
    return error;
  }
  JsonArray messages;
  for (const std::string& message : imported.messages) messages.add(message);
  transaction.run(kMessages, made[0][0].as<std::int64_t>(), messages);
  return {};
}

}  // namespace

Result<void> import_conversation(const PgAccess& access, const ImportedConversation& imported) {
  return write_once(access,
                    [&](Transaction& transaction) { return import(transaction, imported); });
}

}  // namespace ba
