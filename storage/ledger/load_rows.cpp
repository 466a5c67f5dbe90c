// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/load_rows.hpp"

#include <algorithm>

#include "pipeline/core/tool/telemetry_json.hpp"
#include "pipeline/text/message/langchain_json.hpp"
#include "storage/ledger/context_rows.hpp"
#include "storage/ledger/load_excerpt.sql.hpp"
#include "storage/ledger/load_rounds.sql.hpp"
#include "storage/ledger/load_sub_agent_use.sql.hpp"
#include "storage/ledger/shared_columns.hpp"
#include "storage/ledger/skill_rows.hpp"

namespace ba::storage {
namespace {

// History, then this job's own messages, as one range of the key. Unfinished jobs other
// than this one (there is none but for a race of two intakes) are no history yet.
constexpr Statement kMessages{"load_messages", R"sql(
  SELECT job, round, step, idx, message FROM messages
  WHERE conversation = $1
    AND (job = $2 OR job NOT IN (SELECT id FROM jobs
                                 WHERE conversation = $1 AND state <> 'finished'))
  ORDER BY job, round, step, idx)sql"};

constexpr Statement kCalls{"load_calls", R"sql(
  SELECT round, step, idx, tool_call_id, tool_name, parameters, effect, state, retry_count,
         duration_ms, cache_hit, copied, telemetry->>'total_tokens' AS tokens,
         telemetry->>'schema_version' AS telemetry_version, coalesce(note, '') AS note,
         coalesce(saved_tokens, 0) AS saved_tokens, tool_version
  FROM tool_calls WHERE job = $1 ORDER BY round, step, idx)sql"};

// Parameters and notes may be long, and nothing that ends a job needs them.
constexpr Statement kCallStates{"load_call_states", R"sql(
  SELECT round, step, idx, tool_call_id, tool_name, '' AS parameters, effect, state, retry_count,
         duration_ms, cache_hit, copied, telemetry->>'total_tokens' AS tokens,
         telemetry->>'schema_version' AS telemetry_version, '' AS note,
         coalesce(saved_tokens, 0) AS saved_tokens, tool_version
  FROM tool_calls WHERE job = $1 ORDER BY round, step, idx)sql"};

constexpr Statement kIdentity{"load_identity", R"sql(
  SELECT j.tenant, j.job_id, c.conversation_id, j.user_id, j.lane,
         (extract(epoch FROM j.created_at) * 1000000)::bigint AS created_us,
         (SELECT coalesce(sum(calls), 0) FROM wasted_model_calls WHERE job = j.id) AS wasted_calls,
         (SELECT count(*) FROM messages WHERE conversation = c.id AND job <= j.id) AS messages,
         (SELECT count(*) FROM jobs a WHERE a.parent = j.id) AS sub_agents,
         (SELECT count(*) FROM compressions x WHERE x.job = j.id) AS compressions,
         j.copied_rounds, j.copied_step,
         c.rounds = 0 AND NOT EXISTS (SELECT FROM rounds r
                                      WHERE r.conversation = c.id AND r.job < j.id) AS opens,
         (SELECT count(*) FROM messages WHERE conversation = c.id AND job = j.id
            AND (round, step) > (j.copied_rounds, j.copied_step)) AS own_messages
  FROM jobs j JOIN conversations c ON c.id = j.conversation
  WHERE j.id = $1 AND c.id = $2)sql"};

constexpr Statement kTotals{"load_totals", R"sql(
  SELECT c.rounds,
         (SELECT coalesce(sum(calls), 0) FROM wasted_model_calls WHERE job = j.id) AS wasted_calls,
         (SELECT count(*) FROM jobs a WHERE a.parent = j.id) AS sub_agents,
         (SELECT count(*) FROM compressions x WHERE x.job = j.id) AS compressions,
         j.copied_rounds, j.copied_step,
         c.rounds = 0 AND NOT EXISTS (SELECT FROM rounds r
                                      WHERE r.conversation = c.id AND r.job < j.id) AS opens,
         c.inherited_saved_tokens + (
           SELECT coalesce(sum(t.saved_tokens), 0)
           FROM rounds r JOIN tool_calls t ON t.job = r.job AND t.round = r.round
           WHERE r.conversation = c.id AND r.job < j.id) AS earlier_saved_tokens,
         EXISTS (SELECT FROM exact_counts e WHERE e.job = j.id) AS counted
  FROM jobs j JOIN conversations c ON c.id = j.conversation
  WHERE j.id = $1 AND c.id = $2)sql"};

constexpr Statement kOffset{"load_offset", R"sql(
  SELECT next_offset, epoch FROM intake_offsets
  WHERE topic = $1 AND topic_id = $2 AND topic_partition = $3)sql"};

Error corrupt(const std::string& what) {
  return make_error(ErrorCode::Corrupt, "the ledger holds what this program can't read: " + what);
}

Error no_such_job(LedgerJobId job, LedgerConversationId conversation) {
  return make_error(ErrorCode::NotFound, "the ledger has no job " + std::to_string(job.value) +
                                             " of conversation " +
                                             std::to_string(conversation.value));
}

Savings savings_of(const Row& row) {
  Savings savings;
  savings.cache = {row.big("saved_cache_tokens"), row.big("saved_cache_micro_usd")};
  savings.encoding = {row.big("saved_encoding_tokens"), row.big("saved_encoding_micro_usd")};
  savings.compression = {row.big("saved_compression_tokens"),
                         row.big("saved_compression_micro_usd")};
  return savings;
}

SubAgentUse load_sub_agent_use(Transaction& transaction, LedgerJobId job, int agents) {
  SubAgentUse use;
  use.agents = agents;
  if (agents == 0) return use;
  const Row row = transaction.run(sql::kLoadSubAgentUse, job.value).first();
  use.spent.usage = usage_of(row);
  use.spent.cost_micro_usd = row.big("cost_micro_usd");
  use.spent.cost_known = row.flag("cost_known");
  use.spent.wasted_model_calls = row.number("wasted_calls");
  use.spent.savings = savings_of(row);
  return use;
}

/// But for the messages.
StoredTally tally_of(const Row& row) {
  StoredTally tally;
  tally.compressions = row.number("compressions");
  tally.copied_rounds = row.number("copied_rounds");
  tally.copied_step = row.number("copied_step");
  tally.opens_conversation = row.flag("opens");
  return tally;
}

std::string place_in(const Row& row) {
  return row.text("round") + "/" + row.text("step") + "." + row.text("idx");
}

Result<void> load_messages(const Rows& rows, LedgerJobId job, StoredJob& stored) {
  for (const Row& row : rows) {
    auto message = message_from_json(row.view("message"));
    if (!message)
      return corrupt("message " + row.text("job") + "/" + place_in(row) + ": " +
                     message.error().message);
    if (row.big("job") == job.value)
      stored.messages.push_back({position_of(row), std::move(*message)});
    else
      stored.history.push_back(std::move(*message));
  }
  return {};
}

constexpr UsageColumns kUsageOfSteps{"steps_input_tokens", "steps_cache_read_tokens",
                                     "steps_cache_write_tokens", "steps_output_tokens",
                                     "steps_thinking_tokens"};

Result<void> load_rounds(const Rows& rows, std::vector<StoredRound>& rounds) {
  for (const Row& row : rows) {
    StoredRound round;
    round.round = row.number("round");
    const auto status = parse_round_status(row.view("status"));
    if (!status) return corrupt("round status " + row.text("status"));
    round.status = *status;
    round.final_answer = row.text_or_empty("final_answer");
    const bool open = round.status == RoundStatus::InProgress;
    round.usage = usage_of(row, open ? kUsageOfSteps : UsageColumns());
    round.cost_micro_usd = row.big("cost_micro_usd");
    round.cost_known = row.flag("cost_known");
    round.steps = row.number("steps");
    round.last_model = row.text("last_model");
    round.idle_before = row.milliseconds("idle_before_ms");
    round.savings = savings_of(row);
    rounds.push_back(std::move(round));
  }
  return {};
}

Result<StoredToolCall> tool_call_of(const Row& row) {
  StoredToolCall call;
  call.position = position_of(row);
  call.tool_call_id = ToolCallId(row.text("tool_call_id"));
  call.tool_name = row.text("tool_name");
  call.parameters = row.text("parameters");
  const auto effect = parse_effect_class(row.view("effect"));
  const auto state = parse_tool_call_state(row.view("state"));
  if (!effect || !state) return corrupt("tool call state " + row.text("state"));
  call.effect = *effect;
  call.state = *state;
  call.retry_count = row.number("retry_count");
  call.duration = row.milliseconds("duration_ms");
  call.cache_hit = row.flag("cache_hit");
  call.copied = row.flag("copied");
  if (auto readable = check_telemetry_version(row.text_or_empty("telemetry_version")); !readable)
    return corrupt("telemetry of call " + place_in(row) + ": " + readable.error().message);
  call.tokens = row.big_or_zero("tokens");
  call.note = row.text("note");
  call.saved_tokens = row.big("saved_tokens");
  call.tool_version = row.text("tool_version");
  return call;
}

Result<void> load_calls(const Rows& rows, std::vector<StoredToolCall>& calls) {
  for (const Row& row : rows) {
    auto call = tool_call_of(row);
    if (!call) return call.error();
    calls.push_back(*std::move(call));
  }
  return {};
}

}  // namespace

Result<StoredJob> load_job(Transaction& transaction, LedgerJobId job,
                           LedgerConversationId conversation) {
  const Rows found = transaction.run(kTotals, job.value, conversation.value);
  if (found.empty()) return no_such_job(job, conversation);
  const Row totals = found[0];
  StoredJob stored;
  stored.conversation_rounds = totals.number("rounds");
  stored.wasted_model_calls = totals.number("wasted_calls");
  stored.sub_agents = load_sub_agent_use(transaction, job, totals.number("sub_agents"));
  const auto messages = transaction.run(kMessages, conversation.value, job.value);
  if (auto loaded = load_messages(messages, job, stored); !loaded) return loaded.error();
  if (auto loaded = load_rounds(transaction.run(sql::kLoadRounds, job.value), stored.rounds);
      !loaded)
    return loaded.error();
  if (auto loaded = load_calls(transaction.run(kCalls, job.value), stored.calls); !loaded)
    return loaded.error();
  stored.summaries = load_summaries(transaction, job, true);
  stored.refused_contexts = load_refused_contexts(transaction, job, conversation);
  if (totals.flag("counted")) stored.exact_counts = load_exact_counts(transaction, job);
  stored.skills = load_skill_uses(transaction, job, true);
  stored.tally = tally_of(totals);
  stored.earlier_saved_tokens = totals.big("earlier_saved_tokens");
  stored.tally.messages = std::ranges::count_if(
      stored.messages, [&](const MessageRow& row) { return !stored.tally.is_copy(row.position); });
  return stored;
}

Result<JobRemains> load_remains(Transaction& transaction, LedgerJobId job,
                                LedgerConversationId conversation, std::int64_t excerpt_bytes_max) {
  const auto identity = transaction.run(kIdentity, job.value, conversation.value);
  if (identity.empty()) return no_such_job(job, conversation);
  const Row row = identity[0];
  JobRemains remains;
  remains.tenant = TenantId(row.text("tenant"));
  remains.job_id = JobId(row.text("job_id"));
  remains.conversation_id = ConversationId(row.text("conversation_id"));
  remains.user_id = row.text("user_id");
  remains.lane = static_cast<Lane>(row.number("lane"));
  remains.created_at = row.micros("created_us");
  remains.wasted_model_calls = row.number("wasted_calls");
  remains.sub_agents = load_sub_agent_use(transaction, job, row.number("sub_agents"));
  if (auto loaded = load_rounds(transaction.run(sql::kLoadRounds, job.value), remains.rounds);
      !loaded)
    return loaded.error();
  if (auto loaded = load_calls(transaction.run(kCallStates, job.value), remains.calls); !loaded)
    return loaded.error();
  remains.summaries = load_summaries(transaction, job, false);
  remains.skills = load_skill_uses(transaction, job, false);
  remains.tally = tally_of(row);
  remains.tally.messages = row.big("own_messages");
  ConversationExcerpt& excerpt = remains.conversation;
  for (const Row& message :
       transaction.run(sql::kLoadExcerpt, conversation.value, job.value, excerpt_bytes_max))
    excerpt.messages.push_back({message.text("text"), message.big("bytes_left_out")});
  excerpt.messages_left_out =
      row.big("messages") - static_cast<std::int64_t>(excerpt.messages.size());
  return remains;
}

std::vector<PartitionOffset> load_offsets(Transaction& transaction,
                                          std::vector<PartitionOffset> partitions) {
  for (PartitionOffset& partition : partitions) {
    const Rows known =
        transaction.run(kOffset, partition.topic, partition.topic_id, partition.partition);
    partition.next_offset = known.empty() ? -1 : known[0].big("next_offset");
    partition.epoch = known.empty() ? 0 : known[0].number("epoch");
  }
  return partitions;
}

}  // namespace ba::storage
