// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/context_rows.hpp"

#include "pipeline/text/message/langchain_json.hpp"
#include "storage/ledger/end_summaries.sql.hpp"
#include "storage/ledger/fence.hpp"
#include "storage/ledger/shared_columns.hpp"

namespace ba::storage {
namespace {

constexpr Statement kRemind{"insert_reminders", R"sql(
  INSERT INTO reminders (job, round, step, idx, message)
  SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::json[])
  ON CONFLICT DO NOTHING)sql"};

constexpr Statement kCompressions{"insert_compressions", R"sql(
  INSERT INTO compressions (job, round, step, mode, reason, messages_before, messages_after,
                            tokens_before, tokens_after, missed, refusal)
  SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::text[], $5::text[],
                       $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::text[],
                       $11::integer[])
  ON CONFLICT DO NOTHING)sql"};

constexpr Statement kRefused{"insert_refused_contexts", R"sql(
  INSERT INTO refused_contexts (job, round, step, refusal, conversation, model, window_tokens,
                                tokens, of_window, told_limit, told_tokens)
  SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::bigint[],
                       $6::text[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[],
                       $11::bigint[])
  ON CONFLICT DO NOTHING)sql"};

// What earlier jobs found out holds from the first reply on.
constexpr Statement kLoadRefused{"load_refused_contexts", R"sql(
  SELECT job = $2 AND round >= 0 AS of_job, round, step, refusal, model, window_tokens, tokens,
         of_window, told_limit, told_tokens
  FROM refused_contexts WHERE conversation = $1 AND job <= $2
  ORDER BY job, round, step, refusal)sql"};

constexpr Statement kCounts{"insert_exact_counts", R"sql(
  INSERT INTO exact_counts (job, round, step, refusal, model, estimated_tokens, message_tokens,
                            tokens)
  SELECT * FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::text[],
                       $6::bigint[], $7::bigint[], $8::bigint[])
  ON CONFLICT DO NOTHING)sql"};

constexpr Statement kLoadCounts{"load_exact_counts", R"sql(
  SELECT round, step, refusal, model, estimated_tokens, tokens, message_tokens
  FROM exact_counts WHERE job = $1 ORDER BY round, step, refusal)sql"};

constexpr Statement kHistories{"insert_compressed_histories", R"sql(
  INSERT INTO compressed_histories (job, round, conversation, messages, tokens, kept)
  SELECT * FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[], $5::bigint[],
                       $6::json[])
  ON CONFLICT DO NOTHING)sql"};

// What may be lost was counted by who knows of it.
constexpr Statement kEnd{"close_summaries", R"sql(
  UPDATE summaries
  SET state = 'failed', after_round = round, after_step = step, ended_at = clock_timestamp()
  WHERE job = ANY ($1::bigint[]) AND state = 'writing')sql"};

// `state || ''`: by its id alone, and not through all that run.
constexpr Statement kRunning{"summary_job", R"sql(
  SELECT 1 FROM jobs WHERE id = $1 AND incarnation = $2 AND state || '' = 'running'
  FOR SHARE)sql"};

// Who adds up what the last hour cost is alone at it, so that two together can't exceed the limit.
constexpr Statement kOneAtATime{"summary_lock", R"sql(
  SELECT pg_advisory_xact_lock(hashtextextended('ba summaries ' || current_schema(), 0)))sql"};

constexpr Statement kHere{"summary_here", R"sql(
  SELECT state = 'writing' AS being_written FROM summaries
  WHERE job = $1 AND round = $2 AND step = $3)sql"};

constexpr Statement kSame{"summary_same", R"sql(
  SELECT summary, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
         thinking_tokens, cost_micro_usd
  FROM summaries
  WHERE conversation = $1 AND round_id = $2 AND content_hash = $3 AND state = 'ready'
    AND NOT reused AND ended_at > clock_timestamp() - $4 * interval '1 millisecond'
  ORDER BY ended_at DESC LIMIT 1)sql"};

constexpr Statement kElsewhere{"summary_elsewhere", R"sql(
  SELECT 1 FROM summaries
  WHERE conversation = $1 AND round_id = $2 AND content_hash = $3 AND state = 'writing')sql"};

// One whose price isn't known counts as it was estimated.
constexpr Statement kSpent{"summary_spent", R"sql(
  SELECT coalesce(sum(coalesce(cost_micro_usd, estimate_micro_usd)), 0) AS micro_usd FROM summaries
  WHERE began_at > clock_timestamp() - interval '1 hour' AND NOT reused)sql"};

constexpr Statement kBegin{"begin_summary", R"sql(
  INSERT INTO summaries (job, round, step, conversation, round_id, content_hash, state,
                         estimate_micro_usd)
  VALUES ($1, $2, $3, $4, $5, $6, 'writing', $7))sql"};

constexpr Statement kLoad{"load_summaries", R"sql(
  SELECT round, step, after_round, after_step, state, round_id, content_hash,
         CASE WHEN $2 THEN summary ELSE '' END AS summary, model, input_tokens, cache_read_tokens,
         cache_write_tokens, output_tokens, thinking_tokens, cost_micro_usd, reused
  FROM summaries WHERE job = $1 ORDER BY round, step)sql"};

/// Before which try for a reply.
Position try_of(const Row& row) {
  return {row.number("round"), row.number("step"), row.number("refusal")};
}

RefusedContextRow refused_context_of(const Row& row) {
  RefusedContextRow refused;
  refused.at = row.flag("of_job") ? try_of(row) : Position{-1, 0, 0};
  refused.model = row.text("model");
  refused.window = row.big("window_tokens");
  refused.tokens = row.big("tokens");
  refused.of_window = row.big("of_window");
  refused.told_limit = row.optional_big("told_limit");
  refused.told_tokens = row.optional_big("told_tokens");
  return refused;
}

