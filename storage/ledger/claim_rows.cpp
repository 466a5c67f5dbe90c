// SPDX-License-Identifier: Apache-2.0
#include "storage/ledger/claim_rows.hpp"

#include <algorithm>
#include <set>

#include "storage/ledger/claim.sql.hpp"
#include "storage/ledger/claim_ending.sql.hpp"
#include "storage/ledger/claim_overdue.sql.hpp"
#include "storage/postgres/array_parameter.hpp"

namespace ba::storage {
namespace {

// Claims answer with what they claim; this says what else is to be known of the jobs that the
// incarnation owns. Those that the caller doesn't know: a claim was committed and its answer lost,
// or its transaction was repeated because nobody knew whether it was. And what people ask of any of
// them, as that comes at any time. $2 goes into a hash: OFFSET 0 keeps it from being looked up
// twice, and a comparison with an array would go through all of it for each job.
constexpr Statement kOwned{"owned", R"sql(
  SELECT id, coalesce(request, '') AS request, known, conversation, attempt, after_crash,
         (extract(epoch FROM first_claimed_at) * 1000000)::bigint AS claimed_us, idle_ms,
         CASE WHEN NOT known THEN payload END AS payload, waited_for, wait_max_s,
         (extract(epoch FROM created_at) * 1000000)::bigint AS created_us
  FROM (SELECT *, id IN (SELECT unnest($2::bigint[])) AS known FROM jobs
        WHERE incarnation = $1 AND state = 'running' AND parent IS NULL OFFSET 0) AS own
  WHERE NOT known OR request IS NOT NULL
  ORDER BY id)sql"};

// Of jobs that were claimed for the first time: those for which load_job() would find nothing. A
// job's own rows are written by who runs it, or copied with their rounds from another job's. A
// statement of its own, after the claim: from there on no other job of the conversation can run, so
// that what it sees stays true. OFFSET 0 has each looked up by its conversation, whatever the
// tables held when this was planned.
constexpr Statement kFresh{"fresh_jobs", R"sql(
  SELECT j.id FROM jobs j JOIN conversations c ON c.id = j.conversation
  WHERE j.id = ANY ($1::bigint[]) AND j.copied_rounds = 0 AND j.copied_step = -1
    AND c.rounds = 0 AND c.inherited_saved_tokens = 0
    AND NOT EXISTS (SELECT 1 FROM rounds r WHERE r.conversation = c.id OFFSET 0)
    AND NOT EXISTS (SELECT 1 FROM inherited_messages i WHERE i.conversation = c.id OFFSET 0)
    AND NOT EXISTS (SELECT 1 FROM refused_contexts f WHERE f.conversation = c.id OFFSET 0))sql"};

constexpr Statement kWaiting{"waiting", R"sql(
  SELECT count(*) AS waiting
  FROM (SELECT 1 FROM jobs WHERE state = 'ready' LIMIT $1::integer) AS ready)sql"};

constexpr Statement kEnding{"ending", R"sql(
  SELECT EXISTS (SELECT 1 FROM jobs
                 WHERE (request = 'cancel' OR waited_for IS NOT NULL)
                   AND state IN ('ready', 'paused', 'waiting')) AS ending)sql"};

/// Of one claim, for either reason. They end without a model call, so they need no free slot.
constexpr int kEndingMax = 100;

ClaimedJob claimed_job(const Row& row) {
  ClaimedJob job;
  job.id = LedgerJobId(row.big("id"));
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

LanePlace place_of(const Row& row) {
  return {TenantId(row.text("after")), TenantId(row.text("deep")),
          LedgerJobId(row.big("deep_after"))};
}

// One step for each conversation (a loose scan), however many jobs wait in it. As many heads as may
// be counted are looked at ten times over: beyond that the rest waits for people or runs already.
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
  SELECT count(*) AS claimable FROM (
    SELECT 1 FROM (SELECT state FROM heads LIMIT 10 * $1::bigint) AS looked_at
    WHERE state = 'ready' LIMIT $1::bigint) AS ready)sql"};

void count_waiting(Transaction& transaction, const ClaimRequest& request, ClaimAnswer& answer) {
  answer.waiting = transaction.run(kWaiting, request.waiting_count_max).first().big("waiting");
  if (answer.waiting == 0) return;
  answer.claimable =
      transaction.run(kClaimable, request.claimable_count_max).first().big("claimable");
}

void add_jobs(const Rows& rows, std::vector<ClaimedJob>& jobs) {
  for (const Row& row : rows) jobs.push_back(claimed_job(row));
}

void mark_fresh(Transaction& transaction, const BigintArray& first_claims,
                std::vector<ClaimedJob>& claimed) {
  if (first_claims.empty()) return;
  std::set<LedgerJobId> fresh;
  for (const Row& row : transaction.run(kFresh, first_claims)) fresh.emplace(row.big("id"));
  for (ClaimedJob& job : claimed) job.fresh = fresh.contains(job.id);
}

/// Those that come next, into free slots.
void claim_next(Transaction& transaction, IncarnationId self, const ClaimRequest& request,
                ClaimAnswer& answer) {
  IntegerArray shares;
  for (const int percent : request.lane_share_percent) shares.add(percent);
  TextArray after;
  TextArray deep;
  BigintArray deep_after;
  for (const LanePlace& place : request.places) {
    after.add(place.after.value);
    deep.add(place.deep.value);
    deep_after.add(place.deep_after.value);
  }
  BigintArray first_claims;
  for (const Row& row : transaction.run(sql::kClaim, self.value, request.jobs_max, shares,
                                        request.retried_max, after, deep, deep_after)) {
    answer.places.at(static_cast<std::size_t>(row.number("lane"))) = place_of(row);
    if (row.is_null("id")) continue;
    answer.jobs.push_back(claimed_job(row));
    if (row.number("claims") == 1) first_claims.add(row.big("id"));
  }
  mark_fresh(transaction, first_claims, answer.jobs);
}

/// With `answer.jobs`, which were claimed just now: all that is owned and not known.
void add_owned(Transaction& transaction, IncarnationId self, const ClaimRequest& request,
               ClaimAnswer& answer) {
  BigintArray known;
  for (const LedgerJobId id : request.known) known.add(id.value);
  for (const ClaimedJob& job : answer.jobs) known.add(job.id.value);
  for (const Row& row : transaction.run(kOwned, self.value, known)) {
    if (const auto asked = parse_job_request(row.view("request")); asked != JobRequest::None)
      answer.requests.push_back({LedgerJobId(row.big("id")), asked.value_or(JobRequest::None)});
    if (!row.flag("known")) answer.jobs.push_back(claimed_job(row));
  }
  std::ranges::sort(answer.jobs, {}, &ClaimedJob::id);
}

}  // namespace

ClaimAnswer claim_jobs(Transaction& transaction, IncarnationId self, const ClaimRequest& request) {
  ClaimAnswer answer;
  answer.places = request.places;
  const std::int64_t wait_max = request.conversation_wait_max.count();
  if (wait_max > 0)
    add_jobs(transaction.run(sql::kClaimOverdue, self.value, kEndingMax, wait_max), answer.jobs);
  if (request.jobs_max > 0) claim_next(transaction, self, request, answer);
  if (request.ending && transaction.run(kEnding).first().flag("ending"))
    add_jobs(transaction.run(sql::kClaimEnding, self.value, kEndingMax), answer.jobs);
  if (request.count) count_waiting(transaction, request, answer);
  add_owned(transaction, self, request, answer);
  return answer;
}

// Of an answer's fields only its SQLSTATE is kept. A message has the constraint's name in every
// language.
bool is_claim_race(const Error& error) {
  return error.detail == "23505" && error.message.find("jobs_one_running") != std::string::npos;
}

}  // namespace ba::storage
