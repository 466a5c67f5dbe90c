// SPDX-License-Identifier: Apache-2.0
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

class LoadRemains : public StorageTest {};

TEST_F(LoadRemains, AnExcerptHasAtMostAThousandMessages) {
  const auto self = enter();
  const auto job = running_job(self);
  Delta long_one = round_opened(job);
  for (int step = 1; step <= 1001; ++step)
    long_one.steps.push_back(step_replied(job, step, 0).steps.at(0));
  ASSERT_TRUE(append(self, long_one));
  const auto remains = await<JobRemains>([&](Completion<JobRemains> done) {
    ledger().load_remains(self, job.id, job.conversation, 4 << 20, std::move(done));
  });
  ASSERT_TRUE(remains) << remains.error().message;
  EXPECT_EQ(remains->conversation.messages.size(), 1000u);
  EXPECT_EQ(remains->conversation.messages_left_out, 2);
}

}  // namespace
}  // namespace ba::storage
