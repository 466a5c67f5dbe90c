// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "worker/cli/doctor/check.hpp"
#include "worker/config/descriptors.hpp"

namespace ba::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Check check(std::uint64_t limit) {
  const Checks checks = check_descriptors(config::Config(), limit);
  EXPECT_THAT(checks, SizeIs(1));
  return checks.empty() ? Check() : checks.front();
}

TEST(CheckDescriptors, SaysWhatThereIsWhatIsNeededAndTheRemedy) {
  const std::uint64_t wanted = config::descriptors_wanted(config::Config());
  EXPECT_EQ(check(wanted).status, CheckStatus::Pass);
  const Check few = check(wanted - 1);
  EXPECT_EQ(few.status, CheckStatus::Warn);
  EXPECT_THAT(few.message, HasSubstr(std::to_string(wanted - 1)));
  EXPECT_THAT(few.message, HasSubstr(std::to_string(wanted)));
  EXPECT_THAT(few.remedy, HasSubstr("LimitNOFILE="));
}

TEST(CheckDescriptors, FailsWhereAWorkerWouldNotStart) {
  EXPECT_EQ(check(config::kDescriptorsMin).status, CheckStatus::Warn);
  EXPECT_EQ(check(config::kDescriptorsMin - 1).status, CheckStatus::Fail);
}

TEST(CheckDescriptors, SaysNothingWhereTheLimitIsUnknown) {
  EXPECT_THAT(check_descriptors(config::Config(), {}), IsEmpty());
}

}  // namespace
}  // namespace ba::cli
