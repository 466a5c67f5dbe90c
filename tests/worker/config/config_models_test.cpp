// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/config/config_fixture.hpp"
#include "worker/llm/anthropic/anthropic_protocol.hpp"
#include "worker/llm/openai_chat/openai_chat_protocol.hpp"
#include "worker/llm/openai_responses/openai_responses_protocol.hpp"

namespace ba::config {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(ConfigTest, ABaseUrlAloneMakesAModel) {
  const LoadedConfig loaded = load("", {{{"BA_LLM_BASE_URL", "http://127.0.0.1:8080/v1"}}});
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  const llm::ModelConfig* model = loaded.config.llm.model("");
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->model_id, "default");
  EXPECT_FALSE(model->prices);
  const llm::ProviderConfig* provider = loaded.config.llm.provider(model->provider);
  ASSERT_NE(provider, nullptr);
  EXPECT_EQ(provider->protocol, &llm::openai_chat_protocol());
  EXPECT_EQ(provider->base_url, "http://127.0.0.1:8080/v1");
}

TEST_F(ConfigTest, AModelsStructuredOutputIsTheProvidersUnlessItIsSet) {
  const LoadedConfig loaded = load(R"(
llm:
  providers:
    gateway: {protocol: openai_chat, base_url: "http://h:1", structured_output: native}
  models:
    new: {provider: gateway}
    old: {provider: gateway, structured_output: off}
)");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.llm.providers.at(0).structured_output, llm::StructuredOutputMode::Native);
  EXPECT_EQ(loaded.config.llm.model("new")->structured_output, llm::StructuredOutputMode::Auto);
  EXPECT_EQ(loaded.config.llm.model("old")->structured_output, llm::StructuredOutputMode::Off);
}

TEST_F(ConfigTest, AModelsWindowIsTwoHundredThousandTokensUnlessItIsSet) {
  const LoadedConfig loaded = load(R"(
llm:
  providers: {p: {base_url: "http://h"}}
  models: {usual: {provider: p}, small: {provider: p, context_window: 32768}}
)");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.llm.model("usual")->context_window, 200'000);
  EXPECT_EQ(loaded.config.llm.model("small")->context_window, 32'768);
}

TEST_F(ConfigTest, TheOtherModelVariablesRefineIt) {
  const LoadedConfig loaded = load("", {{{"BA_LLM_BASE_URL", "http://h:1"},
                                         {"BA_LLM_MODEL", "qwen2.5"},
                                         {"BA_LLM_PROTOCOL", "Anthropic"},
                                         {"BA_LLM_API_KEY", "llmsecret"}}});
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.llm.default_model, "qwen2.5");
  EXPECT_EQ(loaded.config.llm.providers.at(0).protocol, &llm::anthropic_protocol());
  EXPECT_EQ(loaded.config.llm.providers.at(0).api_key.reveal(), "llmsecret");
}

TEST_F(ConfigTest, AProvidersUsualKeyAloneMakesAModelWithPrices) {
  const LoadedConfig anthropic = load("", {{{"ANTHROPIC_API_KEY", "antsecret"}}});
  ASSERT_THAT(anthropic.findings.errors(), IsEmpty());
  ASSERT_NE(anthropic.config.llm.model(""), nullptr);
  EXPECT_TRUE(anthropic.config.llm.model("")->prices);
  EXPECT_EQ(anthropic.config.llm.providers.at(0).base_url, "https://api.anthropic.com");
  EXPECT_THAT(anthropic.findings.secrets, Contains("antsecret"));

  const LoadedConfig openai =
      load("", {{{"OPENAI_API_KEY", "oaisecret"}, {"BA_LLM_MODEL", "gpt-4.1"}}});
  ASSERT_THAT(openai.findings.errors(), IsEmpty());
  EXPECT_EQ(openai.config.llm.default_model, "gpt-4.1");
  EXPECT_EQ(openai.config.llm.providers.at(0).protocol, &llm::openai_responses_protocol())
      << "of OpenAI's own models, those that don't reason too";
  EXPECT_FALSE(openai.config.llm.model("")->prices);

  const LoadedConfig reasoning = load("", {{{"OPENAI_API_KEY", "oaisecret"}}});
  ASSERT_THAT(reasoning.findings.errors(), IsEmpty());
  EXPECT_EQ(reasoning.config.llm.providers.at(0).protocol, &llm::openai_responses_protocol());
  EXPECT_EQ(reasoning.config.llm.providers.at(0).base_url, "https://api.openai.com");
  EXPECT_FALSE(reasoning.config.llm.model("")->effort);
}

