// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/load_rows.hpp"

#include <algorithm>

#include "pipeline/core/tool/telemetry_json.hpp"
#include "pipeline/text/message/langchain_json.hpp"
#include "storage/ledger/context_rows.hpp"
#include "storage/ledger/skill_rows.hpp"
#include "storage/ledger/usage_columns.hpp"

namespace ba {
namespace {

// History, then this job's own messages, as one range of the key. Unfinished jobs other
// than this one (there is none but for a race of two intakes) are no history yet.
constexpr Statement kMessages{"load_messages", R"sql(
  SELECT job, round, step, idx, message FROM messages
  WHERE conversation = $1
    AND (job = $2 OR job NOT IN (SELECT id FROM jobs
                                 WHERE conversation = $1 AND state <> 'finished'))
  ORDER BY job, round, step, idx)sql"};

constexpr Statement kRounds{"load_rounds", R"sql(
  SELECT r.round, r.status, r.final_answer,
         r.input_tokens, r.cache_read_tokens, r.cache_write_tokens, r.output_tokens,
         r.thinking_tokens,
         coalesce(sum(s.input_tokens), 0), coalesce(sum(s.cache_read_tokens), 0),
         coalesce(sum(s.cache_write_tokens), 0), coalesce(sum(s.output_tokens), 0),
         coalesce(sum(s.thinking_tokens), 0),
         coalesce(sum(s.cost_micro_usd), 0), count(s.cost_micro_usd) = count(s.step),
         count(s.step),
         coalesce((array_agg(s.provider || '/' || s.model ORDER BY s.step DESC)
                   FILTER (WHERE s.step IS NOT NULL))[1], ''),
         r.idle_before_ms,
         coalesce(sum(s.saved_cache_tokens), 0), coalesce(sum(s.saved_cache_micro_usd), 0),
         coalesce(sum(s.saved_encoding_tokens), 0), coalesce(sum(s.saved_encoding_micro_usd), 0),
         coalesce(sum(s.saved_compression_tokens), 0),
         coalesce(sum(s.saved_compression_micro_usd), 0)
  FROM rounds r LEFT JOIN steps s ON s.job = r.job AND s.round = r.round
  WHERE r.job = $1 GROUP BY r.job, r.round ORDER BY r.round)sql"};

constexpr Statement kCalls{"load_calls", R"sql(
  SELECT round, step, idx, tool_call_id, tool_name, parameters, effect, state, retry_count,
         duration_ms, cache_hit, copied, telemetry->>'total_tokens', telemetry->>'schema_version',
         coalesce(note, ''), coalesce(saved_tokens, 0), tool_version
  FROM tool_calls WHERE job = $1 ORDER BY round, step, idx)sql"};

// Parameters and notes may be long, and nothing that ends a job needs them.
constexpr Statement kCallStates{"load_call_states", R"sql(
  SELECT round, step, idx, tool_call_id, tool_name, '', effect, state, retry_count, duration_ms,
         cache_hit, copied, telemetry->>'total_tokens', telemetry->>'schema_version', '',
         coalesce(saved_tokens, 0), tool_version
  FROM tool_calls WHERE job = $1 ORDER BY round, step, idx)sql"};

constexpr Statement kIdentity{"load_identity", R"sql(
  SELECT j.tenant, j.job_id, c.conversation_id, j.user_id, j.lane,
         (extract(epoch FROM j.created_at) * 1000000)::bigint,
         (SELECT coalesce(sum(calls), 0) FROM wasted_model_calls WHERE job = j.id),
         (SELECT count(*) FROM messages WHERE conversation = c.id AND job <= j.id),
         (SELECT count(*) FROM jobs a WHERE a.parent = j.id),
         (SELECT count(*) FROM compressions x WHERE x.job = j.id), j.copied_rounds, j.copied_step,
         c.rounds = 0 AND NOT EXISTS (SELECT FROM rounds r WHERE r.conversation = c.id AND r.job < j.id),
         (SELECT count(*) FROM messages WHERE conversation = c.id AND job = j.id
            AND (round, step) > (j.copied_rounds, j.copied_step))
  FROM jobs j JOIN conversations c ON c.id = j.conversation
  WHERE j.id = $1 AND c.id = $2)sql"};

// The newest messages whose texts fit into $3 bytes; one longer than a quarter of them stands
// without its text. Each counts 64 bytes more, so that many small ones are bounded too.
constexpr Statement kExcerpt{"load_excerpt", R"sql(
  WITH newest AS MATERIALIZED (
    SELECT job, round, step, idx, message
    FROM messages WHERE conversation = $1 AND job <= $2
    ORDER BY job DESC, round DESC, step DESC, idx DESC LIMIT 1000
  ), measured AS (
    SELECT job, round, step, idx, message::text AS text, octet_length(message::text) AS bytes
    FROM newest
  ), sized AS (
    SELECT *, sum(64 + CASE WHEN bytes > $3::bigint / 4 THEN 0 ELSE bytes END)
                OVER (ORDER BY job DESC, round DESC, step DESC, idx DESC) AS upto
    FROM measured
  )
  SELECT CASE WHEN bytes > $3::bigint / 4 THEN '' ELSE text END,
         CASE WHEN bytes > $3::bigint / 4 THEN bytes ELSE 0 END
  FROM sized WHERE upto <= $3::bigint ORDER BY job, round, step, idx)sql"};

constexpr Statement kTotals{"load_totals", R"sql(
  SELECT c.rounds,
         (SELECT coalesce(sum(calls), 0) FROM wasted_model_calls WHERE job = j.id),
         (SELECT count(*) FROM jobs a WHERE a.parent = j.id),
         (SELECT count(*) FROM compressions x WHERE x.job = j.id), j.copied_rounds, j.copied_step,
         c.rounds = 0 AND NOT EXISTS (SELECT FROM rounds r WHERE r.conversation = c.id AND r.job < j.id),
         c.inherited_saved_tokens + (
           SELECT coalesce(sum(t.saved_tokens), 0)
           FROM rounds r JOIN tool_calls t ON t.job = r.job AND t.round = r.round
           WHERE r.conversation = c.id AND r.job < j.id),
         EXISTS (SELECT FROM exact_counts e WHERE e.job = j.id)
  FROM jobs j JOIN conversations c ON c.id = j.conversation
  WHERE j.id = $1 AND c.id = $2)sql"};

// Of a job that has had sub-agents.
constexpr Statement kSubAgentUse{"load_sub_agent_use", R"sql(
  SELECT coalesce(sum(s.input_tokens), 0), coalesce(sum(s.cache_read_tokens), 0),
         coalesce(sum(s.cache_write_tokens), 0), coalesce(sum(s.output_tokens), 0),
         coalesce(sum(s.thinking_tokens), 0), coalesce(sum(s.cost_micro_usd), 0),
         count(s.cost_micro_usd) = count(s.step),
         (SELECT coalesce(sum(w.calls), 0) FROM wasted_model_calls w JOIN jobs a ON a.id = w.job
          WHERE a.parent = $1),
         coalesce(sum(s.saved_cache_tokens), 0), coalesce(sum(s.saved_cache_micro_usd), 0),
         coalesce(sum(s.saved_encoding_tokens), 0), coalesce(sum(s.saved_encoding_micro_usd), 0),
         coalesce(sum(s.saved_compression_tokens), 0),
         coalesce(sum(s.saved_compression_micro_usd), 0)
  FROM jobs a JOIN steps s ON s.job = a.id WHERE a.parent = $1)sql"};

constexpr Statement kOffset{"load_offset", R"sql(
  SELECT next_offset, epoch FROM intake_offsets
  WHERE topic = $1 AND topic_id = $2 AND topic_partition = $3)sql"};

Error corrupt(const std::string& what) {
  Error error;
  error.code = ErrorCode::Corrupt;
  error.message = "the ledger holds what this program can't read: " + what;
  return error;
}

Error no_such_job(LedgerJobId job, LedgerConversationId conversation) {
  Error error;
  error.code = ErrorCode::NotFound;
  error.message = "the ledger has no job " + std::to_string(job.value) + " of conversation " +
                  std::to_string(conversation.value);
  return error;
}

Saving saving_at(const pqxx::row& row, int first) {
  return {row[first].as<std::int64_t>(), row[first + 1].as<std::int64_t>()};
}

Savings savings_at(const pqxx::row& row, int first) {
  Savings savings;
  savings.cache = saving_at(row, first);
  savings.encoding = saving_at(row, first + 2);
  savings.compression = saving_at(row, first + 4);
  return savings;
}

SubAgentUse load_sub_agent_use(Transaction& transaction, LedgerJobId job, int agents) {
  SubAgentUse use;
  use.agents = agents;
  if (agents == 0) return use;
  const auto row = transaction.run(kSubAgentUse, job.value)[0];
  use.spent.usage = usage_at(row, 0);
  use.spent.cost_micro_usd = row[5].as<std::int64_t>();
  use.spent.cost_known = row[6].as<bool>();
  use.spent.wasted_model_calls = row[7].as<int>();
  use.spent.savings = savings_at(row, 8);
  return use;
}

StoredTally tally_at(const pqxx::row& row, int first) {
  StoredTally tally;
  tally.compressions = row[first].as<int>();
  tally.copied_rounds = row[first + 1].as<int>();
  tally.copied_step = row[first + 2].as<int>();
  tally.opens_conversation = row[first + 3].as<bool>();
  return tally;
}

Result<void> load_messages(const pqxx::result& rows, LedgerJobId job, StoredJob& stored) {
  for (const auto& row : rows) {
    auto message = message_from_json({row[4].c_str(), row[4].size()});
    if (!message)
      return corrupt("message " + std::string(row[0].c_str()) + "/" + row[1].c_str() + "/" +
                     row[2].c_str() + "." + row[3].c_str() + ": " + message.error().message);
    if (row[0].as<std::int64_t>() == job.value)
      stored.messages.push_back(
          {{row[1].as<int>(), row[2].as<int>(), row[3].as<int>()}, std::move(*message)});
    else
      stored.history.push_back(std::move(*message));
  }
  return {};
}

Result<void> load_rounds(const pqxx::result& rows, std::vector<StoredRound>& rounds) {
  constexpr int kOwnUsage = 3;
  constexpr int kStepsUsage = 8;
  constexpr int kSavings = 18;
  for (const auto& row : rows) {
    StoredRound round;
    round.round = row[0].as<int>();
    const auto status = parse_round_status(row[1].c_str());
    if (!status) return corrupt("round status " + std::string(row[1].c_str()));
    round.status = *status;
    round.final_answer = row[2].c_str();
    const bool open = round.status == RoundStatus::InProgress;
    round.usage = usage_at(row, open ? kStepsUsage : kOwnUsage);
    round.cost_micro_usd = row[13].as<std::int64_t>();
    round.cost_known = row[14].as<bool>();
    round.steps = row[15].as<int>();
    round.last_model = row[16].c_str();
    round.idle_before = Milliseconds(row[17].as<std::int64_t>());
    round.savings = savings_at(row, kSavings);
    rounds.push_back(std::move(round));
  }
  return {};
}

Result<void> load_calls(const pqxx::result& rows, std::vector<StoredToolCall>& calls) {
  for (const auto& row : rows) {
    StoredToolCall call;
    call.position = {row[0].as<int>(), row[1].as<int>(), row[2].as<int>()};
    call.tool_call_id = ToolCallId(row[3].c_str());
    call.tool_name = row[4].c_str();
    call.parameters = row[5].c_str();
    const auto effect = parse_effect_class(row[6].c_str());
    const auto state = parse_tool_call_state(row[7].c_str());
    if (!effect || !state) return corrupt("tool call state " + std::string(row[7].c_str()));
    call.effect = *effect;
    call.state = *state;
    call.retry_count = row[8].as<int>();
    call.duration = Milliseconds(row[9].as<std::int64_t>());
    call.cache_hit = row[10].as<bool>();
    call.note = row[14].as<std::string>();
    call.copied = row[11].as<bool>();
    if (auto readable = check_telemetry_version(row[13].c_str()); !readable)
      return corrupt("telemetry of call " + std::string(row[0].c_str()) + "/" + row[1].c_str() +
                     "." + row[2].c_str() + ": " + readable.error().message);
    call.tokens = row[12].as<std::int64_t>(0);
    call.saved_tokens = row[15].as<std::int64_t>();
    call.tool_version = row[16].c_str();
    calls.push_back(std::move(call));
  }
  return {};
}

}  // namespace

Result<StoredJob> load_job(Transaction& transaction, LedgerJobId job,
                           LedgerConversationId conversation) {
  const auto totals = transaction.run(kTotals, job.value, conversation.value);
  if (totals.empty()) return no_such_job(job, conversation);
  StoredJob stored;
  stored.conversation_rounds = totals[0][0].as<int>();
  stored.wasted_model_calls = totals[0][1].as<int>();
  stored.sub_agents = load_sub_agent_use(transaction, job, totals[0][2].as<int>());
  const auto messages = transaction.run(kMessages, conversation.value, job.value);
  if (auto loaded = load_messages(messages, job, stored); !loaded) return loaded.error();
  if (auto loaded = load_rounds(transaction.run(kRounds, job.value), stored.rounds); !loaded)
    return loaded.error();
  if (auto loaded = load_calls(transaction.run(kCalls, job.value), stored.calls); !loaded)
    return loaded.error();
  stored.summaries = load_summaries(transaction, job, true);
  stored.refused_contexts = load_refused_contexts(transaction, job, conversation);
  if (totals[0][8].as<bool>()) stored.exact_counts = load_exact_counts(transaction, job);
  stored.skills = load_skill_uses(transaction, job, true);
  stored.tally = tally_at(totals[0], 3);
  stored.earlier_saved_tokens = totals[0][7].as<std::int64_t>();
  stored.tally.messages = std::ranges::count_if(
      stored.messages, [&](const MessageRow& row) { return !stored.tally.is_copy(row.position); });
  return stored;
}

Result<JobRemains> load_remains(Transaction& transaction, LedgerJobId job,
                                LedgerConversationId conversation, std::int64_t excerpt_bytes_max) {
  const auto identity = transaction.run(kIdentity, job.value, conversation.value);
  if (identity.empty()) return no_such_job(job, conversation);
  const auto& row = identity[0];
  JobRemains remains;
  remains.tenant = TenantId(row[0].c_str());
  remains.job_id = JobId(row[1].c_str());
  remains.conversation_id = ConversationId(row[2].c_str());
  remains.user_id = row[3].c_str();
  remains.lane = static_cast<Lane>(row[4].as<int>());
  remains.created_at = WallTime(Microseconds(row[5].as<std::int64_t>()));
  remains.wasted_model_calls = row[6].as<int>();
  remains.sub_agents = load_sub_agent_use(transaction, job, row[8].as<int>());
  if (auto loaded = load_rounds(transaction.run(kRounds, job.value), remains.rounds); !loaded)
    return loaded.error();
  if (auto loaded = load_calls(transaction.run(kCallStates, job.value), remains.calls); !loaded)
    return loaded.error();
  remains.summaries = load_summaries(transaction, job, false);
  remains.skills = load_skill_uses(transaction, job, false);
  remains.tally = tally_at(row, 9);
  remains.tally.messages = row[13].as<std::int64_t>();
  ConversationExcerpt& excerpt = remains.conversation;
  for (const auto& text :
       transaction.run(kExcerpt, conversation.value, job.value, excerpt_bytes_max))
    excerpt.messages.push_back({{text[0].c_str(), text[0].size()}, text[1].as<std::int64_t>()});
  excerpt.messages_left_out =
      row[7].as<std::int64_t>() - static_cast<std::int64_t>(excerpt.messages.size());
  return remains;
}

std::vector<PartitionOffset> load_offsets(Transaction& transaction,
                                          std::vector<PartitionOffset> partitions) {
  for (PartitionOffset& partition : partitions) {
    const auto row =
        transaction.run(kOffset, partition.topic, partition.topic_id, partition.partition);
    partition.next_offset = row.empty() ? -1 : row[0][0].as<std::int64_t>();
    partition.epoch = row.empty() ? 0 : row[0][1].as<int>();
  }
  return partitions;
}

}  // namespace ba