ExactCountRow exact_count_of(const Row& row) {
  ExactCountRow count;
  count.at = try_of(row);
  count.model = row.text("model");
  count.estimated = row.big("estimated_tokens");
  count.tokens = row.optional_big("tokens");
  count.of_messages = row.big("message_tokens");
  return count;
}

summary::Reused reused_of(const Row& row) {
  summary::Reused reused;
  reused.text = row.text("summary");
  reused.usage = usage_of(row);
  reused.cost_micro_usd = row.optional_big("cost_micro_usd");
  return reused;
}

SummaryStanding refused(std::string why) { return summary::Refused{std::move(why)}; }

std::string dollars(std::int64_t micro_usd) { return std::to_string(micro_usd) + " micro-dollars"; }

SummaryRow summary_of(const Row& row) {
  SummaryRow summary;
  summary.at = {row.number("round"), row.number("step"), 0};
  if (!row.is_null("after_round"))
    summary.after = {row.number("after_round"), row.number("after_step"), 0};
  summary.state = *value_of(kSummaryStateNames, row.view("state"));
  summary.round_id = row.text("round_id");
  summary.content_hash = row.text("content_hash");
  summary.text = row.text("summary");
  summary.model = row.text("model");
  summary.usage = usage_of(row);
  summary.cost_micro_usd = row.optional_big("cost_micro_usd");
  summary.reused = row.flag("reused");
  return summary;
}

}  // namespace

void ContextRows::add(const Delta& delta) {
  const std::int64_t job = delta.job.value;
  const std::int64_t conversation = delta.conversation.value;
  for (const ReminderRow& row : delta.reminders)
    reminders_.add(job, row.position.round, row.position.step, row.position.index,
                   message_to_json(row.message));
  for (const CompressionRow& row : delta.compressions)
    compressions_.add(job, row.at.round, row.at.step, row.mode, row.reason, row.messages_before,
                      row.messages_after, row.tokens_before, row.tokens_after,
                      null_if_empty(row.missed), row.at.index);
  for (const RefusedContextRow& row : delta.refused_contexts)
    refused_.add(job, row.at.round, row.at.step, row.at.index, conversation, row.model, row.window,
                 row.tokens, row.of_window, row.told_limit, row.told_tokens);
  for (const ExactCountRow& row : delta.exact_counts)
    counts_.add(job, row.at.round, row.at.step, row.at.index, row.model, row.estimated,
                row.of_messages, row.tokens);
  for (const CompressedHistoryRow& row : delta.compressed_histories)
    histories_.add(job, row.round, conversation, row.messages, row.tokens, row.kept_json);
  for (const SummaryRow& row : delta.summaries)
    summaries_.add(job, row.at.round, row.at.step, conversation, row.round_id, row.content_hash,
                   name_of(kSummaryStateNames, row.state), row.after.round, row.after.step,
                   row.text, row.model, row.usage.input_tokens, row.usage.cache_read_tokens,
                   row.usage.cache_write_tokens, row.usage.output_tokens, row.usage.thinking_tokens,
                   row.cost_micro_usd, row.reused);
}

void ContextRows::write(Transaction& transaction) const {
  reminders_.write(transaction, kRemind);
  compressions_.write(transaction, kCompressions);
  refused_.write(transaction, kRefused);
  counts_.write(transaction, kCounts);
  histories_.write(transaction, kHistories);
  summaries_.write(transaction, sql::kEndSummaries);
}

Result<SummaryStanding> begin_summary(Transaction& transaction, IncarnationId self,
                                      const SummaryOrder& order) {
  if (transaction.run(kRunning, order.job.value, self.value).empty())
    return not_running(order.job, self);
  transaction.send(kOneAtATime);
  const auto here = transaction.run(kHere, order.job.value, order.at.round, order.at.step);
  if (!here.empty())
    return here[0].flag("being_written") ? SummaryStanding(summary::Begun{})
                                         : refused("there was one at this place");
  const auto same = transaction.run(kSame, order.conversation.value, order.round_id,
                                    order.content_hash, order.reuse_within.count());
  if (!same.empty()) return SummaryStanding(reused_of(same[0]));
  if (!transaction.run(kElsewhere, order.conversation.value, order.round_id, order.content_hash)
           .empty())
    return refused("another job is having it written");
  const auto spent = transaction.run(kSpent).first().big("micro_usd");
  if (spent + order.estimate_micro_usd > order.hour_micro_usd_max)
    return refused(dollars(spent) +
                   " were spent on summaries in the last hour, this one is "
                   "estimated at " +
                   dollars(order.estimate_micro_usd) + ", max_compression_cost_per_hour is " +
                   dollars(order.hour_micro_usd_max));
  transaction.send(kBegin, order.job.value, order.at.round, order.at.step, order.conversation.value,
                   order.round_id, order.content_hash, order.estimate_micro_usd);
  return SummaryStanding(summary::Begun{});
}

std::vector<SummaryRow> load_summaries(Transaction& transaction, LedgerJobId job, bool with_texts) {
  return read_all(transaction.run(kLoad, job.value, with_texts), summary_of);
}

std::vector<RefusedContextRow> load_refused_contexts(Transaction& transaction, LedgerJobId job,
                                                     LedgerConversationId conversation) {
  return read_all(transaction.run(kLoadRefused, conversation.value, job.value), refused_context_of);
}

std::vector<ExactCountRow> load_exact_counts(Transaction& transaction, LedgerJobId job) {
  return read_all(transaction.run(kLoadCounts, job.value), exact_count_of);
}

void end_summaries(Transaction& transaction, const BigintArray& jobs) {
  transaction.send(kEnd, jobs);
}

}  // namespace ba::storage
