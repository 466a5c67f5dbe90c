// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/registry.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_tool.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {
namespace {

class Registry : public testing::Test {
 protected:
  Result<void> add(const std::string& name, const std::string& schema = "{}") {
    ToolDescriptor descriptor;
    descriptor.name = name;
    descriptor.description = "does " + name;
    descriptor.parameters_schema = schema;
    return registry.add(std::make_unique<FakeTool>(time, descriptor, record));
  }

  VirtualExecutor time;
  FakeTool::Record record;
  ToolRegistry registry;
};

TEST_F(Registry, OffersToolsSortedByName) {
  for (const char* name : {"query", "activate", "file-reader"}) ASSERT_TRUE(add(name));
  EXPECT_EQ(registry.names(std::nullopt),
            (std::vector<std::string>{"activate", "file-reader", "query"}));
  const auto specs = registry.specs(std::nullopt);
  ASSERT_EQ(specs.size(), 3u);
  EXPECT_EQ(specs[2].name, "query");
  EXPECT_EQ(specs[2].description, "does query");
  EXPECT_NE(specs[2].parameters_schema.find("output_level"), std::string::npos);
}

TEST_F(Registry, OffersOnlyWhatIsAllowed) {
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(add(name));
  const AllowedTools allowed = std::set<std::string>{"c", "a", "x"};
  EXPECT_EQ(registry.names(allowed), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(registry.specs(std::set<std::string>{}).size(), 0u);
}

TEST_F(Registry, FindsAToolByItsExactName) {
  ASSERT_TRUE(add("query"));
  EXPECT_EQ(registry.find("query")->tool->descriptor().name, "query");
  EXPECT_EQ(registry.find("Query"), nullptr);
  EXPECT_EQ(registry.find(""), nullptr);
}

TEST_F(Registry, RefusesADuplicate) {
  ASSERT_TRUE(add("query"));
  EXPECT_EQ(add("query").error().message, "tool 'query': there is one of this name already");
}

TEST_F(Registry, ShowsModelsTheToolsOwnSchemaWhereOursIsAnother) {
  ToolDescriptor descriptor;
  descriptor.name = "other";
  descriptor.parameters_schema = R"({"type":"object"})";
  descriptor.schema_for_models = R"({"type":"object","$defs":{"a":{}},"properties":{"x":{}}})";
  FakeTool::Record record;
  ASSERT_TRUE(registry.add(std::make_unique<FakeTool>(time, descriptor, record)));
  const std::string& shown = registry.find("other")->spec.parameters_schema;
  EXPECT_NE(shown.find("$defs"), std::string::npos);
  EXPECT_NE(shown.find("output_level"), std::string::npos);
  descriptor.name = "reserved";
  descriptor.schema_for_models = R"({"type":"object","properties":{"output_level":{}}})";
  EXPECT_FALSE(registry.add(std::make_unique<FakeTool>(time, descriptor, record)));
}

/// Declares one class of effect and has the status function of another.
class DishonestTool final : public Tool, public StatusSource {
 public:
  explicit DishonestTool(EffectClass effect) {
    descriptor_.name = "dishonest";
    descriptor_.effect = effect;
  }
  const ToolDescriptor& descriptor() const override { return descriptor_; }
  std::unique_ptr<ToolRun> run(ToolInvocation, std::function<void(RawToolResult)>) override {
    return nullptr;
  }
  StatusSource* status_source() override {
    return descriptor_.effect == EffectClass::Reconcilable ? nullptr : this;
  }
  std::unique_ptr<ToolRun> status(ToolInvocation, std::function<void(EffectStatus)>) override {
    return nullptr;
  }

 private:
  ToolDescriptor descriptor_;
};

TEST_F(Registry, RefusesAReconcilableToolThatNobodyCanAsk) {
  EXPECT_EQ(
      registry.add(std::make_unique<DishonestTool>(EffectClass::Reconcilable)).error().message,
      "tool 'dishonest': declares reconcilable, but has no status function to ask");
}

TEST_F(Registry, RefusesAStatusFunctionThatNobodyWouldAsk) {
  EXPECT_EQ(registry.add(std::make_unique<DishonestTool>(EffectClass::Keyed)).error().message,
            "tool 'dishonest': declares keyed, so nobody would ask its status function");
}

TEST_F(Registry, ANameThatWasTakenAwayIsFree) {
  ASSERT_TRUE(add("query"));
  registry.remove("query");
  registry.remove("query");
  EXPECT_EQ(registry.find("query"), nullptr);
  EXPECT_TRUE(add("query"));
}

TEST_F(Registry, RefusesAnIllFormedName) {
  for (const std::string& name : {std::string(), std::string("a b"), std::string("ü"),
                                  std::string(65, 'a'), std::string("a.b")})
    EXPECT_EQ(add(name).error().message,
              "tool '" + name + "': a name is 1 to 64 letters, digits, underscores and hyphens");
  EXPECT_TRUE(add(std::string(64, 'a')));
}

TEST_F(Registry, RefusesAnInvalidSchema) {
  EXPECT_EQ(add("query", "{").error().message,
            "tool 'query': the schema is not JSON of at most 64 levels and 4096 members an object");
}

}  // namespace
}  // namespace ba
