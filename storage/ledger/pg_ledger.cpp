// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/pg_ledger.hpp"

#include "storage/ledger/answer_from.hpp"
#include "storage/ledger/claim_rows.hpp"
#include "storage/ledger/context_rows.hpp"
#include "storage/ledger/fence.hpp"
#include "storage/ledger/intake_rows.hpp"
#include "storage/ledger/load_rows.hpp"
#include "storage/ledger/sub_agent_rows.hpp"
#include "storage/postgres/array_parameter.hpp"

namespace ba::storage {
namespace {

constexpr int kClaimRacesMax = 5;

// Until something is written after a crash, the job stays one that comes after it. Sub-agents go
// with the job that asked for them.
constexpr Statement kHandBack{"hand_back", R"sql(
  WITH returned AS (
    UPDATE jobs
    SET state = CASE WHEN parent IS NOT NULL THEN 'held'
                     WHEN request = 'pause' THEN 'paused'
                     WHEN id = ANY ($3::bigint[]) THEN 'waiting' ELSE 'ready' END,
        idle_since = CASE WHEN parent IS NOT NULL OR request = 'pause' OR id = ANY ($3::bigint[])
                          THEN now() END,
        request = nullif(request, 'pause'),
        incarnation = NULL, attempt = attempt - 1,
        after_crash = after_crash AND id <> ALL ($3::bigint[])
    WHERE (id = ANY ($2::bigint[]) OR parent = ANY ($2::bigint[]))
      AND incarnation = $1 AND state = 'running'
    RETURNING id, claims)
  UPDATE attempts SET ended_at = now(), ending = 'handed_back'
  FROM returned WHERE job = returned.id AND claim = returned.claims)sql"};

/// What the database refuses of a batch's records, whatever it is, is the records' fault; all else
/// goes on as it came.
Result<void> write_records(Transaction& transaction, const IntakeBatch& batch) {
  try {
    write_intake(transaction, batch);
    transaction.settle();
    return {};
  } catch (const std::exception& exception) {
    Error error = error_of_exception(exception);
    if (!refuses_record(error)) throw;
    error.code = ErrorCode::InvalidArgument;
    error.retry = Retry::Never;
    return error;
  }
}

Result<ClaimAnswer> take_in(Transaction& transaction, IncarnationId self, const IntakeBatch& batch,
                            const ClaimRequest& request) {
  if (auto alive = fence(transaction, self); !alive) return alive.error();
  if (auto written = write_records(transaction, batch); !written) return written.error();
  return claim_jobs(transaction, self, request);
}

}  // namespace

void PgLedger::intake(IncarnationId self, IntakeBatch batch, ClaimRequest claim,
                      Completion<ClaimAnswer> done) {
  const auto shared = std::make_shared<const IntakeBatch>(std::move(batch));
  committers_.submit([=, this, done = std::move(done)](Session& session) {
    const auto work = [&](Transaction& tx) { return take_in(tx, self, *shared, claim); };
    auto answer = std::make_shared<Result<ClaimAnswer>>(session.run(work));
    for (int races = 1; !*answer && is_claim_race(answer->error()) && races < kClaimRacesMax;
         ++races)
      *answer = session.run(work);
    executor_.post([done, answer] { done(std::move(*answer)); });
  });
}

void PgLedger::claim(IncarnationId self, ClaimRequest claim, Completion<ClaimAnswer> done) {
  intake(self, {}, std::move(claim), std::move(done));
}

void PgLedger::intake_offsets(IncarnationId self, std::vector<PartitionOffset> partitions,
                              Completion<std::vector<PartitionOffset>> done) {
  using Offsets = std::vector<PartitionOffset>;
  answer_from(readers_, executor_, std::move(done),
              [self, partitions = std::move(partitions)](Transaction& tx) -> Result<Offsets> {
                if (auto alive = fence(tx, self); !alive) return alive.error();
                return load_offsets(tx, partitions);
              });
}

void PgLedger::reset_intake(IncarnationId self, PartitionOffset partition,
                            Completion<PartitionOffset> done) {
  answer_from(committers_, executor_, std::move(done),
              [self, partition = std::move(partition)](Transaction& tx) -> Result<PartitionOffset> {
                if (auto alive = fence(tx, self); !alive) return alive.error();
                return ba::storage::reset_intake(tx, self, partition);
              });
}

void PgLedger::load(IncarnationId self, LedgerJobId job, LedgerConversationId conversation,
                    Completion<StoredJob> done) {
  answer_from(readers_, executor_, std::move(done), [=](Transaction& tx) -> Result<StoredJob> {
    if (auto same = same_history(tx, self); !same) return same.error();
    return load_job(tx, job, conversation);
  });
}

void PgLedger::load_remains(IncarnationId self, LedgerJobId job, LedgerConversationId conversation,
                            std::int64_t excerpt_bytes_max, Completion<JobRemains> done) {
  answer_from(readers_, executor_, std::move(done), [=](Transaction& tx) -> Result<JobRemains> {
    if (auto same = same_history(tx, self); !same) return same.error();
    return ba::storage::load_remains(tx, job, conversation, excerpt_bytes_max);
  });
}

void PgLedger::append(IncarnationId self, SharedDelta delta, Completion<void> done) {
  deltas_.add(self, std::move(delta), std::move(done));
}

void PgLedger::begin_sub_agent(IncarnationId self, SubAgentOrder order,
                               Completion<SubAgentStanding> done) {
  using Standing = SubAgentStanding;
  answer_from(committers_, executor_, std::move(done),
              [self, order = std::move(order)](Transaction& tx) -> Result<Standing> {
                if (auto alive = fence(tx, self); !alive) return alive.error();
                return ba::storage::begin_sub_agent(tx, self, order);
              });
}

void PgLedger::begin_summary(IncarnationId self, SummaryOrder order,
                             Completion<SummaryStanding> done) {
  answer_from(committers_, executor_, std::move(done),
              [self, order = std::move(order)](Transaction& tx) -> Result<SummaryStanding> {
                if (auto alive = fence(tx, self); !alive) return alive.error();
                return ba::storage::begin_summary(tx, self, order);
              });
}

void PgLedger::hand_back(IncarnationId self, std::vector<ReturnedJob> jobs, Completion<void> done) {
  BigintArray ids;
  BigintArray waiting;
  for (const ReturnedJob& job : jobs) {
    ids.add(job.id.value);
    if (job.waits) waiting.add(job.id.value);
  }
  answer_from(committers_, executor_, std::move(done),
              [self, ids, waiting](Transaction& tx) -> Result<void> {
                if (auto alive = fence_alone(tx, self); !alive) return alive;
                tx.send(kHandBack, self.value, ids, waiting);
                return {};
              });
}

}  // namespace ba::storage
