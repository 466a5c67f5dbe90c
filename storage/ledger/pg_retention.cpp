// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/pg_retention.hpp"

#include <algorithm>

#include "storage/ledger/answer_from.hpp"
#include "storage/ledger/fence.hpp"
#include "storage/ledger/keep_sums_calls.sql.hpp"
#include "storage/ledger/keep_sums_jobs.sql.hpp"
#include "storage/ledger/keep_sums_replies.sql.hpp"
#include "storage/ledger/retention_old_jobs.sql.hpp"
#include "storage/ledger/skill_rows.hpp"
#include "storage/postgres/array_parameter.hpp"

namespace ba::storage {
namespace {

// One installation's, so it is named after the schema. Released with the transaction.
constexpr Statement kOneAtATime{"retention_lock", R"sql(
  SELECT pg_try_advisory_xact_lock(hashtextextended('ba retention ' || current_schema(), 0))
         AS locked)sql"};

// A job may have come between the choice and the lock; none comes after it.
constexpr Statement kStillOld{"retention_still_old", R"sql(
  SELECT j.id, j.conversation FROM jobs j
  WHERE j.id = ANY ($1::bigint[])
    AND NOT EXISTS (SELECT 1 FROM jobs other
                    WHERE other.conversation = j.conversation AND other.state <> 'finished'
                    OFFSET 0))sql"};

constexpr Statement kRemoveRows[] = {
    {"retention_jobs", "DELETE FROM jobs WHERE id = ANY ($1::bigint[])"},
    {"retention_steps", "DELETE FROM steps WHERE job = ANY ($1::bigint[])"},
    {"retention_calls", "DELETE FROM tool_calls WHERE job = ANY ($1::bigint[])"},
    {"retention_rounds", "DELETE FROM rounds WHERE job = ANY ($1::bigint[])"},
    {"retention_compressions", "DELETE FROM compressions WHERE job = ANY ($1::bigint[])"},
    {"retention_refused", "DELETE FROM refused_contexts WHERE job = ANY ($1::bigint[])"},
    {"retention_counts", "DELETE FROM exact_counts WHERE job = ANY ($1::bigint[])"},
    {"retention_compressed", "DELETE FROM compressed_histories WHERE job = ANY ($1::bigint[])"},
    {"retention_reminders", "DELETE FROM reminders WHERE job = ANY ($1::bigint[])"},
    {"retention_summaries", "DELETE FROM summaries WHERE job = ANY ($1::bigint[])"},
    {"retention_attempts", "DELETE FROM attempts WHERE job = ANY ($1::bigint[])"},
    {"retention_wasted", "DELETE FROM wasted_model_calls WHERE job = ANY ($1::bigint[])"},
    {"retention_skill_uses", "DELETE FROM skill_uses WHERE job = ANY ($1::bigint[])"},
    {"retention_injected", "DELETE FROM injected_messages WHERE job = ANY ($1::bigint[])"},
    {"retention_artifacts", "DELETE FROM artifact_references WHERE job = ANY ($1::bigint[])"},
    {"retention_metrics", "DELETE FROM metrics WHERE job = ANY ($1::bigint[])"},
    {"retention_redrives", "DELETE FROM redrives WHERE job = ANY ($1::bigint[])"}};

// What a conversation began with goes with the last of its own rounds.
constexpr Statement kRemoveInherited{"retention_inherited", R"sql(
  DELETE FROM inherited_messages i
  WHERE i.conversation = ANY ($1::bigint[])
    AND NOT EXISTS (SELECT 1 FROM rounds r WHERE r.conversation = i.conversation))sql"};

// $1 to $4 as above. Conversations by the age of their import. Their rows stay, as those of others
// do, and the lock keeps jobs out meanwhile.
constexpr Statement kOldImports{"retention_old_imports", R"sql(
  SELECT c.id FROM conversations c
  LEFT JOIN unnest($2::text[], $3::bigint[]) AS own (tenant, age) ON own.tenant = c.tenant
  WHERE c.imported_by IS NOT NULL AND coalesce(own.age, $1::bigint) >= 0
    AND c.created_at < now() - coalesce(own.age, $1::bigint) * interval '1 millisecond'
  ORDER BY c.created_at LIMIT $4::integer
  FOR UPDATE OF c SKIP LOCKED)sql"};

// One that a job has gone on with ages with its jobs from now on.
constexpr Statement kEndImports{"retention_end_imports", R"sql(
  UPDATE conversations c SET imported_by = NULL
  WHERE c.id = ANY ($1::bigint[])
  RETURNING CASE WHEN NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.conversation = c.id)
                 THEN c.id ELSE 0 END AS without_jobs)sql"};

// $1 milliseconds, $2 rows. A stopped shard's rows, and those of the last hour before a shard's
// last batch, are what `outbox verify` compares.
constexpr Statement kRemoveOutbox{"retention_outbox", R"sql(
  DELETE FROM outbox WHERE id = ANY (ARRAY (
    SELECT o.id FROM outbox o JOIN outbox_shards s ON s.shard = o.shard
    WHERE o.published_at IS NOT NULL
      AND o.published_at < now() - $1 * interval '1 millisecond'
      AND o.published_at < s.published_at - interval '1 hour' AND s.stopped_reason IS NULL
    ORDER BY o.published_at LIMIT $2::integer)))sql"};

constexpr Statement kRemoveLetters{"retention_letters", R"sql(
  DELETE FROM dead_letters WHERE id = ANY (ARRAY (
    SELECT l.id FROM dead_letters l
    WHERE l.created_at < now() - $1 * interval '1 millisecond'
      AND NOT EXISTS (SELECT 1 FROM outbox o
                      WHERE o.result_id = l.result_id AND o.published_at IS NULL OFFSET 0)
    ORDER BY l.created_at LIMIT $2::integer)) RETURNING id)sql"};

constexpr Statement kRemoveRecordRedrives{"retention_record_redrives", R"sql(
  DELETE FROM redrives WHERE dead_letter = ANY ($1::bigint[]))sql"};

constexpr std::int64_t kForEver = -1;

BigintArray ids_of(const Rows& rows, ColumnName column) {
  BigintArray ids;
  for (const Row& row : rows) ids.add(row.big(column));
  return ids;
}

bool removes_jobs(const RetentionRules& rules) {
  return rules.jobs || std::any_of(rules.tenants.begin(), rules.tenants.end(),
                                   [](const auto& rule) { return rule.second.has_value(); });
}

/// What a statement is told of ages.
struct Ages {
  explicit Ages(const RetentionRules& rules) {
    for (const auto& [tenant, age] : rules.tenants) {
      tenants.add(tenant.value);
      own.add(age ? age->count() : kForEver);
    }
    if (rules.jobs) age = rules.jobs->count();
  }

