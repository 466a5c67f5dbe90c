// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/vector/vector_search_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/problem_texts.hpp"

namespace ba::vector {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

VectorSearchConfig usual() {
  VectorSearchConfig config;
  config.base_url = "http://h/v1";
  config.model = "m";
  config.dimensions = 3;
  VectorIndexConfig& index = config.indexes.emplace_back();
  index.name = "passages";
  index.data_source = "kb";
  index.table = "ba_passages";
  index.tenant_column = "tenant";
  return config;
}

std::vector<std::string> problems(const std::function<void(VectorSearchConfig&)>& change) {
  VectorSearchConfig config = usual();
  change(config);
  sql::DataSourceConfig source;
  source.name = "kb";
  return texts_of(validate(config, {source}));
}

/// Of the one index.
std::vector<std::string> index_problems(const std::function<void(VectorIndexConfig&)>& change) {
  return problems([&](VectorSearchConfig& config) { change(config.indexes[0]); });
}

TEST(VectorSearchConfig, OffOrWholeIsWell) {
  EXPECT_THAT(validate(VectorSearchConfig(), {}), IsEmpty());
  EXPECT_THAT(problems([](auto& c) { c.base_url = c.model = ""; }), IsEmpty());
  EXPECT_THAT(problems([](auto&) {}), IsEmpty());
  EXPECT_THAT(index_problems([](auto& index) { index.table = "k b.Pa\"ssages"; }), IsEmpty());
}

TEST(VectorSearchConfig, NeedsServiceModelDimensionsAndIndexes) {
  EXPECT_THAT(problems([](auto& c) { c.base_url = "h:80"; }),
              ElementsAre(HasSubstr("tools.vector_search.base_url: 'h:80' is not http(s)://host")));
  EXPECT_THAT(problems([](auto& c) { c.model = ""; }),
              ElementsAre(HasSubstr("tools.vector_search.model: '' is not the name")));
  for (const int dimensions : {-1, 0})
    EXPECT_THAT(problems([&](auto& c) { c.dimensions = dimensions; }),
                ElementsAre("tools.vector_search.dimensions: " + std::to_string(dimensions) +
                            " is not between 1 and 16000"));
  EXPECT_THAT(problems([](auto& c) { c.indexes.clear(); }),
              ElementsAre(HasSubstr("tools.vector_search.indexes: an empty list is not")));
}

TEST(VectorSearchConfig, AnIndexNamesADataSourceThatIsThere) {
  EXPECT_THAT(index_problems([](auto& index) { index.data_source = "kc"; }),
              ElementsAre("tools.vector_search.indexes[0].data_source: 'kc' is not the name of one "
                          "of tools.data_sources (there are: kb); did you mean 'kb'?"));
  EXPECT_THAT(texts_of(validate(usual(), {})), ElementsAre(HasSubstr("(there are: none)")));
}

TEST(VectorSearchConfig, SaysWhoseRowsAreFound) {
  EXPECT_THAT(index_problems([](auto& index) { index.tenant_column = ""; }),
              ElementsAre(AllOf(HasSubstr("indexes[0].tenant_column"),
                                HasSubstr("shared_by_tenants: true"))));
  EXPECT_THAT(index_problems([](auto& index) {
                index.tenant_column = "";
                index.shared_by_tenants = true;
              }),
              IsEmpty());
  EXPECT_THAT(index_problems([](auto& index) { index.shared_by_tenants = true; }),
              ElementsAre(HasSubstr("leave out one of them")));
}

TEST(VectorSearchConfig, NamesAreNames) {
  for (const char* name : {"", "A", "1a", "a-b", "a b"})
    EXPECT_THAT(index_problems([&](auto& index) { index.name = name; }),
                ElementsAre(HasSubstr("indexes[0].name: '" + std::string(name) + "' is not")));
  for (const std::string& table : {std::string(), std::string("a.b.c"), std::string(".a"),
                                   std::string("a."), std::string(64, 'x')})
    EXPECT_THAT(index_problems([&](auto& index) { index.table = table; }),
                ElementsAre(HasSubstr("indexes[0].table: '" + table + "' is not")));
  EXPECT_THAT(index_problems([](auto& index) { index.embedding_column = ""; }),
              ElementsAre(HasSubstr("indexes[0].embedding_column: '' is not a column's name")));
  EXPECT_THAT(index_problems([](auto& index) {
                index.metadata_columns = {"a", "a"};
              }),
              ElementsAre(HasSubstr("'a' is not named once only")));
  EXPECT_THAT(problems([](auto& c) { c.indexes.push_back(c.indexes[0]); }),
              ElementsAre(HasSubstr("indexes[1].name: 'passages' is not used once only")));
}

TEST(VectorSearchConfig, NoComplaintShowsASecret) {
  const auto expect = [](const std::function<void(VectorSearchConfig&)>& change) {
    EXPECT_THAT(problems(change), ElementsAre(Not(HasSubstr("hunter2"))));
  };
  expect([](auto& c) { c.base_url = "http://u:hunter2@h"; });
  expect([](auto& c) { c.base_url = "hunter2@h"; });
  expect([](auto& c) { c.proxy = "http://u:hunter2@h"; });
  expect([](auto& c) { c.api_key = Secret("hunter2\r\nX: y"); });
}

}  // namespace
}  // namespace ba::vector
