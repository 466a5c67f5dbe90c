// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/claim_rows.hpp"

#include "storage/ledger/claim.sql.hpp"
#include "storage/ledger/claim_ending.sql.hpp"
#include "storage/ledger/claim_overdue.sql.hpp"
#include "storage/postgres/array_parameter.hpp"

namespace ba::storage {
namespace {

// Payloads only of jobs that the caller doesn't know.
constexpr Statement kOwned{"owned", R"sql(
  SELECT id, coalesce(request, '') AS request, id = ANY ($2::bigint[]) AS known, conversation,
         attempt, after_crash,
         (extract(epoch FROM first_claimed_at) * 1000000)::bigint AS claimed_us, idle_ms,
         CASE WHEN id <> ALL ($2::bigint[]) THEN payload END AS payload, waited_for,
         wait_max_s, (extract(epoch FROM created_at) * 1000000)::bigint AS created_us
  FROM jobs
  WHERE incarnation = $1 AND state = 'running' AND parent IS NULL
    AND (id <> ALL ($2::bigint[]) OR request IS NOT NULL)
  ORDER BY id)sql"};

constexpr Statement kWaiting{"waiting", R"sql(
  SELECT (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = 'ready' LIMIT $1::integer) AS r)
           AS ready,
         EXISTS (SELECT 1 FROM jobs
                 WHERE (request = 'cancel' OR waited_for IS NOT NULL)
                   AND state IN ('ready', 'paused', 'waiting')) AS ending)sql"};

/// Of one claim, for either reason. They end without a model call, so they need no free slot.
constexpr int kEndingMax = 100;

ClaimedJob claimed_job(LedgerJobId id, const Row& row) {
  ClaimedJob job;
  job.id = id;
  job.conversation = LedgerConversationId(row.big("conversation"));
  job.attempt = row.number("attempt");
  job.after_crash = row.flag("after_crash");
  job.first_claimed_at = row.micros("claimed_us");
  job.created_at = row.micros("created_us");
  job.idle = row.milliseconds("idle_ms");
  job.payload = row.bytes("payload");
  if (!row.is_null("waited_for"))
    job.overdue =
        OverdueWait{JobId(row.text("waited_for")), std::chrono::seconds(row.number("wait_max_s"))};
  return job;
}

// One step for each conversation (a loose scan), however many jobs wait in it.
constexpr Statement kClaimable{"claimable", R"sql(
  WITH RECURSIVE heads (conversation, state) AS (
    (SELECT conversation, state FROM jobs WHERE state <> 'finished'
     ORDER BY conversation, id LIMIT 1)
    UNION ALL
    SELECT next.conversation, next.state
    FROM heads AS h CROSS JOIN LATERAL (
      SELECT j.conversation, j.state FROM jobs j
      WHERE j.state <> 'finished' AND j.conversation > h.conversation
      ORDER BY j.conversation, j.id LIMIT 1) AS next
  )
  SELECT count(*) AS claimable
  FROM (SELECT 1 FROM heads WHERE state = 'ready' LIMIT $1::integer) AS ready)sql"};

/// Also sees to the jobs that wait for their end: what is seldom comes with what is counted.
void count_waiting(Transaction& transaction, IncarnationId self, const ClaimRequest& request,
                   ClaimAnswer& answer) {
  const Row counted = transaction.run(kWaiting, request.waiting_count_max).first();
  answer.waiting = counted.big("ready");
  if (counted.flag("ending")) transaction.run(sql::kClaimEnding, self.value, kEndingMax);
  if (answer.waiting == 0) return;
  answer.claimable =
      transaction.run(kClaimable, request.claimable_count_max).first().big("claimable");
}

IntegerArray shares_of(const ClaimRequest& request) {
  IntegerArray shares;
  for (const int percent : request.lane_share_percent) shares.add(percent);
  return shares;
}

}  // namespace

ClaimAnswer claim_jobs(Transaction& transaction, IncarnationId self, const ClaimRequest& request) {
  const std::int64_t wait_max = request.conversation_wait_max.count();
  if (wait_max > 0) transaction.run(sql::kClaimOverdue, self.value, kEndingMax, wait_max);
  if (request.jobs_max > 0)
    transaction.run(sql::kClaim, self.value, request.jobs_max, shares_of(request),
                    request.retried_max);
  ClaimAnswer answer;
  if (request.count) count_waiting(transaction, self, request, answer);
  BigintArray known;
  for (const LedgerJobId id : request.known) known.add(id.value);
  for (const Row& row : transaction.run(kOwned, self.value, known)) {
    const LedgerJobId id(row.big("id"));
    if (const auto asked = parse_job_request(row.view("request")); asked != JobRequest::None)
      answer.requests.push_back({id, asked.value_or(JobRequest::None)});
    if (!row.flag("known")) answer.jobs.push_back(claimed_job(id, row));
  }
  return answer;
}

// libpqxx gives no field of an error but its SQLSTATE. A message has the constraint's name in every
// language.
bool is_claim_race(const Error& error) {
  return error.detail == "23505" && error.message.find("jobs_one_running") != std::string::npos;
}

}  // namespace ba::storage