  std::optional<std::int64_t> age;
  TextArray tenants;
  BigintArray own;
};

void remove_imports(Transaction& transaction, const RetentionRules& rules, RemovedRows& removed) {
  const Ages ages(rules);
  const auto old =
      transaction.run(kOldImports, ages.age, ages.tenants, ages.own, rules.batch_rows_max);
  if (old.empty()) return;
  transaction.run(kRemoveInherited,
                  ids_of(transaction.run(kEndImports, ids_of(old, "id")), "without_jobs"));
  removed.more = removed.more || old.size() >= static_cast<std::size_t>(rules.batch_rows_max);
}

/// What dashboards go on counting of jobs that retention removes: sums by tenant and day, added in
/// the very transaction that removes them, so each is counted once whatever happens. `jobs` have
/// ended and still have all their rows.
void keep_sums(Transaction& transaction, const BigintArray& jobs) {
  for (const Statement& statement :
       {sql::kKeepSumsJobs, sql::kKeepSumsReplies, sql::kKeepSumsCalls})
    transaction.run(statement, jobs);
}

/// Says in `removed` how many, and whether there may be more.
void remove_jobs(Transaction& transaction, const RetentionRules& rules, RemovedRows& removed) {
  const Ages ages(rules);
  const auto old = transaction.run(sql::kRetentionOldJobs, ages.age, ages.tenants, ages.own,
                                   rules.batch_rows_max);
  if (old.empty()) return;
  const auto gone = transaction.run(kStillOld, ids_of(old, "id"));
  const BigintArray jobs = ids_of(gone, "id");
  keep_sums(transaction, jobs);
  for (const Statement& statement : kRemoveRows) transaction.run(statement, jobs);
  transaction.run(kRemoveInherited, ids_of(gone, "conversation"));
  remove_unused_skills(transaction);
  removed.jobs = static_cast<std::int64_t>(gone.size());
  removed.more = old[0].big("looked_at") >= rules.batch_rows_max;
}

std::int64_t remove_letters(Transaction& transaction, const RetentionRules& rules) {
  const auto removed =
      transaction.run(kRemoveLetters, rules.dead_letters->count(), rules.batch_rows_max);
  if (!removed.empty()) transaction.run(kRemoveRecordRedrives, ids_of(removed, "id"));
  return static_cast<std::int64_t>(removed.size());
}

Result<RemovedRows> remove(Transaction& transaction, IncarnationId self,
                           const RetentionRules& rules) {
  if (auto alive = fence(transaction, self); !alive) return alive.error();
  RemovedRows removed;
  if (!transaction.run(kOneAtATime).first().flag("locked")) return removed;
  if (removes_jobs(rules)) {
    remove_jobs(transaction, rules, removed);
    remove_imports(transaction, rules, removed);
  }
  if (rules.outbox)
    removed.outbox_rows =
        transaction.run(kRemoveOutbox, rules.outbox->count(), rules.batch_rows_max).affected();
  if (rules.dead_letters) removed.dead_letters = remove_letters(transaction, rules);
  const auto most = std::max(removed.outbox_rows, removed.dead_letters);
  removed.more = removed.more || most >= rules.batch_rows_max;
  return removed;
}

}  // namespace

void PgRetention::remove_batch(IncarnationId self, RetentionRules rules,
                               Completion<RemovedRows> done) {
  answer_from(removers_, executor_, std::move(done),
              [self, rules = std::move(rules)](Transaction& transaction) {
                return remove(transaction, self, rules);
              });
}

}  // namespace ba::storage
