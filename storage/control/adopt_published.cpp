// SPDX-License-Identifier: Apache-2.0
#include "storage/control/write_once.hpp"
#include "storage/ledger/outbox_rows.hpp"
#include "storage/ledger/sub_agent_rows.hpp"
#include "storage/outbox_audit.hpp"

namespace ba::storage {
namespace {

// No worker comes or renews until this transaction ends.
constexpr const char* kHoldWorkers = "LOCK TABLE incarnations IN SHARE MODE";

constexpr Statement kAlive{"alive_workers", R"sql(
  SELECT count(*) AS workers, coalesce(string_agg(worker, ', '), '') AS names FROM incarnations
  WHERE state = 'alive' AND lease_until > clock_timestamp())sql"};

constexpr Statement kMark{"adopt_mark", R"sql(
  UPDATE outbox
  SET record_value = $2, record_headers = $3, batch = $4, published_at = now()
  WHERE result_id = $1 AND published_at IS NULL)sql"};

constexpr Statement kMarkNew{"adopt_mark_new", R"sql(
  UPDATE outbox SET batch = $2, published_at = now() WHERE result_id = $1)sql"};

constexpr Statement kRestart{"adopt_restart", R"sql(
  UPDATE outbox_shards
  SET assigned_batch = $2, published_batch = $2, in_flight = '{}', published_at = now(),
      stopped_reason = NULL, stopped_at = NULL
  WHERE shard = $1 AND stopped_reason IS NOT NULL)sql"};

constexpr Statement kJob{"adopt_job", R"sql(
  SELECT id, state, coalesce(result, ''::bytea) = $3 AS same FROM jobs
  WHERE tenant = $1 AND job_id = $2 FOR UPDATE)sql"};

constexpr Statement kAddConversation{"adopt_conversation", R"sql(
  INSERT INTO conversations (tenant, conversation_id) VALUES ($1, $2) ON CONFLICT DO NOTHING)sql"};

constexpr Statement kAddJob{"adopt_add_job", R"sql(
  INSERT INTO jobs (tenant, job_id, conversation, lane, payload, source_topic, source_topic_id,
                    source_partition, source_offset, created_at)
  SELECT $1::text, $2::text, id, 1, $4::bytea, '', '', 0, 0, to_timestamp($5::bigint / 1e6)
  FROM conversations WHERE tenant = $1 AND conversation_id = $3
  RETURNING id)sql"};

constexpr Statement kEndJob{"adopt_end_job", R"sql(
  UPDATE jobs
  SET state = 'finished', incarnation = coalesce(incarnation, 0), idle_since = NULL,
      attempt = greatest(attempt, $2::integer), finished_at = to_timestamp($3::bigint / 1e6),
      first_claimed_at = coalesce(first_claimed_at, to_timestamp($4::bigint / 1e6)),
      outcome = $5, error_type = $6, error_code = $7, error_message = $8, result_id = $9,
      result = $10, model = $11, rounds = $12, steps = $13, tool_calls = $14,
      tool_calls_failed = $15, wasted_model_calls = $16, input_tokens = $17,
      cache_read_tokens = $18, cache_write_tokens = $19, output_tokens = $20,
      thinking_tokens = $21, cost_micro_usd = $22, cost_known = $23
  WHERE id = $1)sql"};

// What the database still has of a round that went on without it would leave calls unanswered.
constexpr Statement kDropCalls{"adopt_drop_calls", R"sql(
  DELETE FROM tool_calls t USING rounds r
  WHERE r.job = $1 AND r.status = 'in_progress' AND t.job = r.job AND t.round = r.round)sql"};
constexpr Statement kDropSteps{"adopt_drop_steps", R"sql(
  DELETE FROM steps s USING rounds r
  WHERE r.job = $1 AND r.status = 'in_progress' AND s.job = r.job AND s.round = r.round)sql"};
constexpr Statement kDropRounds{"adopt_drop_rounds", R"sql(
  DELETE FROM rounds WHERE job = $1 AND status = 'in_progress')sql"};

constexpr Statement kEndAttempts{"adopt_end_attempts", R"sql(
  UPDATE attempts SET ended_at = now(), ending = 'finished'
  WHERE job = $1 AND ended_at IS NULL)sql"};

Error conflict(std::string message) { return make_error(ErrorCode::Conflict, std::move(message)); }

std::int64_t micros(WallTime time) { return time.time_since_epoch().count(); }

class Adoption {
 public:
  explicit Adoption(Transaction& transaction) : transaction_(transaction) {}

