// SPDX-License-Identifier: Apache-2.0
// One conversation: how it stands, and its history, whole.
#include "storage/conversations.hpp"
#include "storage/postgres/session.hpp"
#include "storage/query.hpp"

namespace ba::storage {
namespace {

// The counter is of finished ones.
constexpr Statement kStanding{"conversation_standing", R"sql(
  SELECT c.jobs + (SELECT count(*) FROM jobs j
                   WHERE j.conversation = c.id AND j.state <> 'finished') AS jobs,
         c.imported_by IS NOT NULL AS imported
  FROM conversations c WHERE c.tenant = $1 AND c.conversation_id = $2)sql"};

constexpr Statement kNamed{"history_named", R"sql(
  SELECT c.id, c.conversation_id,
         (SELECT count(*) FROM jobs j WHERE j.conversation = c.id AND j.state <> 'finished')
           AS unfinished_jobs
  FROM conversations c
  WHERE c.tenant = $1
    AND (c.conversation_id = $2
         OR c.id = (SELECT conversation FROM jobs WHERE tenant = $1 AND job_id = $2)))sql"};

constexpr Statement kSize{"history_size", R"sql(
  SELECT count(*) AS messages, coalesce(sum(octet_length(message::text)), 0) AS bytes
  FROM messages WHERE conversation = $1)sql"};

constexpr Statement kMessages{"history_messages", R"sql(
  SELECT message FROM messages WHERE conversation = $1 ORDER BY job, round, step, idx)sql"};

Result<void> check_size(const Row& size, const HistoryLimits& limits) {
  const std::int64_t messages = size.big("messages");
  const std::int64_t bytes = size.big("bytes");
  if (messages <= limits.messages_max && bytes <= limits.bytes_max) return {};
  return make_error(ErrorCode::LimitExceeded,
                    "the conversation has " + std::to_string(messages) + " messages of " +
                        std::to_string(bytes) + " bytes; at most " +
                        std::to_string(limits.messages_max) + " of " +
                        std::to_string(limits.bytes_max) + " bytes leave in one document");
}

}  // namespace

Result<std::optional<ConversationStanding>> find_conversation(const PgAccess& access,
                                                              const TenantId& tenant,
                                                              const ConversationId& conversation) {
  using Found = std::optional<ConversationStanding>;
  return read_once(access, [&](Transaction& transaction) -> Result<Found> {
    const auto rows = transaction.run(kStanding, tenant.value, conversation.value);
    if (rows.empty()) return Found();
    return Found({rows[0].big("jobs"), rows[0].flag("imported")});
  });
}

Result<std::optional<ConversationHistory>> find_history(const PgAccess& access,
                                                        const TenantId& tenant,
                                                        const std::string& name,
                                                        const HistoryLimits& limits) {
  using Found = std::optional<ConversationHistory>;
  return read_once(access, [&](Transaction& transaction) -> Result<Found> {
    const auto named = transaction.run(kNamed, tenant.value, name);
    if (named.empty()) return Found();
    if (named.size() > 1)
      return make_error(ErrorCode::Conflict,
                        "\"" + name + "\" is a conversation of tenant " + tenant.value +
                            ", and a job of another: name a conversation by its own id, as "
                            "`ba-agent show` tells it");
    const std::int64_t conversation = named[0].big("id");
    ConversationHistory history;
    history.conversation_id = ConversationId(named[0].text("conversation_id"));
    history.unfinished_jobs = named[0].number("unfinished_jobs");
    const auto fits = check_size(transaction.run(kSize, conversation).first(), limits);
    if (!fits) return fits.error();
    for (const Row& row : transaction.run(kMessages, conversation))
      history.messages.push_back(row.text("message"));
    return Found(std::move(history));
  });
}

}  // namespace ba::storage
