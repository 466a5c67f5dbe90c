// SPDX-License-Identifier: Apache-2.0
#include "storage/control/write_once.hpp"
#include "storage/conversations.hpp"

namespace ba::storage {
namespace {

// Waits for another transaction that is making the same one.
constexpr Statement kMake{"import_make", R"sql(
  INSERT INTO conversations (tenant, conversation_id, imported_by) VALUES ($1, $2, $3)
  ON CONFLICT DO NOTHING RETURNING id)sql"};

constexpr Statement kMessages{"import_messages", R"sql(
  INSERT INTO inherited_messages (conversation, n, message)
  SELECT $1::bigint, m.n, m.message
  FROM unnest($2::json[]) WITH ORDINALITY AS m (message, n))sql"};

// $3 as kMessages' $2.
constexpr Statement kSame{"import_same", R"sql(
  SELECT (SELECT array_agg(i.message::text ORDER BY i.n) FROM inherited_messages i
          WHERE i.conversation = c.id)
         = (SELECT array_agg(m.message::text ORDER BY m.n)
            FROM unnest($3::json[]) WITH ORDINALITY AS m (message, n)) AS same
  FROM conversations c WHERE c.tenant = $1 AND c.conversation_id = $2)sql"};

/// Whoever repeats an import whose answer was lost is told that it is done.
Error taken(Transaction& transaction, const ImportedConversation& imported,
            const JsonArray& messages) {
  const auto same =
      transaction.run(kSame, imported.tenant.value, imported.conversation_id.value, messages);
  const bool done = !same.empty() && !same[0].is_null("same") && same[0].flag("same");
  return make_error(ErrorCode::Conflict,
                    "there is a conversation \"" + imported.conversation_id.value +
                        "\" of tenant " + imported.tenant.value + " already" +
                        (done ? ", with these very messages: it was imported before"
                              : "; name another with --conversation"));
}

Result<void> import(Transaction& transaction, const ImportedConversation& imported) {
  const auto made =
      transaction.run(kMake, imported.tenant.value, imported.conversation_id.value, imported.by);
  JsonArray messages;
  for (const std::string& message : imported.messages) messages.add(message);
  if (made.empty()) return taken(transaction, imported, messages);
  transaction.run(kMessages, made[0].big("id"), messages);
  return {};
}

}  // namespace

Result<void> import_conversation(const PgAccess& access, const ImportedConversation& imported) {
  return write_once(access,
                    [&](Transaction& transaction) { return import(transaction, imported); });
}

}  // namespace ba::storage
