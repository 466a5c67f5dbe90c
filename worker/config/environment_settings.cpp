// SPDX-License-Identifier: Apache-2.0
#include "worker/config/environment_settings.hpp"

#include <cctype>

namespace ba::settings {
namespace {

/// "BA__KAFKA__GROUP_ID" is {"kafka", "group_id"}.
std::vector<std::string> path_of_variable(std::string_view name) {
  std::vector<std::string> path;
  name.remove_prefix(4);
  for (std::size_t from = 0; from <= name.size();) {
    const std::size_t end = std::min(name.find("__", from), name.size());
    std::string key;
    for (const char letter : name.substr(from, end - from))
      key += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    path.push_back(std::move(key));
    from = end + 2;
  }
  return path;
}

constexpr const char* kAnalyticsUrl = "BA_ANALYTICS_URL";

/// A data source "analytics" out of BA_ANALYTICS_URL, where the file configures none.
void add_analytics(Node& root, const Environment& environment) {
  const auto url = environment.get(kAnalyticsUrl);
  const Node* tools = root.find("tools");
  const Node* sources = tools == nullptr ? nullptr : tools->find("data_sources");
  if (!url || (sources != nullptr && sources->kind != Node::Kind::Null)) return;
  const Origin origin{Origin::Kind::Environment, kAnalyticsUrl};
  Node source;
  source.kind = Node::Kind::Map;
  source.origin = origin;
  set_scalar(source, "name", "analytics", origin);
  set_scalar(source, "url", *url, origin);
  set_scalar(root, "tools.data_sources", "", origin);
  Node& list = *root.find("tools")->find("data_sources");
  list.kind = Node::Kind::List;
  list.items.push_back(std::move(source));
}

}  // namespace

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

void apply_environment(Node& root, const Environment& environment) {
  for (const ShortCut& cut : short_cuts())
    if (auto value = environment.get(cut.variable))
      set_scalar(root, cut.path, *value, Origin{Origin::Kind::Environment, cut.variable});
  for (const auto& [name, value] : environment.variables)
    if (name.rfind("BA__", 0) == 0 && !value.empty())
      set_scalar(root, path_of_variable(name), value, Origin{Origin::Kind::Environment, name});
  add_analytics(root, environment);
}

}  // namespace ba::settings
