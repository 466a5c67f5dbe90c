// SPDX-License-Identifier: Apache-2.0
// Section tools.vector_search.
#include "tests/worker/config/config_fixture.hpp"
#include "worker/config/print_settings.hpp"

namespace ba::config {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class VectorSearchSection : public ConfigTest {
 protected:
  static constexpr const char* kSource =
      "tools:\n  data_sources: [{name: kb, url: 'postgresql://r@h/kb'}]\n";
  static constexpr const char* kService = "base_url: 'http://h', model: m, dimensions: 3, ";
  static constexpr const char* kIndex =
      "indexes: [{name: a, data_source: kb, table: t, tenant_column: tenant}]";

  LoadedConfig search(const std::string& settings, Environment environment = {}) {
    return load(std::string(kSource) + "  vector_search: {" + settings + "}\n",
                std::move(environment));
  }
  std::vector<std::string> wrong(const std::string& settings) {
    return errors(std::string(kSource) + "  vector_search: {" + settings + "}\n");
  }
};

TEST_F(VectorSearchSection, IsOffWithoutAnAddress) {
  const LoadedConfig loaded = load("");
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_EQ(loaded.config.tools.of<vector::VectorSearchConfig>(), vector::VectorSearchConfig{});
}

TEST_F(VectorSearchSection, EveryKeyIsRead) {
  const LoadedConfig loaded = search(
      "base_url: 'https://h/v1', model: m, dimensions: 1536, api_key: k-in-the-file, "
      "timeout_ms: 1, connect_timeout_ms: 2, response_bytes_max: 2048, concurrency_max: 3, "
      "proxy: 'http://p:1', ca_file: /ca, indexes: [{name: a, description: d, data_source: kb, "
      "table: s.t, id_column: i, text_column: x, embedding_column: e, tenant_column: o, "
      "shared_by_tenants: false, metadata_columns: [p, q], distance: inner_product, rows_max: 4, "
      "read_bytes_max: 70000, results_max: 5, text_chars_max: 6}, "
      "{name: b, data_source: kb, table: t, shared_by_tenants: true, distance: L2}]");
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  vector::VectorSearchConfig expected;
  expected.base_url = "https://h/v1";
  expected.model = "m";
  expected.dimensions = 1536;
  expected.api_key = Secret("k-in-the-file");
  expected.timeout = Milliseconds(1);
  expected.connect_timeout = Milliseconds(2);
  expected.response_bytes_max = 2048;
  expected.concurrency_max = 3;
  expected.proxy = "http://p:1";
  expected.ca_file = "/ca";
  expected.indexes.push_back({"a",
                              "d",
                              "kb",
                              "s.t",
                              "i",
                              "x",
                              "e",
                              "o",
                              false,
                              {"p", "q"},
                              vector::VectorDistance::InnerProduct,
                              4,
                              70'000,
                              5,
                              6});
  vector::VectorIndexConfig& second = expected.indexes.emplace_back();
  second.name = "b";
  second.data_source = "kb";
  second.table = "t";
  second.shared_by_tenants = true;
  second.distance = vector::VectorDistance::L2;
  EXPECT_EQ(loaded.config.tools.of<vector::VectorSearchConfig>(), expected);
}

TEST_F(VectorSearchSection, TheKeyMayStandInTheEnvironmentOrInAFileAndIsShownNowhere) {
  const std::string whole = std::string(kService) + kIndex;
  const LoadedConfig outside =
      search(whole + ", api_key: '${EMBED_KEY}'", Environment{{{"EMBED_KEY", "topsecret1"}}});
  EXPECT_EQ(outside.config.tools.of<vector::VectorSearchConfig>().api_key.reveal(), "topsecret1");
  const LoadedConfig file = search(whole + ", api_key_file: " + write("key", "topsecret2\n"));
  EXPECT_EQ(file.config.tools.of<vector::VectorSearchConfig>().api_key.reveal(), "topsecret2");
  for (const LoadedConfig* loaded : {&outside, &file}) {
    EXPECT_THAT(loaded->findings.errors(), IsEmpty());
    EXPECT_THAT(settings_as_yaml(loaded->findings.settings, true), Not(HasSubstr("topsecret")));
  }
  EXPECT_THAT(outside.findings.secrets, Contains("topsecret1"));
  EXPECT_THAT(file.findings.secrets, Contains("topsecret2"));
}

TEST_F(VectorSearchSection, AnErrorNamesPlaceKeyValueAndRemedy) {
  const std::string service = kService;
  EXPECT_THAT(wrong(service + kIndex), IsEmpty());
  EXPECT_THAT(wrong(service + "indexes: [{name: a, data_source: kc, table: t, "
                              "shared_by_tenants: true}]"),
              ElementsAre(AllOf(HasSubstr("c.yaml:3"),
                                HasSubstr("tools.vector_search.indexes[0].data_source: 'kc'"),
                                HasSubstr("(there are: kb)"))));
  EXPECT_THAT(wrong(service + "indexes: [{name: a, data_source: kb, table: t}]"),
              ElementsAre(AllOf(HasSubstr("tenant_column"), HasSubstr("shared_by_tenants"))));
  EXPECT_THAT(wrong("base_url: 'http://h', model: m, " + std::string(kIndex)),
              ElementsAre(HasSubstr("tools.vector_search.dimensions: 0 is not between 1 and")));
  EXPECT_THAT(wrong(service + "indexes: [{name: a, data_source: kb, table: t, tenant_column: o, "
                              "distance: near}]"),
              ElementsAre(AllOf(HasSubstr("near"), HasSubstr("cosine, l2, inner_product"))));
  EXPECT_THAT(wrong(service + "indexes: [{name: a, data_source: kb, table: t, tenant_column: o, "
                              "row_max: 1}]"),
              ElementsAre(AllOf(HasSubstr("row_max"), HasSubstr("rows_max"))));
}

TEST_F(VectorSearchSection, AValueThatCantBeReadIsTheOnlyOneSpokenOf) {
  EXPECT_THAT(wrong("base_url: 'http://h', model: [a], dimensions: many, indexes: 3"),
              UnorderedElementsAre(HasSubstr("vector_search.model: "), HasSubstr("\"many\""),
                                   HasSubstr("vector_search.indexes: ")));
}

}  // namespace
}  // namespace ba::config
