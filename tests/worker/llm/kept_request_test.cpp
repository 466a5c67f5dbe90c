// SPDX-License-Identifier: Apache-2.0
// A request that goes on from the last one has the bytes and the hash of one that is written by
// itself, in each protocol, whatever changes between them. What it costs doesn't grow.
#include "worker/llm/kept_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/llm/growing_conversation.hpp"
#include "tests/worker/llm/protocol_fixture.hpp"

namespace ba::llm {
namespace {

using ::testing::HasSubstr;

constexpr int kSeeds = 12;
constexpr int kSteps = 60;

ModelRequest request_of(const std::vector<Message>& messages) {
  ModelRequest request;
  request.model = "m";
  request.system = "You are exact.";
  request.affinity = 7;
  for (const Message& message : messages) request.messages.push_back(&message);
  return request;
}

ToolSpec tool(const std::string& name) {
  return {name, "Does \"it\".", R"({"type":"object","properties":{}})"};
}

struct Server {
  const Protocol* protocol = nullptr;
  LlmQuirks quirks = LlmQuirks::None;
  bool text_tools = false;
  bool thinks = false;  ///< with a budget
};

std::vector<Server> servers() {
  std::vector<Server> all;
  for (const Protocol* protocol : protocols())
    for (const LlmQuirks quirks : every_quirk()) {
      all.push_back({protocol, quirks});
      if (protocol->traits().text_tools) all.push_back({protocol, quirks, true});
      if (protocol->traits().thinking) all.push_back({protocol, quirks, false, true});
    }
  return all;
}

std::string server_name(const testing::TestParamInfo<Server>& info) {
  return std::string(info.param.protocol->name()) + "_" +
         std::string(name_of(kLlmQuirksNames, info.param.quirks)) +
         (info.param.text_tools ? "_text" : "") + (info.param.thinks ? "_thinking" : "");
}

class AnyServer : public ProtocolFixture, public testing::WithParamInterface<Server> {
 protected:
  AnyServer() : ProtocolFixture(GetParam().protocol) {
    provider_.quirks = GetParam().quirks;
    if (GetParam().text_tools) model_.tool_calling = ToolCalling::Text;
    model_.max_output_tokens = 4'000;
    if (GetParam().thinks) model_.thinking = ThinkingConfig{ThinkingMode::Enabled, 1'024};
  }

  /// What may differ from one request to the next of a conversation.
  struct Around {
    std::string system = "You are exact.";
    std::vector<ToolSpec> tools{tool("query_database")};
    std::size_t loose = 0;
    std::int64_t output_ceiling = 0;
    std::string answer_schema;
    bool refused = false;  ///< something that is left out from then on

    void change(GrowingConversation& dice, std::size_t messages) {
      if (dice.one_in(20)) system += " Be brief.";
      if (dice.one_in(20)) tools.push_back(tool("t" + std::to_string(tools.size())));
      if (dice.one_in(20)) tools.clear();
      if (dice.one_in(8))
        loose = static_cast<std::size_t>(dice.number(0, static_cast<int>(messages)));
      if (dice.one_in(8)) output_ceiling = dice.number(0, 1) * 1'000;
      if (dice.one_in(20)) answer_schema = answer_schema.empty() ? R"({"type":"object"})" : "";
      if (dice.one_in(20)) refused = true;
    }
  };

  /// Whole, by itself.
  std::string plain(ModelRequest request, const ProtocolContext& context) const {
    request.memory = nullptr;
    const auto body = protocol().request_body(request, context);
    EXPECT_TRUE(body) << body.error().message;
    return body ? *body : "";
  }

  const Error refusal_ = make_error(ErrorCode::InvalidArgument, "refused");
  const std::shared_ptr<KeptBytes> all_ = std::make_shared<KeptBytes>(kKeptBytesMax);
};

/// Of a conversation that is asked about again and again. The bodies before may still be on their
/// way: they don't change.
class AskedAgain {
 public:
  AskedAgain(unsigned seed, std::string origin) : dice(seed, std::move(origin)) {}

  GrowingConversation dice;
  RequestMemory memory;
  std::vector<std::pair<std::shared_ptr<const std::string>, std::string>> under_way;
  std::size_t gone_on = 0;