  Result<AdoptionReport> adopt(const std::vector<ShardAdoption>& shards) {
    transaction_.execute(kHoldWorkers);
    const Row alive = transaction_.run(kAlive).first();
    if (alive.big("workers") > 0)
      return conflict("workers are running (" + alive.text("names") +
                      "): stop them, and wait until their leases have run out");
    for (const ShardAdoption& shard : shards) {
      for (const AdoptedRecord& adopted : shard.records) adopt_record(adopted, shard.receipt);
      if (transaction_.run(kRestart, shard.shard, shard.receipt).affected() == 0)
        return conflict("outbox shard " + std::to_string(shard.shard) + " is not stopped any more");
    }
    return report_;
  }

 private:
  void adopt_record(const AdoptedRecord& adopted, std::int64_t receipt) {
    const OutboxRecord& record = adopted.record;
    const auto marked = transaction_.run(kMark, record.result_id.value, Bytes{record.value},
                                         headers_to_json(record.headers), receipt);
    if (marked.affected() > 0) {
      ++report_.records_marked;
    } else {
      insert_outbox(transaction_, {&record});
      transaction_.run(kMarkNew, record.result_id.value, receipt);
      ++report_.records_added;
    }
    if (adopted.result) adopt_result(*adopted.result, adopted);
  }

  void adopt_result(const JobResult& result, const AdoptedRecord& adopted) {
    const std::string& bytes = adopted.record.value;
    const auto rows =
        transaction_.run(kJob, result.tenant.value, result.job_id.value, Bytes{bytes});
    std::int64_t id = 0;
    if (rows.empty()) {
      id = add_job(result, adopted.payload);
      ++report_.jobs_added;
    } else {
      const bool finished = rows[0].view("state") == "finished";
      if (finished && rows[0].flag("same")) return;
      id = rows[0].big("id");
      ++(finished ? report_.jobs_replaced : report_.jobs_ended);
    }
    end_job(id, result, bytes);
  }

  /// A job that was taken in after what the database remembers: its record is read again, and must
  /// not run again.
  std::int64_t add_job(const JobResult& result, const std::string& payload) {
    transaction_.run(kAddConversation, result.tenant.value, result.conversation_id.value);
    const auto added =
        transaction_.run(kAddJob, result.tenant.value, result.job_id.value,
                         result.conversation_id.value, Bytes{payload}, micros(result.created_at));
    return added.first().big("id");
  }

  void end_job(std::int64_t id, const JobResult& result, const std::string& bytes) {
    transaction_.run(kDropCalls, id);
    transaction_.run(kDropSteps, id);
    transaction_.run(kDropRounds, id);
    std::optional<std::string> type;
    std::optional<std::string> code;
    std::optional<std::string> message;
    if (result.error) {
      type = result.error->type;
      code = result.error->code;
      message = result.error->message;
    }
    const JobTotals& totals = result.totals;
    transaction_.run(
        kEndJob, id, result.attempts, micros(result.finished_at), micros(result.started_at),
        std::string(to_string(result.outcome)), type, code, message, result.result_id.value,
        Bytes{bytes}, result.model, totals.rounds, totals.steps, totals.tool_calls,
        totals.tool_calls_failed, totals.wasted_model_calls, totals.usage.input_tokens,
        totals.usage.cache_read_tokens, totals.usage.cache_write_tokens, totals.usage.output_tokens,
        totals.usage.thinking_tokens, totals.cost_micro_usd, totals.cost_known);
    transaction_.run(kEndAttempts, id);
    BigintArray ended;
    ended.add(id);
    end_sub_agents(transaction_, ended);
  }

  Transaction& transaction_;
  AdoptionReport report_;
};

}  // namespace

Result<AdoptionReport> adopt_published(const PgAccess& access,
                                       const std::vector<ShardAdoption>& shards) {
  return write_once(access,
                    [&](Transaction& transaction) { return Adoption(transaction).adopt(shards); });
}

}  // namespace ba::storage
