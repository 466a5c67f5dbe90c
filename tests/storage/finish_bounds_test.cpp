// SPDX-License-Identifier: Apache-2.0
// What the end of jobs reads, where many others run and very many have ended.
#include "storage/ledger/finish_rows.hpp"
#include "storage/ledger/step_rows.hpp"
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
};

/// Statistics of jobs are of a time when nothing ran; those of all else are true.
TEST_F(FinishBounds, AJobsEndReadsNoMoreWhereManyRunAndVeryManyHaveEnded) {
  const IncarnationId self = enter();
  schema().execute("ALTER TABLE jobs SET (autovacuum_enabled = off)");
  fill(1, 1, 20'000);
  schema().execute(
      "UPDATE jobs SET state = 'finished', incarnation = 1, outcome = 'completed', result = '', "
      "finished_at = now()");
  schema().execute("ANALYZE jobs");
  analyzed_ = false;
  fill(2, 1, 2'000);
  const auto claimed = claim(self, slots(2'000));
  ASSERT_EQ(claimed->jobs.size(), 2'000u);
  schema().execute(
      "ANALYZE conversations, attempts, rounds, steps, tool_calls, metrics, outbox, summaries");
  const std::vector<ClaimedJob> ending(claimed->jobs.begin(), claimed->jobs.begin() + 8);
  EXPECT_LT(rows_read_to_end(self, ending), 30 * 8);
}

}  // namespace
}  // namespace ba::storage
