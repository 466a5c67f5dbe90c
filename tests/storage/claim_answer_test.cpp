// SPDX-License-Identifier: Apache-2.0
// What a claim says of the jobs that it answers with.
#include "storage/conversations.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class ClaimAnswers : public StorageTest {};

TEST_F(ClaimAnswers, AnUnheardJobIsFoundAmongManyThatAreKnown) {
  std::vector<JobSpec> specs;
  for (int i = 0; i < 256; ++i) specs.push_back({.job_id = std::to_string(i)});
  const auto self = enter();
  const auto all = intake(self, batch_of(specs), 256);
  ASSERT_THAT(names(all), SizeIs(256));
  ClaimRequest request;
  for (const ClaimedJob& job : all->jobs) request.known.push_back(job.id);
  const ClaimedJob unheard = all->jobs.back();
  request.known.pop_back();
  const auto answer = claim(self, request);
  EXPECT_THAT(names(answer), ElementsAre(unheard.payload));
  EXPECT_EQ(answer->jobs.at(0).id, unheard.id);
  EXPECT_TRUE(unheard.fresh);
  EXPECT_FALSE(answer->jobs.at(0).fresh);
}

TEST_F(ClaimAnswers, WhatIsAskedOfAJobComesOnceWithItsClaim) {
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "a"}, {.job_id = "b"}})));
  ASSERT_TRUE(rig_->control("a", JobAction::Cancel));
  const auto answer = claim(self, 2);
  EXPECT_THAT(names(answer), ElementsAre("acme/a", "acme/b"));
  ASSERT_THAT(answer->requests, SizeIs(1));
  EXPECT_EQ(answer->requests[0].id, answer->jobs.at(0).id);
  EXPECT_EQ(answer->requests[0].request, JobRequest::Cancel);
}

TEST_F(ClaimAnswers, AJobOfAnImportedConversationIsNotFresh) {
  ImportedConversation imported;
  imported.tenant = TenantId("acme");
  imported.conversation_id = ConversationId("talk");
  imported.messages = {R"({"type":"human","data":{"content":"before"}})"};
  imported.by = "tester";
  ASSERT_TRUE(import_conversation(schema().access(), imported));
  const auto answer =
      intake(enter(), batch_of({{.job_id = "a", .conversation = "talk"}, {.job_id = "b"}}), 2);
  ASSERT_THAT(names(answer), ElementsAre("acme/a", "acme/b"));
  EXPECT_FALSE(answer->jobs.at(0).fresh);
  EXPECT_TRUE(answer->jobs.at(1).fresh);
}

}  // namespace
}  // namespace ba::storage
