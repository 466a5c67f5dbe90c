// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/job/job_control.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

using enum JobState;
constexpr JobRequest kNone = JobRequest::None;
constexpr JobRequest kCancel = JobRequest::Cancel;
constexpr JobRequest kPause = JobRequest::Pause;

struct Row {
  JobAction action;
  JobStanding before;
  std::optional<JobStanding> after;  ///< none: refused
};

// Every action in every standing that a job can have: a pause stands with a running job only, and
// nothing with one that has ended.
constexpr Row kRows[] = {
    {JobAction::Cancel, {Ready, kNone}, JobStanding{Ready, kCancel}},
    {JobAction::Cancel, {Ready, kCancel}, JobStanding{Ready, kCancel}},
    {JobAction::Cancel, {Running, kNone}, JobStanding{Running, kCancel}},
    {JobAction::Cancel, {Running, kPause}, JobStanding{Running, kCancel}},
    {JobAction::Cancel, {Running, kCancel}, JobStanding{Running, kCancel}},
    {JobAction::Cancel, {Paused, kNone}, JobStanding{Paused, kCancel}},
    {JobAction::Cancel, {Paused, kCancel}, JobStanding{Paused, kCancel}},
    {JobAction::Cancel, {Waiting, kNone}, JobStanding{Waiting, kCancel}},
    {JobAction::Cancel, {Waiting, kCancel}, JobStanding{Waiting, kCancel}},
    {JobAction::Cancel, {Finished, kNone}, std::nullopt},
    {JobAction::Pause, {Ready, kNone}, JobStanding{Paused, kNone}},
    {JobAction::Pause, {Ready, kCancel}, std::nullopt},
    {JobAction::Pause, {Running, kNone}, JobStanding{Running, kPause}},
    {JobAction::Pause, {Running, kPause}, JobStanding{Running, kPause}},
    {JobAction::Pause, {Running, kCancel}, std::nullopt},
    {JobAction::Pause, {Paused, kNone}, JobStanding{Paused, kNone}},
    {JobAction::Pause, {Paused, kCancel}, std::nullopt},
    {JobAction::Pause, {Waiting, kNone}, std::nullopt},
    {JobAction::Pause, {Waiting, kCancel}, std::nullopt},
    {JobAction::Pause, {Finished, kNone}, std::nullopt},
    {JobAction::Resume, {Ready, kNone}, JobStanding{Ready, kNone}},
    {JobAction::Resume, {Ready, kCancel}, std::nullopt},
    {JobAction::Resume, {Running, kNone}, JobStanding{Running, kNone}},
    {JobAction::Resume, {Running, kPause}, JobStanding{Running, kNone}},
    {JobAction::Resume, {Running, kCancel}, std::nullopt},
    {JobAction::Resume, {Paused, kNone}, JobStanding{Ready, kNone}},
    {JobAction::Resume, {Paused, kCancel}, std::nullopt},
    {JobAction::Resume, {Waiting, kNone}, std::nullopt},
    {JobAction::Resume, {Waiting, kCancel}, std::nullopt},
    {JobAction::Resume, {Finished, kNone}, std::nullopt},
};

std::string told(const JobStanding& standing) {
  return std::string(to_string(standing.state)) + "/" + std::string(to_string(standing.request));
}

TEST(JobControl, EveryActionInEveryStandingFollowsTheTable) {
  for (const Row& row : kRows) {
    const auto after = apply_action(row.action, row.before, "acme/7");
    const std::string what = std::string(to_string(row.action)) + " " + told(row.before);
    ASSERT_EQ(after.has_value(), row.after.has_value()) << what;
    if (after) {
      EXPECT_EQ(told(*after), told(*row.after)) << what;
    } else {
      EXPECT_EQ(after.error().code, ErrorCode::Conflict) << what;
      EXPECT_NE(after.error().message.find("acme/7"), std::string::npos) << after.error().message;
    }
  }
}

TEST(JobControl, ACallIsResolvedOnlyWhileTheJobWaitsForThat) {
  for (const JobState state : {Ready, Running, Paused, Waiting, Finished})
    EXPECT_EQ(may_resolve({state, kNone}, "7").has_value(), state == Waiting) << to_string(state);
  EXPECT_FALSE(may_resolve({Waiting, kCancel}, "7"));
}

TEST(JobControl, NamesAreReadAsTheyAreWritten) {
  for (const JobState state : {Ready, Running, Paused, Waiting, Finished})
    EXPECT_EQ(parse_job_state(to_string(state)), state);
  for (const JobRequest request : {kNone, kCancel, kPause})
    EXPECT_EQ(parse_job_request(to_string(request)), request);
  EXPECT_FALSE(parse_job_state("READY"));
  EXPECT_FALSE(parse_job_request("resume"));
}

}  // namespace
}  // namespace ba
