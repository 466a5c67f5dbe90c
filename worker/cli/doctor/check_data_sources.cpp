// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "worker/cli/doctor/check.hpp"
#include "worker/cli/doctor/postgres_remedy.hpp"
#include "worker/tools/data_source_check.hpp"
#include "worker/tools/sandbox.hpp"
#include "worker/vector/index_check.hpp"

namespace ba {
namespace {

constexpr Milliseconds kIndexPatience{10'000};
constexpr const char* kReadOnlyRole =
    "give it a login role of its own with SELECT only (GRANT SELECT ON ALL TABLES IN SCHEMA …)";

Check check_data_source(const DataSourceConfig& source) {
  const std::string name = "data source " + source.name;
  const auto facts = inspect(source);
  if (!facts)
    return failed(name, facts.error(), postgres_remedy(facts.error(), "the source's url"));
  const auto warnings = warnings_about(source, *facts);
  std::string message;
  for (const std::string& warning : warnings) message += (message.empty() ? "" : "; ") + warning;
  if (facts->superuser) return failed(name, message, kReadOnlyRole);
  if (!facts->excess_rights.empty())
    return warned(name, message, "run the statements that stand behind each right");
  if (!message.empty()) return warned(name, message, "");
  return passed(name, "PostgreSQL " + std::to_string(facts->server_major) + ", read only, " +
                          facts->protection);
}

Check check_write_source(const WriteSourceConfig& source) {
  const std::string name = "writing to " + source.name;
  const auto lacks = lacks_for_writing(source);
  if (!lacks)
    return failed(name, lacks.error(), postgres_remedy(lacks.error(), "the source's url"));
  std::string message;
  for (const std::string& line : *lacks) message += (message.empty() ? "" : "; ") + line;
  if (!message.empty())
    return failed(name, message, "run effects_table.sql there as the owner, and grant the rights");
  return passed(name, "its table of idempotency keys is there");
}

Check check_vector_index(const VectorIndexConfig& index, const DataSourceConfig& source,
                         int dimensions) {
  const std::string name = "vector index " + index.name;
  const auto searched = check_index(index, source, dimensions, kIndexPatience);
  if (searched) return passed(name, "the table " + index.table + " can be searched");
  if (searched.error().code == ErrorCode::Unavailable)
    return failed(name, searched.error(), postgres_remedy(searched.error(), "the source's url"));
  return failed(name, searched.error().message,
                "run config/vector_index.sql there as the owner, or correct "
                "tools.vector_search.indexes");
}

/// Those of data sources that are there: others are an error of the configuration.
Checks check_vector_indexes(const Config& config) {
  Checks checks;
  if (config.vector_search.base_url.empty()) return checks;
  for (const VectorIndexConfig& index : config.vector_search.indexes)
    for (const DataSourceConfig& source : config.tools.data_sources)
      if (source.name == index.data_source && !source.url.empty())
        checks.push_back(check_vector_index(index, source, config.vector_search.dimensions));
  return checks;
}

Check check_root(const std::string& kind, const FileRootConfig& root) {
  const std::string name = kind + " " + root.name;
  std::error_code failure;
  const std::filesystem::directory_iterator folder(root.path, failure);
  if (failure)
    return failed(name, root.path + ": " + failure.message(), "create it, or correct the path");
  return passed(name, root.path);
}

Check check_writable_root(const FileRootConfig& root) {
  Check check = check_root("files to write", root);
  if (check.status != CheckStatus::Pass || ::access(root.path.c_str(), W_OK | X_OK) == 0)
    return check;
  return failed(check.name, root.path + ": " + std::generic_category().message(errno),
                "let the worker's user write there, or correct the path");
}

Check check_sandbox(const CommandConfig& command) {
  const std::string name = "sandbox of execute_command";
  const auto tested = Sandbox(command).self_test();
  if (!tested)
    return failed(name, tested.error(),
                  "apt-get install bubblewrap; sysctl user.max_user_namespaces");
  return passed(name, "a command ran in it");
}

/// Whether a model has anything to ask or read.
bool has_any(const ToolsConfig& tools) {
  return !tools.data_sources.empty() || !tools.write_sources.empty() ||
         !tools.files.roots.empty() || !tools.file_write.roots.empty() || tools.command.enabled;
}

}  // namespace

Checks check_data_sources(const Config& config) {
  Checks checks;
  // What a source without a URL lacks is an error of the configuration.
  for (const DataSourceConfig& source : config.tools.data_sources)
    if (!source.url.empty()) checks.push_back(check_data_source(source));
  for (const WriteSourceConfig& source : config.tools.write_sources)
    if (!source.url.empty()) checks.push_back(check_write_source(source));
  for (Check& check : check_vector_indexes(config)) checks.push_back(std::move(check));
  for (const FileRootConfig& root : config.tools.files.roots)
    checks.push_back(check_root("files", root));
  for (const FileRootConfig& root : config.tools.file_write.roots)
    checks.push_back(check_writable_root(root));
  if (config.tools.command.enabled) checks.push_back(check_sandbox(config.tools.command));
  if (!has_any(config.tools))
    checks.push_back(warned("tools", "no data source and no file root is configured",
                            "set BA_ANALYTICS_URL, or tools.data_sources and tools.files.roots"));
  return checks;
}

}  // namespace ba
