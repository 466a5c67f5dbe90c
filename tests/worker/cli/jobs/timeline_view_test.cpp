// SPDX-License-Identifier: Apache-2.0
// What `ba-agent show` tells a person of a job that has not ended.
#include "worker/cli/jobs/timeline_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "pipeline/text/contract/encode_job.hpp"

namespace ba::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TimelineText : public ::testing::Test {
 protected:
  void asks(std::vector<std::string> messages) {
    Job job;
    job.tenant = timeline_.job.tenant = TenantId("acme");
    job.job_id = timeline_.job.job_id = JobId("j1");
    job.conversation_id = timeline_.job.conversation_id = ConversationId("talk");
    job.messages = std::move(messages);
    timeline_.payload = encode_job(job);
    timeline_.job.state = "running";
  }

  std::string shown(bool full = false) {
    std::ostringstream out;
    std::ostringstream err;
    Terminal terminal(out, err, {});
    show_timeline(timeline_, full, terminal);
    return out.str();
  }

  storage::JobTimeline timeline_;
};

TEST_F(TimelineText, ARunningJobShowsWhatItWasAskedBeforeTheFirstReply) {
  asks({"how many?", "and late ones?", "why?"});
  EXPECT_THAT(shown(), AllOf(HasSubstr("Round 0 (no reply yet)\n"), HasSubstr("how many?"),
                             HasSubstr("then 2 more questions"), Not(HasSubstr("late ones"))));
  timeline_.rounds.emplace_back();
  EXPECT_THAT(shown(), AllOf(HasSubstr("Round 1 (no reply yet)\n"), HasSubstr("and late ones?"),
                             HasSubstr("then 1 more question\n")));
}

TEST_F(TimelineText, AQuestionIsCutUnlessAllIsWanted) {
  asks({"how many? " + std::string(1000, 'x')});
  EXPECT_THAT(shown(), AllOf(HasSubstr("how many? xxx"), Not(HasSubstr(std::string(200, 'x')))));
  EXPECT_THAT(shown(true), HasSubstr(std::string(1000, 'x')));
}

TEST_F(TimelineText, AJobThatHasEndedAwaitsNothing) {
  asks({"how many?", "and late ones?"});
  timeline_.rounds.emplace_back();
  timeline_.job.state = "finished";
  timeline_.job.outcome = "cancelled";
  EXPECT_THAT(shown(), Not(HasSubstr("no reply yet")));
  timeline_.job.state = "running";
  timeline_.job.outcome.clear();
  timeline_.rounds.emplace_back();
  EXPECT_THAT(shown(), Not(HasSubstr("no reply yet"))) << "every question has its round";
}

}  // namespace
}  // namespace ba::cli
