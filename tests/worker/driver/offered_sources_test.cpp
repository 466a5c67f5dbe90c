// SPDX-License-Identifier: Apache-2.0
#include "worker/driver/offered_sources.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

ToolSpec query() {
  ToolSpec spec;
  spec.name = "query_database";
  spec.description =
      "Runs SQL.\n\nData source sales (at most 9 rows): of the north.\n\nAnd of the south.\n"
      "orders(id)\n\nData source sales_old: before\n\nData source stock";
  spec.parameters_schema =
      R"({"type":"object","properties":{"sql":{"type":"string"},"data_source":{"type":"string",)"
      R"("enum":["sales","sales_old","stock"]}},"required":["sql","data_source"]})";
  return spec;
}

std::optional<ToolSpec> of(std::set<std::string> allowed) {
  return with_sources(query(), "data_source", std::move(allowed));
}

TEST(OfferedSources, OfTheOthersAModelReadsNeitherNameNorTables) {
  const auto sales = of({"data_source:sales", "index:stock"});
  ASSERT_TRUE(sales);
  EXPECT_EQ(sales->description,
            "Runs SQL.\n\nData source sales (at most 9 rows): of the north.\n\nAnd of the south.\n"
            "orders(id)");
  EXPECT_EQ(sales->parameters_schema,
            R"({"type":"object","properties":{"sql":{"type":"string"},"data_source":)"
            R"({"type":"string","enum":["sales"]}},"required":["sql","data_source"]})");
  EXPECT_EQ(of({"data_source:sales_old", "data_source:stock"})->description,
            "Runs SQL.\n\nData source sales_old: before\n\nData source stock");
}

TEST(OfferedSources, WithoutARestrictionOrSourcesAToolIsAsItWas) {
  EXPECT_EQ(with_sources(query(), "data_source", std::nullopt), query());
  EXPECT_EQ(with_sources(query(), "", std::set<std::string>()), query());
  EXPECT_EQ(of({"data_source:sales", "data_source:sales_old", "data_source:stock"}), query());
}

TEST(OfferedSources, AToolWithoutASourceLeftIsNotOffered) { EXPECT_EQ(of({}), std::nullopt); }

TEST(OfferedSources, ADefaultThatIsNotAllowedIsNone) {
  ToolSpec spec;
  spec.parameters_schema = R"({"properties":{"index":{"enum":["a","b"],"default":"a"}}})";
  const auto offered = with_sources(spec, "index", std::set<std::string>{"index:b"});
  ASSERT_TRUE(offered);
  EXPECT_EQ(offered->parameters_schema, R"({"properties":{"index":{"enum":["b"]}}})");
}

}  // namespace
}  // namespace ba
