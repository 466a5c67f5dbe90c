// SPDX-License-Identifier: Apache-2.0
// What the end of jobs reads, where many others run and very many have ended.
#include "storage/ledger/finish_rows.hpp"
#include "storage/ledger/step_rows.hpp"
#include "storage/postgres/connection.hpp"
#include "tests/storage/backlog_fixture.hpp"

namespace ba::storage {
namespace {

class FinishBounds : public BacklogTest {
 protected:
  /// Rows that are read while these jobs write a step and end. It is taken back.
  std::int64_t rows_read_to_end(IncarnationId self, const std::vector<ClaimedJob>& jobs) {
    std::vector<Delta> deltas;
    for (const ClaimedJob& job : jobs) {
      deltas.push_back(round_opened(job));
      deltas.push_back(step_replied(job));
      deltas.push_back(call_finished(job));
      deltas.push_back(finished(job, "job-" + std::to_string(job.id.value)));
    }
    StepRows steps;
    FinishRows ends;
    for (const Delta& delta : deltas) {
      steps.add(delta, self);
      if (delta.finished) ends.add(delta);
    }
    Session session(hot_path(), stop_);
    std::int64_t rows = 0;
    const auto tried = session.run([&](Transaction& transaction) -> Result<int> {
      rows = -rows_read(transaction);
      steps.write(transaction);
      ends.write(transaction);
      rows += rows_read(transaction);
      return make_error(ErrorCode::Conflict, "only tried");
    });
    EXPECT_EQ(tried.error().message, "only tried");
    return rows;
  }

  /// 2,000 jobs that run, where 20,000 have ended. Statistics of jobs are of a time when none ran.
  std::vector<ClaimedJob> many_run(IncarnationId self) {
    fill(1, 1, 20'000);
    schema().execute(
        "UPDATE jobs SET state = 'finished', incarnation = 1, outcome = 'completed', result = '', "
        "finished_at = now()");
    schema().execute("ANALYZE jobs");
    analyzed_ = false;
    fill(2, 1, 2'000);
    auto claimed = claim(self, slots(2'000));
    EXPECT_EQ(claimed->jobs.size(), 2'000u);
    return std::move(claimed->jobs);
  }

  std::int64_t rows_read_to_end_eight_of(IncarnationId self, std::vector<ClaimedJob> jobs) {
    jobs.resize(8);
    return rows_read_to_end(self, jobs);
  }

  void no_autovacuum_of(const std::string& table) {
    schema().execute("ALTER TABLE " + table + " SET (autovacuum_enabled = off)");
  }
};

TEST_F(FinishBounds, AJobsEndReadsNoMoreWhereManyRunAndVeryManyHaveEnded) {
  no_autovacuum_of("jobs");
  const IncarnationId self = enter();
  std::vector<ClaimedJob> jobs = many_run(self);
  schema().execute(
      "ANALYZE conversations, attempts, rounds, steps, tool_calls, metrics, outbox, summaries");
  EXPECT_LT(rows_read_to_end_eight_of(self, std::move(jobs)), 30 * 8);
}

/// As after a night in which all was removed: pages without rows.
TEST_F(FinishBounds, AJobsEndReadsNoMoreWhereAttemptsWereOnceRemoved) {
  no_autovacuum_of("jobs");
  no_autovacuum_of("attempts");
  const IncarnationId self = enter();
  fill(3, 1, 500);
  ASSERT_EQ(claim(self, slots(500))->jobs.size(), 500u);
  schema().execute("DELETE FROM jobs");
  schema().execute("DELETE FROM attempts");
  const storage::PgAccess& access = schema().access();
  Connection(access.url).execute("VACUUM (TRUNCATE false) " + access.schema + ".attempts");
  ASSERT_EQ(schema().query("SELECT reltuples = 0 AND relpages > 0 FROM pg_class"
                           " WHERE oid = 'attempts'::regclass"),
            "t");
  EXPECT_LT(rows_read_to_end_eight_of(self, many_run(self)), 30 * 8);
}

}  // namespace
}  // namespace ba::storage
