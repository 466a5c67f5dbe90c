// SPDX-License-Identifier: Apache-2.0
// config/ba-agent.example.yaml promises every key with its default.
#include <regex>
#include <set>
#include <sstream>

#include "tests/worker/config/config_fixture.hpp"
#include "tests/worker/config/example_file.hpp"
#include "worker/config/load_config.hpp"

namespace ba::config {
namespace {

using ::testing::IsEmpty;

/// Shown with another value, as their default is none, depends on the host, or suits no example.
const std::set<std::string> kOwnValue{"kafka.brokers",
                                      "kafka.properties",
                                      "postgres.url",
                                      "llm.default_model",
                                      "worker.name",
                                      "observability.log_file",
                                      "http.port",
                                      "observability.otlp_headers",
                                      "observability.otlp_endpoint",
                                      "observability.extra_tags"};

/// What the user names: its keys stand below the name.
const std::regex kEntry(
    R"(^(llm\.providers|llm\.models|agents|tools\.settings|mcp\.servers|retention\.tenants|skills\.tenants)\.[^.]+)");
const std::regex kEntryOfEntry(R"(^(mcp\.servers\.\*\.tools)\.[^.]+)");
const std::regex kItem(R"(\[\d+\])");

/// "llm.models.small.provider" as "llm.models.*.provider".
std::string general(const std::string& key) {
  const std::string of_entry = std::regex_replace(key, kEntry, "$1.*");
  return std::regex_replace(std::regex_replace(of_entry, kEntryOfEntry, "$1.*"), kItem, "");
}

class ExampleTest : public ConfigTest {
 protected:
  LoadedConfig load_everything() {
    return load(everything_in_force(), Environment{{{"BA_KAFKA_PASSWORD", "p"},
                                                    {"ANTHROPIC_API_KEY", "k"},
                                                    {"BA_ANALYTICS_URL", "host=h"},
                                                    {"BA_ORDERS_URL", "host=h"}}});
  }
};

TEST_F(ExampleTest, IsValidAsItIs) {
  const Environment environment{{{"BA_KAFKA_BROKERS", "k:1"}, {"BA_POSTGRES_URL", "host=h"}}};
  const LoadedConfig loaded = load_config({kExample, environment, {}});
  EXPECT_THAT(loaded.findings.errors(), IsEmpty());
  EXPECT_THAT(loaded.findings.warnings(), IsEmpty());
  EXPECT_FALSE(loaded.config.llm.providers.empty());
}

TEST_F(ExampleTest, HasEveryKey) {
  const LoadedConfig loaded = load_everything();
  ASSERT_THAT(loaded.findings.errors(), IsEmpty());
  std::set<std::string> shown;
  for (const settings::Setting& setting : loaded.findings.settings)
    if (setting.origin.text() != "default") shown.insert(general(setting.key()));
  for (const std::string& key : std::set<std::string>(shown))  // entries show their section, too
    for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', dot + 1))
      shown.insert(key.substr(0, dot));
  for (const settings::Setting& setting : loaded.findings.settings)
    EXPECT_EQ(shown.count(general(setting.key())), 1U) << setting.key() << " is missing";
}

TEST_F(ExampleTest, ShowsTheDefaults) {
  const LoadedConfig example = load_everything();
  for (const settings::Setting& usual : load("").findings.settings) {
    if (kOwnValue.count(usual.key()) == 1) continue;
    const settings::Setting* shown = setting(example, usual.key());
    const bool of_entries = usual.value_json == "{}" || usual.value_json == "[]";
    if (of_entries && shown == nullptr) continue;  // "llm.models": its entries are shown
    ASSERT_NE(shown, nullptr) << usual.key();
    EXPECT_EQ(shown->value_json, usual.value_json) << usual.key();
  }
}

}  // namespace
}  // namespace ba::config
