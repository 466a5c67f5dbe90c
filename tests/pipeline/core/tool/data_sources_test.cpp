// SPDX-License-Identifier: Apache-2.0
#include "pipeline/core/tool/data_sources.hpp"

#include <gtest/gtest.h>

#include "pipeline/core/tool/schema_check.hpp"

namespace ba {
namespace {

ToolDescriptor query() {
  ToolDescriptor tool;
  tool.name = "query_database";
  tool.description = "Runs SQL.";
  tool.source_parameter = "data_source";
  // A text that looks like another source's belongs to its own.
  tool.sources = {{"sales", "Data source sales: north.\n\nData source stock: no"},
                  {"sales_old", "Data source sales_old: before"},
                  {"stock", "Data source stock"}};
  tool.parameters_schema =
      R"({"type":"object","properties":{"sql":{"type":"string"},"data_source":{"type":"string",)"
      R"("enum":["sales","sales_old","stock"]}},"required":["sql","data_source"]})";
  return tool;
}

ToolSpec spec() {
  return {query().name, description_for(query(), std::nullopt), query().parameters_schema};
}

std::optional<ToolSpec> of(std::set<std::string> allowed) {
  return with_sources(spec(), query(), std::move(allowed));
}

TEST(DataSources, OfTheOthersAModelReadsNeitherNameNorTables) {
  const auto two = of({"data_source:sales_old", "data_source:stock", "index:sales"});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->description, "Runs SQL.\n\nData source sales_old: before\n\nData source stock");
  EXPECT_EQ(two->parameters_schema,
            R"({"type":"object","properties":{"sql":{"type":"string"},"data_source":)"
            R"({"type":"string","enum":["sales_old","stock"]}},"required":["sql","data_source"]})");
  EXPECT_EQ(of({"data_source:sales"})->description,
            "Runs SQL.\n\nData source sales: north.\n\nData source stock: no");
}

TEST(DataSources, TheOnlyOneLeftNeedNotBeNamed) {
  const auto one = of({"data_source:stock"});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->parameters_schema,
            R"({"type":"object","properties":{"sql":{"type":"string"},"data_source":)"
            R"({"type":"string","enum":["stock"],"default":"stock"}},"required":["sql"]})");
}

TEST(DataSources, WithoutARestrictionOrSourcesAToolIsAsItWas) {
  ToolDescriptor plain = query();
  plain.sources.clear();
  EXPECT_EQ(with_sources(spec(), query(), std::nullopt), spec());
  EXPECT_EQ(with_sources(spec(), plain, std::set<std::string>()), spec());
  EXPECT_EQ(of({"data_source:sales", "data_source:sales_old", "data_source:stock"}), spec());
}

TEST(DataSources, AToolWithoutASourceLeftIsNotOffered) { EXPECT_EQ(of({}), std::nullopt); }

SourcedArguments chosen(std::set<std::string> allowed, const std::string& args) {
  return choose_source(query(), std::move(allowed), args);
}

TEST(DataSources, ACallThatLeavesOutTheOnlyAllowedOneAsksIt) {
  const std::set<std::string> stock{"data_source:stock"};
  EXPECT_EQ(chosen(stock, R"( {"n": 1.50})").args_json, R"( {"data_source":"stock","n": 1.50})");
  EXPECT_EQ(chosen(stock, "{ }").args_json, R"({"data_source":"stock" })");
  EXPECT_EQ(chosen(stock, R"({"data_source":"stock"})").args_json, R"({"data_source":"stock"})");
  EXPECT_EQ(chosen(stock, "{ }").refused, std::nullopt);
}

TEST(DataSources, NullForTheOnlyAllowedOneCountsAsNotGiven) {
  const auto sourced = chosen({"data_source:stock"}, R"({"data_source":null,"sql":"x","n":1.50} )");
  EXPECT_EQ(sourced.refused, std::nullopt);
  EXPECT_EQ(sourced.args_json, R"({"data_source":null,"sql":"x","n":1.50,"data_source":"stock"} )");
  EXPECT_EQ(SchemaCheck::compile(query().parameters_schema)
                ->check(R"({"data_source":null,"sql":"x","data_source":"stock"})", 1000)
                .value()
                .parameters,
            R"({"data_source":"stock","sql":"x"})");
}

TEST(DataSources, WhatIsWrongWithASourceIsToldWithTheAllowedOnesOnly) {
  const std::set<std::string> two{"data_source:sales", "data_source:stock", "data_source:other"};
  const auto missing = chosen(two, R"({"sql":"SELECT 1"})").refused;
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->type, ToolErrorType::InvalidParameters);
  EXPECT_EQ(missing->message,
            "data_source: this required parameter is missing; allowed: sales, stock");
  for (const char* wrong : {R"("sales_old")", R"("other")", R"("")", "7", "null", "[\"sales\"]"}) {
    const auto refused =
        chosen(two, R"({"unknown":1,"data_source":)" + std::string(wrong) + "}").refused;
    ASSERT_TRUE(refused) << wrong;
    EXPECT_EQ(refused->code, "DATA_SOURCE_NOT_ALLOWED") << wrong;
    EXPECT_NE(refused->message.find("Allowed: sales, stock"), std::string::npos);
  }
}

TEST(DataSources, WhereNoneIsAllowedACallIsRefused) {
  EXPECT_EQ(chosen({"index:sales"}, "{}").refused->code, "DATA_SOURCE_NOT_ALLOWED");
}

TEST(DataSources, WhatWasLookedAtIsNotReadAgain) {
  const std::string named = R"({"data_source":"stock","sql":"x"})";
  const SourcedArguments sourced = chosen({"data_source:stock"}, named);
  ASSERT_TRUE(sourced.read);
  const auto schema = SchemaCheck::compile(query().parameters_schema);
  const auto checked = schema->check(sourced.args_json, 1000, sourced.read);
  ASSERT_TRUE(checked);
  EXPECT_EQ(checked->object, sourced.read);
  EXPECT_EQ(checked->parameters, schema->check(named, 1000)->parameters);
  EXPECT_FALSE(chosen({"data_source:stock"}, R"({"sql":"x"})").read);  // it has become another
  EXPECT_FALSE(chosen({"data_source:stock"}, R"({"data_source":null})").read);
}

TEST(DataSources, ArgumentsThatAreNoObjectAreLeftToTheSchema) {
  for (const char* args : {"[1]", "{", "", "7"}) {
    const SourcedArguments sourced = chosen({"data_source:stock"}, args);
    EXPECT_EQ(sourced.args_json, args);
    EXPECT_FALSE(sourced.read);
    EXPECT_EQ(sourced.refused, std::nullopt);
  }
}

}  // namespace
}  // namespace ba
