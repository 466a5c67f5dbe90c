// SPDX-License-Identifier: Apache-2.0
#include "storage/control/no_such_job.hpp"
#include "storage/control/write_once.hpp"
#include "storage/dead_letters.hpp"
#include "storage/ledger/intake_rows.hpp"

namespace ba::storage {
namespace {

constexpr Statement kSource{"copy_source", R"sql(
  SELECT j.id, j.conversation, j.state = 'finished' AS finished, j.payload, j.source_topic,
         j.source_topic_id, j.source_partition, j.source_offset,
         (SELECT count(*) FROM rounds r WHERE r.job = j.id AND r.status = 'completed') AS answered,
         (SELECT count(*) FROM redrives d WHERE d.job = j.id) AS copies,
         EXISTS (SELECT 1 FROM jobs before WHERE before.conversation = j.conversation
                 AND before.id < j.id AND before.state <> 'finished') AS comes_after_another
  FROM jobs j WHERE j.tenant = $1 AND j.job_id = $2)sql"};

// Nothing of the conversation is removed by age until this transaction ends.
constexpr Statement kKeepSource{"copy_keep_source", R"sql(
  SELECT 1 FROM conversations c
  WHERE c.id = (SELECT conversation FROM jobs WHERE tenant = $1 AND job_id = $2)
  FOR KEY SHARE)sql"};

constexpr Statement kTaken{"copy_taken", R"sql(
  SELECT EXISTS (SELECT 1 FROM jobs WHERE tenant = $1 AND job_id = $2) AS job,
         EXISTS (SELECT 1 FROM conversations WHERE tenant = $1 AND conversation_id = $3)
           AS conversation)sql"};

// Of this transaction, with a conversation of this transaction: the intake passes over a name that
// somebody else has taken meanwhile.
constexpr Statement kNewJob{"copy_new_job", R"sql(
  SELECT j.id, j.conversation FROM jobs j JOIN conversations c ON c.id = j.conversation
  WHERE j.tenant = $1 AND j.job_id = $2 AND j.xmin = pg_current_xact_id()::xid
    AND c.created_at = now())sql"};

// $1 source, $2 its conversation, $3 the copy's conversation.
constexpr Statement kHistory{"copy_history", R"sql(
  INSERT INTO inherited_messages (conversation, n, message)
  SELECT $3::bigint, row_number() OVER (ORDER BY job, round, step, idx), message
  FROM messages WHERE conversation = $2 AND job < $1)sql"};

// $1 source, $2 its conversation, $3 the copy's. Of the calls whose results that history has.
constexpr Statement kSavedInHistory{"copy_saved_in_history", R"sql(
  UPDATE conversations SET inherited_saved_tokens =
    (SELECT inherited_saved_tokens FROM conversations WHERE id = $2)
    + (SELECT coalesce(sum(t.saved_tokens), 0)
       FROM rounds r JOIN tool_calls t ON t.job = r.job AND t.round = r.round
       WHERE r.conversation = $2 AND r.job < $1)
  WHERE id = $3)sql"};

// $1 source, $2 copy, $3 rounds that are kept, $4 whether what there is of the next is kept too.
// Of that one, steps that asked for tools: an answer that ended nothing is to be given again.
constexpr Statement kSteps{"copy_steps", R"sql(
  INSERT INTO steps (job, round, step, stop_reason, provider, model, provider_request_id,
                     request_hash, input_tokens, cache_read_tokens, cache_write_tokens,
                     output_tokens, thinking_tokens, cost_micro_usd, tries, wasted_calls,
                     latency_ms, replied_at, message, answer_repair, copied)
  SELECT $2::bigint, round, step, stop_reason, provider, model, provider_request_id, request_hash,
         0, 0, 0, 0, 0, 0 * cost_micro_usd, tries, 0, latency_ms, replied_at,
         message, answer_repair, true
  FROM steps s
  WHERE job = $1 AND (round < $3::integer
    OR $4::boolean AND round = $3::integer
       AND EXISTS (SELECT 1 FROM tool_calls t WHERE t.job = $1 AND t.round = s.round
                                                AND t.step = s.step)))sql"};

constexpr Statement kRounds{"copy_rounds", R"sql(
  INSERT INTO rounds (job, round, conversation, round_id, status, opened_at, closed_at,
                      final_answer, latency_ms, message)
  SELECT $2::bigint, round, $5::bigint, round_id,
         CASE WHEN round < $3::integer THEN status ELSE 'in_progress' END, opened_at,
         CASE WHEN round < $3::integer THEN closed_at END,
         CASE WHEN round < $3::integer THEN final_answer END, latency_ms,
         message
  FROM rounds
  WHERE job = $1 AND (round < $3::integer OR $4::boolean AND round = $3::integer))sql"};

constexpr Statement kCalls{"copy_calls", R"sql(
  INSERT INTO tool_calls (job, round, step, idx, tool_call_id, tool_name, tool_version, parameters,
                          effect, state, intended_at, started_at, finished_at, output_level,
                          data_size_bytes, data_summary, error_type, error_code, error_message,
                          retry_count, duration_ms, message, semantic_key, cache_hit, cache_origin,
                          artifact_id, data_hash, telemetry, note, saved_tokens, copied)
  SELECT $2::bigint, round, step, idx, tool_call_id, tool_name, tool_version, parameters, effect, state,
         intended_at, started_at, finished_at, output_level, data_size_bytes, data_summary,
         error_type, error_code, error_message, retry_count, duration_ms, message, semantic_key,
         cache_hit, cache_origin, artifact_id, data_hash, telemetry, note, saved_tokens,
         finished_at IS NOT NULL
  FROM tool_calls
  WHERE job = $1 AND (round < $3::integer OR $4::boolean AND round = $3::integer))sql"};

// Of a step that is kept, too: the copy is asked what its source was.
constexpr Statement kReminders{"copy_reminders", R"sql(
  INSERT INTO reminders (job, round, step, idx, message)
  SELECT $2::bigint, round, step, idx, message FROM reminders
  WHERE job = $1 AND (round < $3::integer OR $4::boolean AND round = $3::integer))sql"};

// $1 source, $2 copy, $3 and $4 as above, $5 the copy's conversation, $6 the source's. After the
// steps: what was refused for a reply that came along stands with it. What earlier jobs found out,
// and what was refused for a reply that the copy asks for anew, stands before its first round.
constexpr Statement kRefusedContexts{"copy_refused_contexts", R"sql(
  INSERT INTO refused_contexts (job, round, step, refusal, conversation, model, window_tokens,
                                tokens, of_window, told_limit, told_tokens, refused_at)
  SELECT $2::bigint, CASE WHEN came THEN round ELSE -1 END, CASE WHEN came THEN step ELSE 0 END,
         CASE WHEN came THEN refusal
              ELSE row_number() OVER (PARTITION BY came ORDER BY job, round, step, refusal) END,
         $5::bigint, model, window_tokens, tokens, of_window, told_limit, told_tokens, refused_at
  FROM (SELECT r.*, r.job = $1 AND EXISTS (SELECT 1 FROM steps s WHERE s.job = $2 AND s.copied
                        AND s.round = r.round AND s.step = r.step) AS came
        FROM refused_contexts r
        WHERE r.conversation = $6::bigint
          AND (r.job < $1 OR r.job = $1 AND (r.round < $3::integer
                                             OR $4::boolean AND r.round = $3::integer))) known)sql"};

// After the steps: of replies that came along. What was counted for another is of its own history.
constexpr Statement kExactCounts{"copy_exact_counts", R"sql(
  INSERT INTO exact_counts (job, round, step, refusal, model, estimated_tokens, message_tokens,
                            tokens, counted_at)
  SELECT $2::bigint, c.round, c.step, c.refusal, c.model, c.estimated_tokens, c.message_tokens,
         c.tokens, c.counted_at
  FROM exact_counts c
  JOIN steps s ON s.job = $2 AND s.copied AND s.round = c.round AND s.step = c.step
  WHERE c.job = $1)sql"};

constexpr Statement kSkills{"copy_skills", R"sql(
  INSERT INTO skill_uses (job, round, step, idx, activation_id, skill, hash, depth, done_step,
                          used_at)
  SELECT $2::bigint, round, step, idx, activation_id, skill, hash, depth, done_step, used_at
  FROM skill_uses
  WHERE job = $1 AND (round < $3::integer OR $4::boolean AND round = $3::integer))sql"};

constexpr Statement kInjected{"copy_injected", R"sql(
  INSERT INTO injected_messages (job, round, step, idx, message)
  SELECT $2::bigint, round, step, idx, message
  FROM injected_messages
  WHERE job = $1 AND (round < $3::integer OR $4::boolean AND round = $3::integer))sql"};

// $1 source's conversation, $2 copy, $3 its conversation. What its history names it may read.
constexpr Statement kArtifacts{"copy_artifacts", R"sql(
  INSERT INTO artifact_references (conversation, artifact, job, round, step, idx, tenant)
  SELECT $3::bigint, r.artifact, $2::bigint, 0, -1, 0, r.tenant
  FROM artifact_references r JOIN jobs j ON j.id = $2 AND j.tenant = r.tenant
  WHERE r.conversation = $1
  GROUP BY r.artifact, r.tenant)sql"};

// $1 copy, $2 rounds that are kept. After all rows: the last step is that of those that were kept.
constexpr Statement kMark{"copy_mark", R"sql(
  UPDATE jobs SET copied_rounds = $2::integer, copied_step = greatest(
    (SELECT max(0) FROM rounds WHERE job = $1 AND round = $2::integer),
    (SELECT max(step) FROM steps WHERE job = $1 AND round = $2::integer), -1)
  WHERE id = $1)sql"};

constexpr Statement kNote{"note_copy", R"sql(
  INSERT INTO redrives (job, new_tenant, new_job_id, from_round, edited, redriven_by, sent_at)
  VALUES ($1, $2, $3, $4, $5, $6, now()))sql"};

Error conflict(std::string message) { return make_error(ErrorCode::Conflict, std::move(message)); }

Error taken(const Job& job) {
  return conflict("there is a job " + job.tenant.value + "/" + job.job_id.value +
                  " already; name another with --as");
}

Result<void> check_names_free(Transaction& transaction, const Job& job) {
  const Row names =
      transaction.run(kTaken, job.tenant.value, job.job_id.value, job.conversation_id.value)
          .first();
  if (names.flag("job")) return taken(job);
  if (names.flag("conversation"))
    return conflict("there is a conversation \"" + job.conversation_id.value + "\" of tenant " +
                    job.tenant.value + " already; name another job with --as");
  return {};
}

struct Ids {
  std::int64_t source = 0;
  std::int64_t source_conversation = 0;
  std::int64_t job = 0;
  std::int64_t conversation = 0;
};

void copy_rows(Transaction& transaction, const Ids& ids, const CopiedRows& rows) {
  transaction.run(kHistory, ids.source, ids.source_conversation, ids.conversation);
  transaction.run(kSavedInHistory, ids.source, ids.source_conversation, ids.conversation);
  transaction.run(kSteps, ids.source, ids.job, rows.rounds, rows.goes_on);
  transaction.run(kRounds, ids.source, ids.job, rows.rounds, rows.goes_on, ids.conversation);
  transaction.run(kCalls, ids.source, ids.job, rows.rounds, rows.goes_on);
  transaction.run(kReminders, ids.source, ids.job, rows.rounds, rows.goes_on);
  transaction.run(kRefusedContexts, ids.source, ids.job, rows.rounds, rows.goes_on,
                  ids.conversation, ids.source_conversation);
  transaction.run(kExactCounts, ids.source, ids.job);
  transaction.run(kSkills, ids.source, ids.job, rows.rounds, rows.goes_on);
  transaction.run(kInjected, ids.source, ids.job, rows.rounds, rows.goes_on);
  transaction.run(kMark, ids.job, rows.rounds);
  transaction.run(kArtifacts, ids.source_conversation, ids.job, ids.conversation);
}

Result<CopiedRows> copy(Transaction& transaction, const JobCopy& wanted) {
  const JobName& name = wanted.source;
  const Job& job = wanted.job.job;
  transaction.run(kKeepSource, name.tenant.value, name.job.value);
  const auto found = transaction.run(kSource, name.tenant.value, name.job.value);
  if (found.empty()) return no_such_job(transaction, name);
  const Row source = found[0];
  const int answered = source.number("answered");
  const std::string shown = name.tenant.value + "/" + name.job.value;
  if (!wanted.from_round && !source.flag("finished"))
    return conflict("job " + shown + " has not ended");
  if (wanted.from_round && *wanted.from_round > answered)
    return conflict("job " + shown + " has " + std::to_string(answered) +
                    " answered rounds: it can be gone on with from round 0 to " +
                    std::to_string(answered));
  if (source.flag("comes_after_another"))
    return conflict("a job before " + shown + " in its conversation has not ended: what " + shown +
                    " goes on with is not there yet");
  if (auto free = check_names_free(transaction, job); !free) return free.error();
  IntakeBatch batch;
  batch.jobs.push_back(wanted.job);
  write_intake(transaction, batch);
  const auto made = transaction.run(kNewJob, job.tenant.value, job.job_id.value);
  if (made.empty()) return taken(job);
  const Ids ids{source.big("id"), source.big("conversation"), made[0].big("id"),
                made[0].big("conversation")};
  const CopiedRows rows{wanted.from_round.value_or(answered), !wanted.from_round};
  copy_rows(transaction, ids, rows);
  transaction.run(kNote, ids.source, job.tenant.value, job.job_id.value, wanted.from_round,
                  wanted.edited, wanted.by);
  return rows;
}

}  // namespace

Result<CopySource> find_copy_source(const PgAccess& access, const JobName& name) {
  return read_once(access, [&](Transaction& transaction) -> Result<CopySource> {
    const auto rows = transaction.run(kSource, name.tenant.value, name.job.value);
    if (rows.empty()) return no_such_job(transaction, name);
    const Row row = rows[0];
    CopySource found;
    found.finished = row.flag("finished");
    found.payload = row.bytes("payload");
    found.source.topic = row.text("source_topic");
    found.source.topic_id = row.text("source_topic_id");
    found.source.partition = row.number("source_partition");
    found.source.offset = row.big("source_offset");
    found.copies = row.number("copies");
    return found;
  });
}

Result<CopiedRows> copy_job(const PgAccess& access, const JobCopy& wanted) {
  return write_once(access, [&](Transaction& transaction) { return copy(transaction, wanted); });
}

}  // namespace ba::storage
