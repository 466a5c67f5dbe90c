// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/conversation/endings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "pipeline/text/contract/record.hpp"

namespace ba {
namespace {

TEST(Endings, OfAJobThatCannotBeRunHaveTheCodesOfTheContract) {
  std::set<std::string> codes = {endings::poisoned(3).error.code,
                                 endings::unreadable_job({}, {}).error.code};
  // What the ledger says of rows that can't be read, see JobRunner.
  for (const ErrorCode code :
       {ErrorCode::Corrupt, ErrorCode::InvalidArgument, ErrorCode::NotFound}) {
    Error error;
    error.code = code;
    codes.insert(endings::internal(error).error.code);
  }
  EXPECT_EQ(codes, std::set<std::string>(kJobCodes.begin(), kJobCodes.end()));
}

TEST(Endings, OfAWaitThatTookTooLongNamesTheLimitAndWhoIsWaitedFor) {
  const Ending ending = endings::conversation_busy({JobId("report-1"), std::chrono::seconds(90)});
  EXPECT_EQ(ending.outcome, Outcome::DeadlineExceeded);
  EXPECT_EQ(ending.error.type, "limit");
  EXPECT_EQ(ending.error.code, "CONVERSATION_BUSY");
  EXPECT_THAT(ending.error.message, testing::HasSubstr("90 s (limits.conversation_wait_max_s)"));
  EXPECT_THAT(ending.error.message, testing::HasSubstr("job 'report-1'"));
  EXPECT_FALSE(ending.dead_letter);
}

}  // namespace
}  // namespace ba