TEST_F(ConfigTest, OfASmallerReplyWhatIsNotSetIsNoLarger) {
  const LoadedConfig loaded = load("llm: {limits: {reply_bytes_max: 100000}}\n");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.llm.limits.event_bytes_max, 100'000);
  EXPECT_EQ(loaded.config.llm.limits.tool_args_bytes_max, 100'000);
  EXPECT_EQ(load("").config.llm.limits.tool_args_bytes_max, 2 << 20)
      << "room for a file of file_write";
}

TEST_F(ConfigTest, PricesMayChangeOnADayOrAtATime) {
  const LoadedConfig loaded = load(R"(
llm:
  providers: {p: {base_url: "http://h"}}
  models:
    m:
      provider: p
      prices:
        input_per_mtok_usd: 2
        output_per_mtok_usd: 10
        changes:
          - {from: 2027-02-01, input_per_mtok_usd: 3, output_per_mtok_usd: 15, as_of: 2027-01}
          - {from: "2027-03-01T08:00:00+01:00", input_per_mtok_usd: 1, output_per_mtok_usd: 5,
             cache_read_per_mtok_usd: 0.1}
)");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  const llm::ModelConfig& model = *loaded.config.llm.model("m");
  EXPECT_EQ(model.prices->input, 2'000'000);
  ASSERT_EQ(model.price_changes.size(), 2U);
  EXPECT_EQ(model.price_changes[0].from, parse_rfc3339("2027-02-01T00:00:00Z"));
  EXPECT_EQ(model.price_changes[0].prices,
            (llm::ModelPrices{3'000'000, 15'000'000, 3'000'000, 3'000'000, "2027-01"}));
  EXPECT_EQ(model.price_changes[1].from, parse_rfc3339("2027-03-01T07:00:00Z"));
  EXPECT_EQ(model.price_changes[1].prices.cache_read, 100'000);
}

TEST_F(ConfigTest, AChangeOfPricesNeedsItsTimeAndBothPrices) {
  const auto with = [this](const std::string& change) {
    return errors(
        "llm: {providers: {p: {base_url: 'http://h'}}, models: {m: {provider: p, prices: "
        "{input_per_mtok_usd: 1, output_per_mtok_usd: 1, changes: [" +
        change + "]}}}}\n");
  };
  EXPECT_THAT(with("{input_per_mtok_usd: 1, output_per_mtok_usd: 1}"),
              ElementsAre(HasSubstr(
                  "llm.models.m.prices.changes[0].from: '' is not allowed: must be the day")));
  EXPECT_THAT(with("{from: 2027-02-30, input_per_mtok_usd: 1, output_per_mtok_usd: 1}"),
              ElementsAre(HasSubstr("'2027-02-30' is not allowed: must be the day")));
  EXPECT_THAT(with("{from: 2027-02-20, input_per_mtok_usd: 1}"),
              ElementsAre(HasSubstr("need input_per_mtok_usd and output_per_mtok_usd")));
  EXPECT_THAT(with("{from: 2027-02-02, input_per_mtok_usd: 1, output_per_mtok_usd: 1}, "
                   "{from: 2027-02-01, input_per_mtok_usd: 1, output_per_mtok_usd: 1}"),
              ElementsAre(HasSubstr("changes[1].from is '2027-02-01T00:00:00.000000Z': must be "
                                    "later than the change before it")));
}

TEST_F(ConfigTest, AUsualKeyIsLentOnlyToItsOwner) {
  const LoadedConfig loaded = load(R"(
llm:
  providers:
    owner: {protocol: anthropic}
    foreign: {protocol: anthropic, base_url: "https://api.anthropic.com.evil.example"}
    own_key: {protocol: anthropic, api_key: mine12}
  models: {a: {provider: owner}, b: {provider: foreign}}
  default_model: a
)",
                                   {{{"ANTHROPIC_API_KEY", "antsecret"}}});
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.llm.provider("owner")->api_key.reveal(), "antsecret");
  EXPECT_TRUE(loaded.config.llm.provider("foreign")->api_key.empty());
  EXPECT_EQ(loaded.config.llm.provider("own_key")->api_key.reveal(), "mine12");
}

TEST_F(ConfigTest, ConfiguredProvidersAreNotOverriddenInSilence) {
  const LoadedConfig loaded =
      load("llm: {providers: {p: {base_url: 'http://h'}}, models: {m: {provider: p}}}\n",
           {{{"BA_LLM_BASE_URL", "http://other"}}});
  EXPECT_EQ(loaded.config.llm.providers.size(), 1U);
  EXPECT_THAT(loaded.findings.warnings(),
              ElementsAre("environment BA_LLM_BASE_URL: is not used: the file configures "
                          "llm.providers"));
}

TEST_F(ConfigTest, AnAdaptersComplaintGetsItsPlace) {
  EXPECT_THAT(errors("llm:\n  providers: {p: {}}\n  models:\n    m:\n      provider: q\n"),
              ElementsAre(HasSubstr("c.yaml:5: llm.models.m.provider is 'q'")));
}

}  // namespace
}  // namespace ba::config
