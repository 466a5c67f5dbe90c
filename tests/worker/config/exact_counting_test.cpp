// SPDX-License-Identifier: Apache-2.0
// Which of the configured models' providers are asked for exact counts.
#include "worker/config/exact_counting.hpp"

#include "tests/worker/config/config_fixture.hpp"

namespace ba::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ExactCountingTest : public ConfigTest {
 protected:
  LoadedConfig with(const std::string& encoders, const std::string& context = "") {
    std::filesystem::create_directories(folder_ / ".ba-agent");
    write(".ba-agent/token_encoders.yaml", "encoders:\n" + encoders);
    return load(context + R"(
llm:
  providers:
    a: {protocol: anthropic, base_url: "http://h:1"}
    local: {protocol: openai_chat, base_url: "http://h:2"}
  models:
    main: {provider: a, model_id: claude-x}
    own: {provider: local, model_id: qwen-x}
)",
                {{{"HOME", folder_.string()}}});
  }
};

TEST_F(ExactCountingTest, IsOffUnlessItIsSet) {
  const LoadedConfig loaded = with("  claude-x: {safety_margin: 1.1}\n");
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_THAT(exact_count_apis(loaded), IsEmpty());
  EXPECT_EQ(loaded.config.context.exact_counting_timeout, Milliseconds(2'000));
}

TEST_F(ExactCountingTest, HoldsForTheModelsThatAnEntryNames) {
  const LoadedConfig loaded = with(
      "  claude-*: {use_exact_counting: true}\n"
      "  qwen-x: {use_exact_counting: true, exact_counting_api: 'http://h:2/tokenize'}\n",
      "context: {exact_counting_timeout_ms: 500}\n");
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_THAT(loaded.findings.warnings(), IsEmpty());
  const auto apis = exact_count_apis(loaded);
  ASSERT_EQ(apis.size(), 2U);
  EXPECT_EQ(apis.at("main").url, "http://h:1/v1/messages/count_tokens");
  EXPECT_EQ(apis.at("own").url, "http://h:2/tokenize");
  EXPECT_TRUE(apis.at("own").trusted);
  EXPECT_EQ(loaded.config.context.exact_counting_timeout, Milliseconds(500));
}

TEST_F(ExactCountingTest, AModelThatNobodyCountsForIsAnError) {
  const LoadedConfig unknown = with("  qwen-*: {use_exact_counting: true}\n");
  EXPECT_THAT(unknown.findings.errors(),
              ElementsAre(testing::AllOf(
                  HasSubstr("llm.models.own: its tokens are to be counted exactly "
                            "(use_exact_counting in "),
                  HasSubstr("but nobody is known who counts for it: its provider \"local\" speaks "
                            "openai_chat; exact_counting_api may be a URL"))));
  const LoadedConfig misfit =
      with("  claude-x: {use_exact_counting: true, exact_counting_api: gemini}\n");
  EXPECT_THAT(
      misfit.findings.errors(),
      ElementsAre(testing::AllOf(HasSubstr("llm.models.main: its tokens are to be counted exactly"),
                                 HasSubstr("\"gemini\" doesn't count for it"))));
  EXPECT_THAT(exact_count_apis(misfit), IsEmpty());
}

TEST_F(ExactCountingTest, ATimeoutHasBounds) {
  for (const char* wrong : {"99", "60001", "-1"})
    EXPECT_THAT(with("  claude-x: {}\n",
                     "context: {exact_counting_timeout_ms: " + std::string(wrong) + "}\n")
                    .findings.errors(),
                ElementsAre(HasSubstr("context.exact_counting_timeout_ms")))
        << wrong;
}

}  // namespace
}  // namespace ba::config
