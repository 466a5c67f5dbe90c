// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/job_progress.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

JobTimeline running(int rounds_closed, int rounds_open) {
  JobTimeline timeline;
  timeline.job.job_id = JobId("job-1");
  timeline.job.state = "running";
  timeline.job.attempt = 1;
  timeline.rounds.resize(static_cast<std::size_t>(rounds_closed + rounds_open));
  for (int i = 0; i < rounds_closed; ++i)
    timeline.rounds[static_cast<std::size_t>(i)].closed_at = WallTime{};
  return timeline;
}

TEST(JobProgress, NamesTheRoundThatIsUnderWay) {
  EXPECT_EQ(progress_text(running(0, 0), 1), "job-1 · round 0 · asking the model");
  EXPECT_EQ(progress_text(running(0, 0), 3), "job-1 · round 0 (1 of 3) · asking the model");
  EXPECT_EQ(progress_text(running(0, 1), 3), "job-1 · round 0 (1 of 3) · asking the model");
  EXPECT_EQ(progress_text(running(1, 0), 3), "job-1 · round 1 (2 of 3) · asking the model")
      << "the next one has no row before its first reply";
  EXPECT_EQ(progress_text(running(1, 1), 3), "job-1 · round 1 (2 of 3) · asking the model");
  EXPECT_EQ(progress_text(running(3, 0), 3), "job-1 · round 2 (3 of 3) · asking the model");
}

TEST(JobProgress, NamesTheToolThatRunsAndWhatItWaitsFor) {
  JobTimeline timeline = running(0, 1);
  timeline.job.steps = 1;
  timeline.job.usage.input_tokens = 1234;
  timeline.tool_calls.resize(2);
  timeline.tool_calls[0].tool_name = "first";
  timeline.tool_calls[0].state = "running";
  timeline.tool_calls[1].tool_name = "second";
  timeline.tool_calls[1].state = "succeeded";
  EXPECT_EQ(progress_text(timeline, 1), "job-1 · round 0 · 1 step · first · 1,234 tokens");
  timeline.job.attempt = 2;
  EXPECT_EQ(progress_text(timeline, 1),
            "job-1 · attempt 2 · round 0 · 1 step · first · 1,234 tokens");
  timeline.job.waits_for = "mail (call_1)";
  EXPECT_EQ(progress_text(timeline, 1),
            "job-1 · waiting for `ba-agent job resolve` of mail (call_1)");
  timeline.job.state = "ready";
  EXPECT_EQ(progress_text(timeline, 1), "job-1 · waiting for a worker");
}

}  // namespace
}  // namespace ba
