// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "storage/libpq/connect_failure.hpp"
#include "storage/libpq/conninfo.hpp"
#include "worker/cli/doctor/check.hpp"
#include "worker/tools/command/sandbox.hpp"
#include "worker/tools/files/files_config.hpp"
#include "worker/tools/sql/data_source_check.hpp"
#include "worker/tools/vector/vector_session.hpp"

namespace ba::cli {
namespace {

constexpr Milliseconds kIndexPatience{10'000};
constexpr const char* kReadOnlyRole =
    "give it a login role of its own with SELECT only (GRANT SELECT ON ALL TABLES IN SCHEMA …)";

/// Where a source's address stands, for whoever has to correct it.
struct Place {
  std::string setting;  ///< "tools.data_sources.0.url (ba-agent.yaml:12)"
  std::string url;
};

Place place_of(const std::string& list, std::size_t index, const std::string& url,
               const settings::Findings& findings) {
  const std::string key = list + "." + std::to_string(index) + ".url";
  const settings::Origin origin = findings.origin_of(key);
  const bool known = origin.kind != settings::Origin::Kind::Default;
  return {known ? key + " (" + origin.text() + ")" : key, url};
}

Check unreachable(const std::string& name, const Error& error, const Place& place) {
  std::string remedy = postgres_remedy(error, place.setting);
  if (error.code == ErrorCode::Authentication && error.detail != storage::kTlsDetail &&
      storage::conninfo_value(place.url, "password").empty())
    remedy +=
        "; there is no password in it, so that PGPASSWORD is taken, or what PGPASSFILE or "
        "~/.pgpass has for it";
  return failed(name, error, std::move(remedy));
}

std::string remedy_of(const sql::DataSourceFacts& facts) {
  if (facts.superuser) return kReadOnlyRole;
  std::string remedy;
  for (const sql::SourceHindrance& one : facts.hindrances)
    remedy += (remedy.empty() ? "" : "; ") + one.remedy;
  if (facts.excess_rights.empty() && facts.idle_settings.empty()) return remedy;
  return remedy + (remedy.empty() ? "" : "; then ") +
         "run the statements that stand behind each finding";
}

Check check_data_source(const sql::DataSourceConfig& source, const Place& place) {
  const std::string name = "data source " + source.name;
  const auto facts = sql::inspect(source);
  if (!facts) return unreachable(name, facts.error(), place);
  Check check = passed(name, sql::statement_about(*facts));
  check.findings = sql::findings_about(*facts);
  check.remedy = remedy_of(*facts);
  if (!check.findings.empty()) check.status = CheckStatus::Warn;
  if (facts->superuser || !facts->hindrances.empty()) check.status = CheckStatus::Fail;
  return check;
}

Check check_write_source(const sql::WriteSourceConfig& source, const Place& place) {
  const std::string name = "writing to " + source.name;
  const auto facts = sql::inspect_writing(source);
  if (!facts) return unreachable(name, facts.error(), place);
  if (facts->lacks.empty() && facts->idle_settings.empty())
    return passed(name, "its table of idempotency keys is there");
  Check check = facts->lacks.empty()
                    ? warned(name, "its table of idempotency keys is there",
                             "run the statements that stand behind each finding")
                    : failed(name, "it is not set up",
                             "run effects_table.sql there as the owner, and grant the rights");
  check.findings = facts->lacks;
  check.findings.insert(check.findings.end(), facts->idle_settings.begin(),
                        facts->idle_settings.end());
  return check;
}

Check check_vector_index(const vector::VectorIndexConfig& index,
                         const sql::DataSourceConfig& source, int dimensions) {
  const std::string name = "vector index " + index.name;
  const auto searched = vector::check_index(index, source, dimensions, kIndexPatience);
  if (searched) return passed(name, "the table " + index.table + " can be searched");
  if (searched.error().code == ErrorCode::Unavailable)
    return failed(name, searched.error(), postgres_remedy(searched.error(), "the source's url"));
  return failed(name, searched.error().message,
                "run config/vector_index.sql there as the owner, or correct "
                "tools.vector_search.indexes");
}

/// Those of data sources that are there: others are an error of the configuration.
Checks check_vector_indexes(const config::Config& config) {
  Checks checks;
  const auto& search = config.tools.of<vector::VectorSearchConfig>();
  if (search.base_url.empty()) return checks;
  for (const vector::VectorIndexConfig& index : search.indexes)
    for (const sql::DataSourceConfig& source : config.tools.of<sql::SqlConfig>().data_sources)
      if (source.name == index.data_source && !source.url.empty())
        checks.push_back(check_vector_index(index, source, search.dimensions));
  return checks;
}

Check check_root(const std::string& kind, const files::FileRootConfig& root) {
  const std::string name = kind + " " + root.name;
  std::error_code failure;
  const std::filesystem::directory_iterator folder(root.path, failure);
  if (failure)
    return failed(name, root.path + ": " + failure.message(), "create it, or correct the path");
  return passed(name, root.path);
}

Check check_writable_root(const files::FileRootConfig& root) {
  Check check = check_root("files to write", root);
  if (check.status != CheckStatus::Pass || ::access(root.path.c_str(), W_OK | X_OK) == 0)
    return check;
  return failed(check.name, root.path + ": " + std::generic_category().message(errno),
                "let the worker's user write there, or correct the path");
}

Check check_sandbox(const command::CommandConfig& command) {
  const std::string name = "sandbox of execute_command";
  const auto tested = command::Sandbox(command).self_test();
  if (!tested)
    return failed(name, tested.error(),
                  "apt-get install bubblewrap; sysctl user.max_user_namespaces");
  return passed(name, "a command ran in it");
}

/// What a source without a URL lacks is an error of the configuration.
template <typename Source, typename CheckOne>
Checks check_addressed(const std::vector<Source>& sources, const std::string& list,
                       const settings::Findings& findings, CheckOne check_one) {
  Checks checks;
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (!sources[i].url.empty())
      checks.push_back(check_one(sources[i], place_of(list, i, sources[i].url, findings)));
  return checks;
}

/// Whether a model has anything to ask or read.
bool has_any(const tools::ToolsConfig& tools) {
  const auto& [sources, write_sources] = tools.of<sql::SqlConfig>();
  return !sources.empty() || !write_sources.empty() ||
         !tools.of<files::FilesConfig>().roots.empty() ||
         !tools.of<files::FileWriteConfig>().roots.empty() ||
         tools.of<command::CommandConfig>().enabled;
}

}  // namespace

Checks check_data_sources(const config::Config& config, const settings::Findings& findings) {
  const auto& [sources, write_sources] = config.tools.of<sql::SqlConfig>();
  Checks checks = check_addressed(sources, "tools.data_sources", findings, check_data_source);
  for (Check& check : check_addressed(write_sources, "tools.database_write.data_sources", findings,
                                      check_write_source))
    checks.push_back(std::move(check));
  for (Check& check : check_vector_indexes(config)) checks.push_back(std::move(check));
  for (const files::FileRootConfig& root : config.tools.of<files::FilesConfig>().roots)
    checks.push_back(check_root("files", root));
  for (const files::FileRootConfig& root : config.tools.of<files::FileWriteConfig>().roots)
    checks.push_back(check_writable_root(root));
  const auto& command = config.tools.of<command::CommandConfig>();
  if (command.enabled) checks.push_back(check_sandbox(command));
  if (!has_any(config.tools))
    checks.push_back(warned("tools", "no data source and no file root is configured",
                            "set BA_ANALYTICS_URL, or tools.data_sources and tools.files.roots"));
  return checks;
}

}  // namespace ba::cli
