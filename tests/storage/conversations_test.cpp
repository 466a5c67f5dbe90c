// SPDX-License-Identifier: Apache-2.0
// Conversations that come from elsewhere and leave whole.
#include "storage/conversations.hpp"

#include "pipeline/text/message/langchain_json.hpp"
#include "tests/storage/storage_fixture.hpp"

namespace ba::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr Milliseconds kDay = std::chrono::hours(24);
constexpr HistoryLimits kWide{1000, 1'000'000};

class Conversations : public StorageTest {
 protected:
  const PgAccess& access() { return schema().access(); }

  static std::string human(const std::string& id, const std::string& text) {
    HumanMessage message;
    message.meta.message_id = MessageId(id);
    message.text = text;
    return message_to_json(message);
  }

  static ImportedConversation imported(const std::string& id) {
    return {TenantId("acme"), ConversationId(id), {human("a", "one"), human("b", "two")}, "ann"};
  }

  std::optional<ConversationHistory> find(const std::string& name) {
    const auto found = find_history(access(), TenantId("acme"), name, kWide);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::nullopt;
  }

  std::string count(const std::string& table) {
    return schema().query("SELECT count(*) FROM " + table);
  }
};

TEST_F(Conversations, AJobGoesOnWithWhatWasImported) {
  ASSERT_TRUE(import_conversation(access(), imported("talk")));
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "next", .conversation = "talk"}})));
  const auto claimed = claim(self, 1);
  ASSERT_THAT(claimed->jobs, SizeIs(1));
  const auto stored = load(claimed->jobs[0]);
  ASSERT_TRUE(stored);
  ASSERT_THAT(stored->history, SizeIs(2));
  EXPECT_EQ(std::get<HumanMessage>(stored->history[0]).text, "one");
  EXPECT_EQ(std::get<HumanMessage>(stored->history[1]).text, "two");
}

TEST_F(Conversations, OneBelongsToTheUserOfItsFirstJob) {
  const auto self = enter();
  const auto owners = [&] {
    return schema().query(
        "SELECT string_agg(tenant || '/' || conversation_id || ' ' || user_id, ', '"
        " ORDER BY tenant, conversation_id) FROM conversations");
  };
  IntakeBatch together = batch_of({{.job_id = "a", .conversation = "talk"},
                                   {.job_id = "b", .conversation = "talk"},
                                   {.job_id = "c", .conversation = "other"},
                                   {.job_id = "d", .tenant = "globex", .conversation = "talk"}});
  const std::vector<std::string> users{"zoe", "ann", "kim", "lee"};
  for (std::size_t i = 0; i < users.size(); ++i) together.jobs[i].job.user_id = users[i];
  ASSERT_TRUE(intake(self, together));
  EXPECT_EQ(owners(), "acme/other kim, acme/talk zoe, globex/talk lee");

  IntakeBatch later = batch_of({{.job_id = "e", .conversation = "talk"}});
  later.jobs[0].job.user_id = "ann";
  ASSERT_TRUE(intake(self, later));
  EXPECT_EQ(owners(), "acme/other kim, acme/talk zoe, globex/talk lee");
}

TEST_F(Conversations, AnImportedOneBelongsToTheUserOfItsFirstJob) {
  ASSERT_TRUE(import_conversation(access(), imported("talk")));
  const auto self = enter();
  IntakeBatch batch = batch_of({{.job_id = "a", .conversation = "talk"}});
  batch.jobs[0].job.user_id = "zoe";
  ASSERT_TRUE(intake(self, batch));
  EXPECT_EQ(schema().query("SELECT user_id FROM conversations"), "zoe");
}

TEST_F(Conversations, AnImportTakesNoIdThatIsThere) {
  ASSERT_TRUE(import_conversation(access(), imported("talk")));
  const auto again = import_conversation(access(), imported("talk"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::Conflict);
  EXPECT_EQ(count("inherited_messages"), "2");
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "j", .conversation = "of-a-job"}})));
  EXPECT_FALSE(import_conversation(access(), imported("of-a-job")));
  ImportedConversation other = imported("talk");
  other.tenant = TenantId("other");
  EXPECT_TRUE(import_conversation(access(), other)) << "ids are a tenant's own";
}

