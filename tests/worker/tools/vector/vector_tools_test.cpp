// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_tools.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/core/tool/data_sources.hpp"
#include "pipeline/core/tool/explain.hpp"
#include "tests/support/loop_executor.hpp"
#include "worker/tools/base/tool_maker.hpp"
#include "worker/tools/vector/vector_search_config.hpp"

namespace ba::vector {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class NoSql final : public SqlReader {
 public:
  Result<SqlReading> read(std::string_view) const override { return invalid_argument("no SQL"); }
};

class VectorTools : public testing::Test {
 protected:
  VectorTools() {
    config_.base_url = "http://h";
    config_.dimensions = 3;
    add_index("passages", 20);
  }

  void add_index(const std::string& name, int results_max) {
    VectorIndexConfig& index = config_.indexes.emplace_back();
    index.name = name;
    index.results_max = results_max;
  }

  tools::BuiltTools described() { return tools::describe_tools(makers(), settings_, {executor_}); }
  tools::BuiltTools built() {
    return std::move(tools::build_tools(makers(), settings_, {executor_}).value());
  }

  std::vector<tools::ToolMaker> makers() const { return vector_tools().makers(tools_, {}); }

  CallExplanation explained(const std::string& args, const std::string& tenant = "t") {
    const tools::BuiltTools tools = described();
    ToolRequest request;
    request.call.name = "vector_search";
    request.call.args_json = args;
    request.tenant = TenantId(tenant);
    return explain_call(*tools.registry, {}, request, NoSql());
  }

  /// The key of a call, or why it would be refused.
  std::string key(const std::string& args, const std::string& tenant = "t") {
    const CallExplanation explanation = explained(args, tenant);
    if (explanation.refused) return explanation.refused->message;
    return explanation.reading->key.digest;
  }

  LoopExecutor executor_;
  tools::ToolSettingsByName settings_;
  tools::ToolsConfig tools_;
  VectorSearchConfig& config_ = tools_.of<VectorSearchConfig>();
};

TEST_F(VectorTools, IsThereOnlyWithAService) {
  EXPECT_THAT(built().registry->names(std::nullopt), ElementsAre("vector_search"));
  config_ = VectorSearchConfig();
  EXPECT_THAT(built().registry->names(std::nullopt), IsEmpty());
  EXPECT_THAT(described().unconfigured, Contains(testing::Key("vector_search")));
}

TEST_F(VectorTools, IsPureAndKeptForFiveMinutesUnlessSettingsSayOtherwise) {
  {
    const tools::BuiltTools tools = built();
    const ToolDescriptor& usual = tools.registry->find("vector_search")->tool->descriptor();
    EXPECT_EQ(usual.effect, EffectClass::Pure);
    EXPECT_EQ(usual.permission, PermissionLevel::Default);
    EXPECT_TRUE(usual.may_be_cached);
    EXPECT_EQ(usual.cache_policy, CachePolicy::TtlShort);
    EXPECT_EQ(usual.source_parameter, "index");
  }
  settings_["vector_search"].cache_policy = CachePolicy::NoCache;
  const tools::BuiltTools tools = built();
  EXPECT_THAT(tools.warnings, IsEmpty());
  EXPECT_EQ(tools.registry->find("vector_search")->tool->descriptor().cache_policy,
            CachePolicy::NoCache);
}

TEST_F(VectorTools, TheOnlyIndexNeedsNoName) {
  EXPECT_EQ(key(R"({"query":"q"})"), key(R"({"query":" q ","index":"passages"})"));
  EXPECT_EQ(key(R"({"query":"q"})").size(), 64u);
  EXPECT_NE(key(R"({"query":"q"})"), key(R"({"query":"p"})"));
  EXPECT_NE(key(R"({"query":"q"})"), key(R"({"query":"q"})", "another"));
  add_index("letters", 50);
  EXPECT_TRUE(explained(R"({"query":"q"})").refused);
  EXPECT_NE(key(R"({"query":"q","index":"letters"})"), key(R"({"query":"q","index":"passages"})"));
}

TEST_F(VectorTools, RefusesWhatIsNoSearch) {
  add_index("letters", 50);
  for (const char* args :
       {"{}", R"({"query":"q"})", R"({"query":"","index":"letters"})",
        R"({"query":"q","index":"other"})", R"({"query":"q","index":"letters","limit":0})",
        R"({"query":"q","index":"letters","limit":51})",
        R"({"query":"q","index":"letters","min_score":"high"})",
        R"({"query":"q","index":"letters","tenant":"t"})"})
    EXPECT_TRUE(explained(args).refused) << args;
  EXPECT_TRUE(
      explained(R"({"index":"letters","query":")" + std::string(8001, 'x') + "\"}").refused);
  EXPECT_FALSE(
      explained(R"({"index":"letters","query":")" + std::string(8000, 'x') + "\"}").refused);
  EXPECT_FALSE(explained(R"({"query":"q","index":"letters","limit":50})").refused);
  EXPECT_EQ(explained(R"({"query":" ","index":"letters"})").refused->message,
            "query is blank: say what the texts should be about");
}

TEST_F(VectorTools, EachIndexHasItsOwnMostResults) {
  add_index("letters", 50);
  EXPECT_FALSE(explained(R"({"query":"q","index":"passages","limit":20})").refused);
  EXPECT_EQ(explained(R"({"query":"q","index":"passages","limit":21})").refused->message,
            "limit: 21 is not between 1 and 20, which index 'passages' gives at most");
}

TEST_F(VectorTools, DescribesItsIndexesAndNoSecret) {
  config_.indexes[0].description = "The handbook.";
  config_.indexes[0].distance = VectorDistance::L2;
  config_.api_key = Secret("hunter2");
  const tools::BuiltTools tools = built();
  const ToolDescriptor& tool = tools.registry->find("vector_search")->tool->descriptor();
  const std::string description = description_for(tool, std::nullopt);
  EXPECT_THAT(description, HasSubstr("Index passages (at most 20 results; score: 1 / (1 + "
                                     "distance), 0 to 1): The handbook."));
  EXPECT_THAT(description + tool.parameters_schema, Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace ba::vector
