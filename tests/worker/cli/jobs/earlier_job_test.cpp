// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/earlier_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/text/contract/encode_job.hpp"

namespace ba {
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
JobTimeline stored(Job job) {
  job.created_at = WallTime(Milliseconds(1'772'366'400'000));
  JobTimeline timeline;
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
  JobTimeline unreadable = stored(a_job());
  unreadable.payload = "\xff";
  EXPECT_EQ(earlier_job(a_job(), at(4), unreadable), EarlierJob::OtherContent);
}

TEST(EarlierJob, TheTextSaysWhatWasNotRun) {
  const JobTimeline found = stored(a_job());
  EXPECT_THAT(earlier_job_text(EarlierJob::SameContent, found),
              AllOf(HasSubstr("acme/j1 is known since 2026-03-01 12:00:00 UTC"),
                    HasSubstr("same content"), Not(HasSubstr("NOT run"))));
  EXPECT_THAT(earlier_job_text(EarlierJob::OtherContent, found),
              AllOf(HasSubstr("NOT run"), HasSubstr("--job-id")));
}

}  // namespace
}  // namespace ba