TEST_F(Conversations, AnImportThatIsRepeatedIsToldThatItIsThere) {
  constexpr auto kDone = "already, with these very messages: it was imported before";
  constexpr auto kOther = "already; name another with --conversation";
  ASSERT_TRUE(import_conversation(access(), imported("talk")));
  const auto said = [&](const ImportedConversation& wanted) {
    const auto again = import_conversation(access(), wanted);
    return again ? std::string() : again.error().message;
  };
  EXPECT_THAT(said(imported("talk")), HasSubstr(kDone));
  ImportedConversation longer = imported("talk");
  longer.messages.push_back(human("c", "three"));
  EXPECT_THAT(said(longer), HasSubstr(kOther));
  ImportedConversation turned = imported("talk");
  std::swap(turned.messages[0], turned.messages[1]);
  EXPECT_THAT(said(turned), HasSubstr(kOther));
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "next", .conversation = "talk"},
                                     {.job_id = "j", .conversation = "of-a-job"}})));
  EXPECT_THAT(said(imported("talk")), HasSubstr(kDone)) << "a job has gone on with it";
  EXPECT_THAT(said(imported("of-a-job")), HasSubstr(kOther));
}

TEST_F(Conversations, AnImportThatIsRefusedLeavesNothing) {
  ImportedConversation broken = imported("talk");
  broken.messages.push_back("{no JSON");
  EXPECT_FALSE(import_conversation(access(), broken));
  EXPECT_EQ(count("conversations"), "0");
  EXPECT_EQ(count("inherited_messages"), "0");
}

TEST_F(Conversations, AreFoundByTheirIdAndByThatOfAJob) {
  ASSERT_TRUE(import_conversation(access(), imported("talk")));
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "next", .conversation = "talk"}})));
  const auto claimed = claim(self, 1);
  ASSERT_TRUE(append(self, round_opened(claimed->jobs.at(0))));
  const auto whole = find("talk");
  ASSERT_TRUE(whole);
  EXPECT_THAT(whole->messages, SizeIs(3));
  EXPECT_EQ(whole->messages[0], human("a", "one"));
  EXPECT_EQ(whole->unfinished_jobs, 1);
  const auto of_job = find("next");
  ASSERT_TRUE(of_job);
  EXPECT_EQ(of_job->conversation_id.value, "talk");
  EXPECT_EQ(of_job->messages, whole->messages);
  EXPECT_FALSE(find("nowhere"));
  EXPECT_FALSE(*find_history(access(), TenantId("other"), "talk", kWide));
}

TEST_F(Conversations, ANameThatMeansTwoIsRefused) {
  ASSERT_TRUE(import_conversation(access(), imported("next")));
  const auto self = enter();
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "next", .conversation = "talk"}})));
  const auto found = find_history(access(), TenantId("acme"), "next", kWide);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::Conflict);
}

TEST_F(Conversations, LargerOnesThanAllowedAreRefused) {
  ASSERT_TRUE(import_conversation(access(), imported("talk")));
  for (const HistoryLimits& limits : {HistoryLimits{1, 1'000'000}, HistoryLimits{1000, 10}}) {
    const auto found = find_history(access(), TenantId("acme"), "talk", limits);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::LimitExceeded);
    EXPECT_THAT(found.error().message, HasSubstr("2 messages"));
  }
}

TEST_F(Conversations, ThatNoJobWentOnWithAgeLikeJobs) {
  const auto self = enter();
  ASSERT_TRUE(import_conversation(access(), imported("old")));
  ASSERT_TRUE(import_conversation(access(), imported("waiting")));
  ASSERT_TRUE(intake(self, batch_of({{.job_id = "next", .conversation = "waiting"}})));
  schema().execute("UPDATE conversations SET created_at = created_at - interval '31 days'");
  ASSERT_TRUE(import_conversation(access(), imported("young")));
  RetentionRules rules;
  rules.jobs = 30 * kDay;
  rules.tenants[TenantId("other")] = std::nullopt;
  ASSERT_TRUE(remove_batch(self, rules));
  EXPECT_EQ(
      schema().query("SELECT string_agg(DISTINCT conversation_id, ' ' ORDER BY conversation_id)"
                     " FROM inherited_messages i JOIN conversations c ON c.id = i.conversation"),
      "waiting young");
  EXPECT_EQ(count("conversations"), "3") << "an id stays taken";
  EXPECT_EQ(count("conversations WHERE imported_by IS NOT NULL"), "1")
      << "the others are done with";
  rules.tenants[TenantId("acme")] = std::nullopt;  // for ever
  schema().execute("UPDATE conversations SET created_at = created_at - interval '31 days'");
  ASSERT_TRUE(remove_batch(self, rules));
  EXPECT_EQ(count("inherited_messages"), "4");
}

}  // namespace
}  // namespace ba::storage
