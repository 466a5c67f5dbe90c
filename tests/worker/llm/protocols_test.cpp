// SPDX-License-Identifier: Apache-2.0
// What each protocol says of itself, and that nobody has to know one by its name: a protocol that
// is in no list is spoken like the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/worker/http/fake_http.hpp"
#include "tests/worker/llm/llm_messages.hpp"
#include "worker/llm/count_form.hpp"
#include "worker/llm/llm_client.hpp"
#include "worker/llm/message_parts.hpp"
#include "worker/llm/protocol.hpp"
#include "worker/llm/request_writer.hpp"
#include "worker/llm/tool_rules.hpp"

namespace ba::llm {
namespace {

using ::testing::HasSubstr;

TEST(Protocols, EachSaysWhatItIs) {
  std::set<std::string_view> names;
  for (const Protocol* protocol : protocols()) {
    const ProtocolTraits& traits = protocol->traits();
    EXPECT_TRUE(names.insert(traits.name).second) << traits.name;
    EXPECT_EQ(find_protocol(traits.name), protocol);
    EXPECT_EQ(traits.path.front(), '/') << traits.name;
    EXPECT_TRUE(http::is_http_url(traits.owner_url)) << traits.name;
    EXPECT_FALSE(traits.owner_key.empty()) << traits.name;
    EXPECT_FALSE(traits.owner.empty()) << traits.name;
    if (!traits.plainer.empty()) {
      EXPECT_NE(find_protocol(traits.plainer), nullptr) << traits.name;
    }
  }
  EXPECT_EQ(names.size(), protocols().size());
  EXPECT_EQ(default_protocol().name(), "anthropic");
}

TEST(Protocols, AreFoundByNameInAnyCase) {
  EXPECT_EQ(find_protocol("OpenAI_Chat")->name(), "openai_chat");
  EXPECT_EQ(find_protocol("openai"), nullptr);
  EXPECT_EQ(find_protocol(""), nullptr);
}

TEST(Protocols, WhoCountsForOneHasANameAndAUrl) {
  for (const Protocol* protocol : protocols())
    for (const CountForm* form : protocol->counting().named) {
      EXPECT_TRUE(is_count_api(form->name())) << protocol->name();
      EXPECT_FALSE(form->url_end().empty()) << form->name();
      ProviderConfig provider;
      provider.base_url = protocol->traits().owner_url;
      ModelConfig model;
      model.model_id = "m";
      EXPECT_TRUE(form->url(provider, model).ends_with(form->url_end())) << form->name();
    }
}

class PlainWriter final : public RequestWriter {
 public:
  bool goes_on(const ModelRequest& /*request*/, const ProtocolContext& /*context*/) override {
    return true;
  }
  std::string head(const ModelRequest& /*request*/,
                   const ProtocolContext& /*context*/) const override {
    return R"({"line":")";
  }
  Result<void> add(const Message& message, std::size_t /*place*/) override {
    last_ = std::get<HumanMessage>(message).text;
    return {};
  }
  void settle(std::string& /*body*/) override {}
  std::string end() const override { return last_ + "\"}"; }
  std::size_t bytes() const override { return last_.size(); }

 private:
  std::string last_;
};

/// A request is its last message's text, and so is a reply.
class PlainProtocol final : public Protocol {
 public:
  const ProtocolTraits& traits() const override {
    static constexpr ProtocolTraits kTraits{.name = "plain",
                                            .path = "/lines",
                                            .owner_url = "https://plain.example",
                                            .owner_key = "PLAIN_API_KEY",
                                            .owner = "plain"};
    return kTraits;
  }
  std::unique_ptr<RequestWriter> request_writer(const ModelRequest& /*request*/,
                                                const ProtocolContext& /*context*/) const override {
    return std::make_unique<PlainWriter>();
  }
  std::unique_ptr<StreamReader> read_stream(const ProtocolContext& /*context*/) const override {
    return nullptr;
  }
  StructuredOutput answer_form(const ClosedForm& /*form*/) const override {
    return {.native = true, .strict = true};
  }
  const ToolRules& tool_rules(const ProviderConfig& /*provider*/,
                              const ModelConfig& /*model*/) const override {
    return tool_rows::kText;
  }
  Counting counting() const override { return {protocols().front()->counting().own, {}}; }
  const CountForm* known_counter(const ProviderConfig& /*provider*/) const override {
    return nullptr;
  }

 private:
  Result<ProtocolReply> read_whole(JsonView body,
                                   const ProtocolContext& /*context*/) const override {
    ProtocolReply result;
    result.reply.message.text = body["line"].text();
    result.reply.stop = StopReason::EndTurn;
    return result;
  }
};

class UnlistedProtocol : public ::testing::Test {
 protected:
  UnlistedProtocol() {
    ProviderConfig& provider = config_.providers.emplace_back();
    provider.name = "p";
    provider.protocol = &plain_;
    provider.base_url = plain_.traits().owner_url;
    provider.api_key = Secret("key-1");
    provider.streaming = false;
    provider.structured_output = StructuredOutputMode::Native;
    ModelConfig& model = config_.models.emplace_back();
    model.name = model.model_id = "m";
    model.provider = "p";
    config_.default_model = "m";
    request_.human("how are you?");
  }

  Result<std::unique_ptr<ModelClient>> client() {
    return make_llm_client(config_, {time_, time_, random_, http_, nullptr});
  }

  const PlainProtocol plain_;
  LlmConfig config_;
  VirtualExecutor time_;
  FixedRandom random_{0};
  http::FakeHttp http_{time_};
  TestRequest request_;
};

TEST_F(UnlistedProtocol, IsSpoken) {
  auto made = client();
  ASSERT_TRUE(made) << made.error().message;
  http_.answers = {{200, R"({"line":"fine"})"}};
  std::optional<ModelOutcome> outcome;
  const auto call = (*made)->ask(
      request_.get(), {[&outcome](ModelOutcome answer) { outcome = std::move(answer); }, {}});
  time_.run();
  ASSERT_TRUE(outcome && std::holds_alternative<ModelReply>(*outcome));
  EXPECT_EQ(std::get<ModelReply>(*outcome).message.text, "fine");
  EXPECT_EQ(http_.posts.at(0).body, R"({"line":"how are you?"})");
  EXPECT_EQ(http_.configs.at(0).url, "https://plain.example/v1/lines");
  EXPECT_EQ(extra_origin(config_.providers[0]), "plain/p");
}

TEST_F(UnlistedProtocol, SaysWhichSettingsMeanNothingToIt) {
  config_.models[0].strip_think = true;
  const auto refused = client();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("is for protocol openai_chat; leave it out"));
}

TEST_F(UnlistedProtocol, IsAskedAboutToolsAnswersAndCounts) {
  const ProviderConfig& provider = config_.providers[0];
  const ModelConfig& model = config_.models[0];
  EXPECT_EQ(&tool_rules(provider, model), &tool_rows::kText);
  request_.fields().answer_schema = R"({"type":"object"})";
  EXPECT_TRUE(structured_output(request_.get(), {provider, model, config_.limits}).strict);
  const auto counted = count_api(provider, model, "");
  ASSERT_FALSE(counted);
  EXPECT_THAT(counted.error().message,
              HasSubstr("nobody is known who counts for it: its provider \"p\" speaks plain"));
}

}  // namespace
}  // namespace ba::llm
