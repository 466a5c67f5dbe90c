// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/jobs/conversation_note.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(ConversationNote, SaysWhetherTheConversationIsThereAndHowManyJobsItHasHad) {
  Job job;
  job.tenant = TenantId("acme");
  job.conversation_id = ConversationId("sales");
  EXPECT_EQ(conversation_note(job, std::nullopt), "conversation acme/sales is new");
  EXPECT_EQ(conversation_note(job, ConversationStanding{1, false}),
            "continues conversation acme/sales (1 job)");
  EXPECT_EQ(conversation_note(job, ConversationStanding{0, true}),
            "continues conversation acme/sales (imported, 0 jobs)");
}

}  // namespace
}  // namespace ba
