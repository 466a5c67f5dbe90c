// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/search/search_tools.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/core/tool/explain.hpp"
#include "tests/support/loop_executor.hpp"
#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/search/web_search_config.hpp"

namespace ba::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

class NoSql final : public SqlReader {
 public:
  Result<SqlReading> read(std::string_view) const override { return invalid_argument("no SQL"); }
};

class SearchTools : public testing::Test {
 protected:
  SearchTools() { config_.base_url = "http://h"; }

  tools::BuiltTools built() {
    return std::move(tools::build_tools(makers(), settings_, {executor_}).value());
  }
  tools::BuiltTools described() { return tools::describe_tools(makers(), settings_, {executor_}); }
  std::vector<tools::ToolMaker> makers() const { return search_tools().makers(tools_, {}); }

  CallExplanation explained(const std::string& args) {
    const tools::BuiltTools tools = described();
    ToolRequest request;
    request.call.name = "web_search";
    request.call.args_json = args;
    return explain_call(*tools.registry, {}, request, NoSql());
  }

  /// The key of a call, or why it would be refused.
  std::string key(const std::string& args) {
    const CallExplanation explanation = explained(args);
    if (explanation.refused) return explanation.refused->message;
    return explanation.reading->key.digest;
  }

  LoopExecutor executor_;
  tools::ToolSettingsByName settings_;
  tools::ToolsConfig tools_;
  WebSearchConfig& config_ = tools_.of<WebSearchConfig>();
};

TEST_F(SearchTools, ThereIsNoSearchWithoutAnAddress) {
  EXPECT_THAT(built().registry->names(std::nullopt), ElementsAre("web_search"));
  config_.base_url.clear();
  EXPECT_THAT(built().registry->names(std::nullopt), IsEmpty());
}

TEST_F(SearchTools, IsDescribedWithoutAnAddressAsNotConfigured) {
  EXPECT_THAT(described().unconfigured, Not(testing::Contains(testing::Key("web_search"))));
  config_.base_url.clear();
  const tools::BuiltTools tools = described();
  EXPECT_THAT(tools.unconfigured, testing::Contains(testing::Key("web_search")));
  ASSERT_NE(tools.registry->find("web_search"), nullptr);
}

TEST_F(SearchTools, IsPureAndKeptForFiveMinutesUnlessSettingsSayOtherwise) {
  {
    const tools::BuiltTools tools = built();
    const ToolDescriptor& usual = tools.registry->find("web_search")->tool->descriptor();
    EXPECT_EQ(usual.effect, EffectClass::Pure);
    EXPECT_TRUE(usual.may_be_cached);
    EXPECT_EQ(usual.cache_policy, CachePolicy::TtlShort);
    EXPECT_EQ(usual.timeout, Milliseconds(30'000));
  }
  settings_["web_search"].timeout = Milliseconds(7);
  settings_["web_search"].cache_policy = CachePolicy::NoCache;
  const tools::BuiltTools tools = built();
  EXPECT_THAT(tools.warnings, IsEmpty());
  const ToolDescriptor& set = tools.registry->find("web_search")->tool->descriptor();
  EXPECT_EQ(set.timeout, Milliseconds(7));
  EXPECT_EQ(set.cache_policy, CachePolicy::NoCache);
}

TEST_F(SearchTools, CanBeSwitchedOff) {
  settings_["web_search"].enabled = false;
  EXPECT_THAT(built().registry->names(std::nullopt), IsEmpty());
  EXPECT_EQ(described().registry->find("web_search"), nullptr);
}

TEST_F(SearchTools, QueriesThatDifferInWhiteSpaceMeanTheSame) {
  const std::string plain = key(R"({"query":"two words"})");
  EXPECT_EQ(plain.size(), 64u) << plain;
  EXPECT_EQ(key(R"({"query":"  two \t\n words "})"), plain);
  EXPECT_EQ(key(R"({"max_results":10,"query":"two words"})"), plain);
  EXPECT_NE(key(R"({"query":"twowords"})"), plain);
  EXPECT_NE(key(R"({"query":"two words","max_results":9})"), plain);
}

TEST_F(SearchTools, RefusesWhatIsNoSearch) {
  config_.base_url.clear();  // everything is offered
  for (const char* args :
       {"{}", R"({"query":""})", R"({"query":7})", R"({"query":"q","max_results":0})",
        R"({"query":"q","max_results":51})", R"({"query":"q","time_range":"hour"})",
        R"({"query":"q","language":"e n"})", R"({"query":"q","more":1})"})
    EXPECT_TRUE(explained(args).refused) << args;
  EXPECT_TRUE(explained(R"({"query":")" + std::string(1001, 'x') + R"("})").refused);
  EXPECT_FALSE(explained(R"({"query":")" + std::string(1000, 'x') + R"("})").refused);
  EXPECT_FALSE(explained(R"({"query":"q","language":"zh-Hant-TW","time_range":"day"})").refused);
  EXPECT_EQ(explained(R"({"query":" "})").refused->message,
            "query is blank: give the words to search for");
}

}  // namespace
}  // namespace ba::search
