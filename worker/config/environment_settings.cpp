// SPDX-License-Identifier: Apache-2.0
#include "worker/config/environment_settings.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "pipeline/base/nearest_word.hpp"

namespace ba::config {
namespace {

/// "BA__KAFKA__GROUP_ID" is {"kafka", "group_id"}; below kafka.properties, whose keys have dots,
/// "BA__KAFKA__PROPERTIES__SECURITY__PROTOCOL" is {"kafka", "properties", "security.protocol"}.
std::vector<std::string> path_of_variable(std::string_view name) {
  std::vector<std::string> path;
  name.remove_prefix(4);
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t end = std::min(name.find("__", from), name.size());
    std::string key;
    for (const char letter : name.substr(from, end - from))
      key += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    if (path.size() == 3 && path[0] == "kafka" && path[1] == "properties")
      path.back() += "." + key;
    else
      path.push_back(std::move(key));
    from = end + 2;
  }
  return path;
}

constexpr const char* kAnalyticsUrl = "BA_ANALYTICS_URL";

/// A data source "analytics" out of BA_ANALYTICS_URL, where the file configures none.
void add_analytics(settings::Node& root, const Environment& environment) {
  const auto url = environment.get(kAnalyticsUrl);
  const settings::Node* tools = root.find("tools");
  const bool other = tools != nullptr && tools->kind != settings::Node::Kind::Map &&
                     tools->kind != settings::Node::Kind::Null;  // which is told where it is read
  const settings::Node* sources = tools == nullptr ? nullptr : tools->find("data_sources");
  if (!url || other || (sources != nullptr && sources->kind != settings::Node::Kind::Null)) return;
  const settings::Origin origin{settings::Origin::Kind::Environment, kAnalyticsUrl};
  settings::Node source;
  source.kind = settings::Node::Kind::Map;
  source.origin = origin;
  settings::set_scalar(source, "name", "analytics", origin);
  settings::set_scalar(source, "url", *url, origin);
  settings::set_scalar(root, "tools.data_sources", "", origin);
  settings::Node& list = *root.find("tools")->find("data_sources");
  list.kind = settings::Node::Kind::List;
  list.items.push_back(std::move(source));
}

// What other programs around this one read: ops/stack, ops/demo, ops/test and the like.
constexpr std::string_view kOfOthers[] = {"BA_STACK_",      "BA_DEMO_",
                                          "BA_TEST_",       "BA_CRASH_",
                                          "BA_CHAOS_",      "BA_SIMULATION_",
                                          "BA_FUZZ",        "BA_PROTECT",
                                          "BA_CACHE_DIR",   "BA_BUILD_DIR",
                                          "BA_FILES_DIR",   "BA_FOLDERS",
                                          "BA_KAFKA_PROXY", "BA_KAFKA_BEHIND_PROXY"};

std::vector<std::string> own_variables() {
  std::vector<std::string> names{"BA_CONFIG",    kAnalyticsUrl,     "BA_LLM_BASE_URL",
                                 "BA_LLM_MODEL", "BA_LLM_PROTOCOL", "BA_LLM_API_KEY",
                                 "BA_LLM_QUIRKS"};
  for (const ShortCut& cut : short_cuts()) names.emplace_back(cut.variable);
  return names;
}

/// Whether the file may read it: "${BA_X}", "${env:BA_X}", "${BA_X:-default}".
bool stands_in(std::string_view file_text, const std::string& name) {
  return file_text.find("${" + name) != std::string_view::npos ||
         file_text.find("${env:" + name) != std::string_view::npos;
}

bool of_others(const std::string& name) {
  return std::any_of(std::begin(kOfOthers), std::end(kOfOthers),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

void warn_of_misspelt_variables(const Environment& environment, std::string_view file_text,
                                settings::Findings& findings) {
  const std::vector<std::string> own = own_variables();
  for (const auto& [name, value] : environment.variables) {
    if (!name.starts_with("BA_") || name.starts_with("BA__") || value.empty()) continue;
    if (std::find(own.begin(), own.end(), name) != own.end() || of_others(name)) continue;
    const auto nearest = nearest_word(name, own);
    if (!nearest || stands_in(file_text, name)) continue;
    findings.warning({settings::Origin::Kind::Environment, name}, "",
                     "is not used: nothing reads it; did you mean " + *nearest + "?");
  }
}

const std::vector<ShortCut>& short_cuts() {
  static const std::vector<ShortCut> table{
      {"BA_KAFKA_BROKERS", "kafka.brokers"},
      {"BA_KAFKA_GROUP", "kafka.group_id"},
      {"BA_POSTGRES_URL", "postgres.url"},
      {"BA_WORKER_NAME", "worker.name"},
      {"BA_HTTP_ADDRESS", "http.address"},
      {"BA_HTTP_PORT", "http.port"},
      {"BA_LOG_LEVEL", "observability.log_level"},
      {"BA_LOG_FORMAT", "observability.log_format"},
      {"BA_ENVIRONMENT", "observability.environment"},
  };
  return table;
}

void apply_environment(settings::Node& root, const Environment& environment) {
  for (const ShortCut& cut : short_cuts())
    if (auto value = environment.get(cut.variable))
      settings::set_scalar(root, cut.path, *value,
                           settings::Origin{settings::Origin::Kind::Environment, cut.variable});
  for (const auto& [name, value] : environment.variables)
    if (name.rfind("BA__", 0) == 0 && !value.empty())
      settings::set_scalar(root, path_of_variable(name), value,
                           settings::Origin{settings::Origin::Kind::Environment, name});
  for (settings::Entry& section : root.entries) settings::open_flow_map(section.value);
  add_analytics(root, environment);
}

}  // namespace ba::config
