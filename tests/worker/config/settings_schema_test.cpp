// SPDX-License-Identifier: Apache-2.0
// `ba-agent config schema`, against the example and against what the readers refuse.
#include "worker/config/settings_schema.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

#include "pipeline/core/tool/schema_check.hpp"
#include "tests/worker/config/config_fixture.hpp"
#include "tests/worker/config/example_file.hpp"
#include "worker/config/load_config.hpp"
#include "worker/settings/yaml_reader.hpp"

namespace ba::config {
namespace {

using Json = nlohmann::json;
using settings::Node;
using ::testing::HasSubstr;

/// As an editor takes a plain scalar of YAML.
Json scalar(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  double number = 0;
  const char* last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), last, number);
  if (text.empty() || failure != std::errc() || end != last) return text;
  return Json::parse(text, nullptr, false).is_number() ? Json::parse(text) : Json(text);
}

Json as_json(const Node& node) {
  Json json;
  if (node.kind == Node::Kind::Scalar) json = scalar(node.scalar);
  if (node.kind == Node::Kind::Map) json = Json::object();
  if (node.kind == Node::Kind::List) json = Json::array();
  for (const auto& entry : node.entries) json[entry.key] = as_json(entry.value);
  for (const Node& item : node.items) json.push_back(as_json(item));
  return json;
}

class SettingsSchema : public ::testing::Test {
 protected:
  /// What is wrong with a configuration file; empty: nothing.
  std::string problem(const std::string& yaml) {
    const auto tree = settings::read_yaml(yaml, "a file");
    EXPECT_TRUE(tree) << (tree ? "" : tree.error().message);
    const auto checked = schema.check(as_json(*tree).dump(), 1 << 20);
    return checked ? "" : checked.error().message;
  }

  static SchemaCheck compiled() {
    auto schema = SchemaCheck::compile(settings_schema());
    EXPECT_TRUE(schema) << schema.error().message;
    return std::move(*schema);
  }

  SchemaCheck schema = compiled();
};

TEST_F(SettingsSchema, AcceptsTheExampleWithAllThatItShows) {
  EXPECT_EQ(problem(everything_in_force()), "");
}

TEST_F(SettingsSchema, KnowsEveryKeyThatIsRead) {
  const Json whole = Json::parse(settings_schema());
  std::set<std::string> keys;
  for (const settings::Setting& setting : outlined_settings()) {
    keys.insert(setting.key());
    const Json* at = &whole;
    for (const std::string& part : setting.path) {
      const std::string name = part.substr(0, part.find('['));
      at = name == settings::kAnyName ? &at->at("additionalProperties")
                                      : &at->at("properties").at(name);
      if (name != part) at = &at->at("items");
    }
  }
  for (const char* key :
       {"llm.models.*.prices.input_per_mtok_usd", "mcpServers.*.url", "postgres.url_file",
        "tools.data_sources[*].row_limit", "context.strategy", "agents.*.limits.deadline_ms"})
    EXPECT_TRUE(keys.contains(key)) << key;
}

TEST_F(SettingsSchema, RefusesWhatTheProgramRefuses) {
  EXPECT_THAT(problem("kafka: {borkers: k}"), HasSubstr("borkers"));
  EXPECT_THAT(problem("limits: {running_jobs_max: -1}"), HasSubstr("running_jobs_max"));
  EXPECT_THAT(problem("agents: {a: {permission: god}}"), HasSubstr("permission"));
  EXPECT_THAT(problem("tools: {data_sources: {name: x}}"), HasSubstr("data_sources"));
}

TEST_F(SettingsSchema, AcceptsWhatTheProgramAccepts) {
  EXPECT_EQ(problem("limits: {running_jobs_max: '${JOBS}'}"), "");
  EXPECT_EQ(problem("limits: {running_jobs_max: 1_000}"), "");
  EXPECT_EQ(problem("agents: {a: {permission: ADMIN, tools: 'a, b'}, b: }"), "");
  EXPECT_EQ(problem("observability: "), "");
}

TEST_F(SettingsSchema, TellsDefaultsButNoSecrets) {
  const std::string text = settings_schema();
  const Json job = Json::parse(text)["properties"]["limits"]["properties"]["running_jobs_max"];
  EXPECT_TRUE(job["default"].is_number()) << job;
  EXPECT_EQ(text.find(settings::kMaskedSecret), std::string::npos);
}

}  // namespace
}  // namespace ba::config