  void expect_the_same(const std::shared_ptr<const std::string>& body, const std::string& plain) {
    ASSERT_EQ(*body, plain);
    for (const auto& [before, text] : under_way) ASSERT_EQ(*before, text);
    if (!dice.one_in(3)) under_way.clear();
    if (dice.one_in(2)) under_way.emplace_back(body, plain);
  }
};

TEST_P(AnyServer, WritesTheSameBytesAsByItselfWhateverChanges) {
  std::size_t gone_on = 0;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    AskedAgain asked(seed, extra_origin(provider_));
    auto kept = std::make_unique<KeptRequest>(all_);
    Around around;
    for (int step = 0; step < kSteps; ++step) {
      for (int more = asked.dice.number(0, 3); more > 0; --more) asked.dice.grow();
      if (asked.dice.one_in(15)) {
        asked.dice.compress();
        asked.memory.forget();
        kept = std::make_unique<KeptRequest>(all_);
      }
      const std::vector<Message> moved = asked.dice.messages();  // they lie elsewhere each time
      around.change(asked.dice, moved.size());
      ModelRequest request = request_of(moved);
      request.system = around.system;
      request.tools = around.tools;
      request.output_ceiling = around.output_ceiling;
      request.answer_schema = around.answer_schema;
      request.memory = &asked.memory;
      ProtocolContext context = this->context();
      context.loose_thoughts = around.loose;
      if (around.refused) context.known_refusal = &refusal_;
      const auto body = kept->write(request, context);
      ASSERT_TRUE(body) << body.error().message;
      const std::string whole = plain(request, context);
      ASSERT_NO_FATAL_FAILURE(asked.expect_the_same(*body, whole))
          << "seed " << seed << ", step " << step;
      if (asked.dice.one_in(2)) {
        ASSERT_EQ(kept->hash(), sha256_hex_of(whole));
      }
      gone_on += kept->work().messages < moved.size();
    }
  }
  EXPECT_GT(gone_on, static_cast<std::size_t>(kSeeds * kSteps / 10)) << "what this test is about";
}

/// What a step costs is what is new in it.
TEST_P(AnyServer, AStepCostsAsMuchAfterManyAsAfterFew) {
  std::vector<Message> messages;
  int ids = 0;
  const auto meta = [&ids] {
    MessageMeta meta;
    meta.message_id = MessageId("m" + std::to_string(++ids));
    return meta;
  };
  RequestMemory memory;
  KeptRequest kept(all_);
  std::optional<KeptRequest::Work> early;
  for (int round = 1; round <= 300; ++round) {
    ToolCall call = tool_call("call_" + std::to_string(10'000 + round));
    AiMessage asking;
    asking.meta = meta();
    asking.tool_calls.push_back(call);
    messages.emplace_back(HumanMessage{meta(), std::string(300, 'q')});
    messages.emplace_back(asking);
    messages.emplace_back(
        ToolMessage{meta(), call.id, call.name, std::string(700, 'r'), ToolStatus::Success});
    AiMessage said;
    said.meta = meta();
    said.text = std::string(200, 'a');
    messages.emplace_back(said);
    messages.emplace_back(HumanMessage{meta(), "And now?"});
    ModelRequest request = request_of(messages);
    request.tools = {tool("query_database")};
    request.memory = &memory;
    const std::uint64_t looked_at = memory.check.looked_at();
    ASSERT_TRUE(kept.write(request, context()));
    kept.hash();
    EXPECT_EQ(memory.check.looked_at() - looked_at, 5U);
    EXPECT_EQ(kept.work().messages, 5U);
    if (round == 10) early = kept.work();
    if (!early) continue;
    ASSERT_EQ(kept.work().bytes, early->bytes) << "round " << round;
    ASSERT_EQ(kept.work().hashed, early->hashed) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(, AnyServer, testing::ValuesIn(servers()), server_name);

class KeptRequestTest : public ProtocolFixture {
 protected:
  KeptRequestTest() : ProtocolFixture(&default_protocol()) {}

  /// A conversation of about so many bytes, asked about.
  Result<WrittenRequest> written(RequestMemory& memory, std::size_t bytes) {
    talk_ = {HumanMessage{{}, std::string(bytes, 'q')}};
    std::get<HumanMessage>(talk_[0]).meta.message_id = MessageId("q");
    ModelRequest request = request_of(talk_);
    request.memory = &memory;
    return write_request(request, context(), all_);
  }

  std::vector<Message> talk_;
  std::shared_ptr<KeptBytes> all_ = std::make_shared<KeptBytes>(100'000);
};

TEST_F(KeptRequestTest, KeepsNothingOfAShortOne) {
  RequestMemory memory;
  const auto short_one = written(memory, 1'000);
  ASSERT_TRUE(short_one);
  EXPECT_EQ(memory.kept, nullptr);
  EXPECT_EQ(short_one->hash, "") << "it is reckoned where it is wanted";
  EXPECT_EQ(all_->used(), 0U);
}

TEST_F(KeptRequestTest, KeepsALongOneAsLongAsItsMemory) {
  {
    RequestMemory memory;
    const auto first = written(memory, 20'000);
    ASSERT_TRUE(first);
    EXPECT_NE(memory.kept, nullptr);
    EXPECT_EQ(first->hash, sha256_hex_of(*first->body));
    EXPECT_GE(all_->used(), 20'000U);
    memory.forget();
    EXPECT_EQ(all_->used(), 0U);
    ASSERT_TRUE(written(memory, 20'000));
    EXPECT_GE(all_->used(), 20'000U);
  }
  EXPECT_EQ(all_->used(), 0U);
}

TEST_F(KeptRequestTest, KeepsNoMoreThanAllMayTake) {
  std::vector<std::unique_ptr<RequestMemory>> memories;
  std::size_t kept = 0;
  for (int i = 0; i < 20; ++i) {
    memories.push_back(std::make_unique<RequestMemory>());
    const auto one = written(*memories.back(), 20'000);
    ASSERT_TRUE(one);
    EXPECT_EQ(one->body->substr(0, 9), R"({"model":)");
    kept += memories.back()->kept != nullptr;
    EXPECT_LE(all_->used(), 100'000U);
  }
  EXPECT_GT(kept, 0U);
  EXPECT_LT(kept, 6U);
  memories.erase(memories.begin());
  RequestMemory next;
  ASSERT_TRUE(written(next, 20'000));
  EXPECT_NE(next.kept, nullptr) << "there is room again";
}

TEST_F(KeptRequestTest, OutlivesTheClientThatCounted) {
  RequestMemory memory;
  ASSERT_TRUE(written(memory, 20'000));
  all_.reset();
  memory.forget();
}

TEST_F(KeptRequestTest, WithoutAMemoryEachStandsByItself) {
  talk_ = {HumanMessage{{}, std::string(20'000, 'q')}};
  std::get<HumanMessage>(talk_[0]).meta.message_id = MessageId("q");
  const auto one = write_request(request_of(talk_), context(), all_);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->hash, "");
  EXPECT_EQ(all_->used(), 0U);
}

/// Should a memory ever be of another conversation, nothing of that is sent.
TEST_F(KeptRequestTest, GoesOnFromNothingWhoseLastMessageIsAnother) {
  RequestMemory memory;
  ASSERT_TRUE(written(memory, 20'000));
  talk_ = {HumanMessage{{}, "another"}};
  std::get<HumanMessage>(talk_[0]).meta.message_id = MessageId("a");
  ModelRequest request = request_of(talk_);
  memory.check = {};
  request.memory = &memory;
  const auto other = write_request(request, context(), all_);
  ASSERT_TRUE(other);
  EXPECT_EQ(*other->body, *protocol().request_body(request_of(talk_), context()));
}

TEST_F(KeptRequestTest, AMessageThatCantBeSentIsNamedEachTime) {
  RequestMemory memory;
  ASSERT_TRUE(written(memory, 20'000));
  AiMessage broken;
  broken.meta.message_id = MessageId("b");
  broken.extra = ProviderExtra{extra_origin(provider_), "no JSON"};
  talk_.emplace_back(broken);
  for (int i = 0; i < 2; ++i) {
    ModelRequest request = request_of(talk_);
    request.memory = &memory;
    const auto refused = write_request(request, context(), all_);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("messages[1].extra"));
    EXPECT_EQ(memory.kept, nullptr);
  }
}

}  // namespace
}  // namespace ba::llm
