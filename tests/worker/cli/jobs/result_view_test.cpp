// SPDX-License-Identifier: Apache-2.0
// What `ba-agent report` prints, also of what has no report.
#include "worker/cli/jobs/result_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "worker/cli/program/terminal.hpp"

namespace ba::cli {
namespace {

using ::testing::HasSubstr;

struct Printed {
  int code = 0;
  std::string out;
  std::string err;
};

template <class Report>
Printed printed(const Report& report, const std::string& name, bool json = false) {
  std::ostringstream out;
  std::ostringstream err;
  Terminal terminal(out, err, {});
  Printed all;
  all.code = show_report(report, {"acme", name}, json, terminal);
  all.out = out.str();
  all.err = err.str();
  return all;
}

TEST(ReportView, OfAJobItIsWhatWasPublished) {
  const storage::JobReport job{"finished", R"({"total_tokens":"7"})",
                               "Conversation Metrics Report\n", false};
  const Printed text = printed(job, "j1");
  EXPECT_EQ(text.code, kExitOk);
  EXPECT_EQ(text.out, "Conversation Metrics Report\n");
  EXPECT_EQ(text.err, "");
  EXPECT_EQ(printed(job, "j1", true).out, "{\"total_tokens\":\"7\"}\n");
}

TEST(ReportView, AJobWhoseIdIsThatOfAConversationSaysSo) {
  const Printed text = printed(storage::JobReport{"finished", "{}", "Report\n", true}, "talk");
  EXPECT_EQ(text.code, kExitOk);
  EXPECT_EQ(text.err,
            "note: a conversation has the id talk, too: --conversation reports all its jobs\n");
}

/// It published nothing, so that there is nothing to be found under its id.
TEST(ReportView, ASubAgentsJobThatEndedWithTheJobThatAskedForItHasNone) {
  for (const bool json : {false, true}) {
    const Printed none =
        printed(storage::JobReport{"finished", "", "", false}, "sub-agent:a1", json);
    EXPECT_EQ(none.code, kExitFailed);
    EXPECT_EQ(none.out, "");
    EXPECT_THAT(
        none.err,
        HasSubstr("job \"sub-agent:a1\" of tenant \"acme\" ended with the job that asked for "
                  "it, and has no report"));
  }
}

TEST(ReportView, AJobThatHasNotEndedHasNoneYet) {
  const Printed none = printed(storage::JobReport{"running", "", "", true}, "j1");
  EXPECT_EQ(none.code, kExitFailed);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err,
              HasSubstr("job \"j1\" of tenant \"acme\" hasn't ended (running): its report "
                        "is made then"));
}

TEST(ReportView, AConversationWithoutAJobThatEndedHasNone) {
  storage::ConversationSums sums;
  sums.unfinished_jobs = 1;
  sums.removed_jobs = 2;
  for (const bool json : {false, true}) {
    const Printed none = printed(sums, "talk", json);
    EXPECT_EQ(none.code, kExitFailed);
    EXPECT_EQ(none.out, "") << "not even an empty report";
    EXPECT_THAT(
        none.err,
        HasSubstr("no job of conversation \"talk\" of tenant \"acme\" has ended and is still "
                  "in the ledger (1 job not ended, 2 jobs removed by retention)"));
  }
}

TEST(ReportView, AConversationOfASubAgentThatEndedWithItsJobSaysSo) {
  storage::ConversationSums sums;
  sums.unreported_jobs = 1;
  EXPECT_THAT(printed(sums, "sub-agent:a1").err,
              HasSubstr("(0 jobs not ended, 0 jobs removed by retention, 1 job ended with the job "
                        "that asked for it)"));
}

TEST(ReportView, OfAConversationItSaysWhatIsNotInIt) {
  storage::ConversationSums sums;
  sums.report.conversation_id = ConversationId("talk");
  sums.jobs = 2;
  sums.unfinished_jobs = 1;
  sums.removed_jobs = 1;
  sums.unreported_jobs = 1;
  const Printed text = printed(sums, "talk");
  EXPECT_EQ(text.code, kExitOk);
  EXPECT_THAT(text.out, HasSubstr("Conversation Metrics Report"));
  EXPECT_EQ(text.err,
            "note: of 2 jobs\n"
            "note: 1 job of the conversation not ended: not in it\n"
            "note: 1 job of the conversation removed by retention: not in it\n"
            "note: 1 job ended with the job that asked for it: not in it\n");
  EXPECT_THAT(printed(sums, "talk", true).out, HasSubstr("\"conversation_id\":\"talk\""));
}

}  // namespace
}  // namespace ba::cli
