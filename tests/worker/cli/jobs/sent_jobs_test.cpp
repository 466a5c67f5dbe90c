// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/sent_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/text/contract/encode_job.hpp"

namespace ba::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Job a_job() {
  Job job;
  job.tenant = TenantId("acme");
  job.job_id = JobId("j1");
  job.conversation_id = ConversationId("job:j1");
  job.messages = {"how many?"};
  return job;
}

RecordSource at(std::int64_t offset) {
  RecordSource place;
  place.topic = "ba.jobs";
  place.offset = offset;
  return place;
}

/// As the ledger took it in from offset 3.
storage::JobTimeline stored(Job job) {
  job.created_at = WallTime(Milliseconds(1'772'366'400'000));
  storage::JobTimeline timeline;
  timeline.job.tenant = job.tenant;
  timeline.job.job_id = job.job_id;
  timeline.job.received_at = job.created_at;
  timeline.payload = encode_job(job);
  timeline.source = at(3);
  return timeline;
}

TEST(EarlierJob, TheRecordThatWasSentIsNotAnEarlierOne) {
  RecordSource place = at(3);
  place.timestamp_ms = 17;  // the ledger's row doesn't have it
  EXPECT_EQ(earlier_job(a_job(), place, stored(a_job())), EarlierJob::None);
}

TEST(EarlierJob, TheSameJobSentAgainIsKnown) {
  Job again = a_job();
  again.traceparent = "00-11111111111111111111111111111111-2222222222222222-01";
  EXPECT_EQ(earlier_job(again, at(4), stored(a_job())), EarlierJob::SameContent);
}

TEST(EarlierJob, AnIdUsedForAnotherJobIsTold) {
  Job other = a_job();
  other.messages = {"how late?"};
  EXPECT_EQ(earlier_job(other, at(4), stored(a_job())), EarlierJob::OtherContent);
  storage::JobTimeline unreadable = stored(a_job());
  unreadable.payload = "\xff";
  EXPECT_EQ(earlier_job(a_job(), at(4), unreadable), EarlierJob::OtherContent);
}

TEST(EarlierJob, TheTextSaysWhatWasNotRun) {
  const storage::JobTimeline found = stored(a_job());
  EXPECT_THAT(earlier_job_text(EarlierJob::SameContent, found),
              AllOf(HasSubstr("acme/j1 is known since 2026-03-01 12:00:00 UTC"),
                    HasSubstr("same content"), Not(HasSubstr("NOT run"))));
  EXPECT_THAT(earlier_job_text(EarlierJob::OtherContent, found),
              AllOf(HasSubstr("NOT run"), HasSubstr("--job-id")));
}

TEST(ConversationNote, SaysWhetherTheConversationIsThereAndHowManyJobsItHasHad) {
  Job job;
  job.tenant = TenantId("acme");
  job.conversation_id = ConversationId("sales");
  EXPECT_EQ(conversation_note(job, std::nullopt), "conversation acme/sales is new");
  EXPECT_EQ(conversation_note(job, storage::ConversationStanding{1, false}),
            "continues conversation acme/sales (1 job)");
  EXPECT_EQ(conversation_note(job, storage::ConversationStanding{0, true}),
            "continues conversation acme/sales (imported, 0 jobs)");
}

storage::JobTimeline running(int rounds_closed, int rounds_open) {
  storage::JobTimeline timeline;
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
  storage::JobTimeline timeline = running(0, 1);
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

}  // namespace ba::cli
