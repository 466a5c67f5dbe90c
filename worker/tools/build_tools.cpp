// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/build_tools.hpp"

#include <utility>

#include "worker/tools/data_source_check.hpp"
#include "worker/tools/database_write.hpp"
#include "worker/tools/file_reader.hpp"
#include "worker/tools/query_database.hpp"
#include "worker/tools/rooted_file.hpp"

namespace ba {
namespace {

void apply(const ToolSettings& settings, ToolDescriptor& descriptor) {
  if (settings.default_level) descriptor.default_level = settings.default_level;
  if (settings.timeout) descriptor.timeout = *settings.timeout;
}

/// The configured settings of a tool, or none when it is switched off.
std::optional<ToolSettings> settings_of(const ToolsConfig& config, const std::string& tool) {
  const auto found = config.settings.find(tool);
  if (found == config.settings.end()) return ToolSettings{};
  if (!found->second.enabled) return std::nullopt;
  return found->second;
}

/// Asks each data source about itself; fills in its tables.
Result<std::vector<DataSourceConfig>> inspected(std::vector<DataSourceConfig> sources,
                                                std::vector<std::string>& warnings) {
  for (DataSourceConfig& source : sources) {
    const Result<DataSourceFacts> facts = inspect(source);
    if (!facts && facts.error().code == ErrorCode::InvalidArgument) return facts.error();
    if (!facts) {
      warnings.push_back(facts.error().message +
                         ": a model is told its tables once it has answered");
      continue;
    }
    if (facts->superuser) return invalid_argument(warnings_about(source, *facts).front());
    for (std::string& warning : warnings_about(source, *facts))
      warnings.push_back(std::move(warning));
    if (source.tables.empty()) source.tables = facts->tables;
  }
  return sources;
}

template <typename T>
Result<void> add(BuiltTools& built, std::unique_ptr<T> tool, const ToolSettings& settings) {
  apply(settings, tool->descriptor());
  return built.registry->add(std::move(tool));
}

Result<void> add_query_database(BuiltTools& built, const ToolsConfig& config, Executor& executor) {
  const auto settings = settings_of(config, "query_database");
  if (!settings || config.data_sources.empty()) return {};
  auto sources = inspected(config.data_sources, built.warnings);
  if (!sources) return sources.error();
  return add(built, std::make_unique<QueryDatabase>(std::move(*sources), executor), *settings);
}

Result<void> add_database_write(BuiltTools& built, const ToolsConfig& config, Executor& executor) {
  const auto settings = settings_of(config, "database_write");
  if (!settings || config.write_sources.empty()) return {};
  for (const WriteSourceConfig& source : config.write_sources) {
    const auto lacks = lacks_for_writing(source);
    if (!lacks && lacks.error().code == ErrorCode::InvalidArgument) return lacks.error();
    const std::vector<std::string> lines = lacks ? *lacks : std::vector{lacks.error().message};
    for (const std::string& line : lines)
      built.warnings.push_back(line + ": until then, database_write will fail there");
  }
  return add(built, std::make_unique<DatabaseWrite>(config.write_sources, executor), *settings);
}

Result<void> add_file_reader(BuiltTools& built, const ToolsConfig& config, Executor& executor) {
  const auto settings = settings_of(config, "file_reader");
  if (!settings || config.files.roots.empty()) return {};
  auto roots = FileRoots::open(config.files.roots);
  if (!roots) return roots.error();
  return add(built, std::make_unique<FileReader>(config.files, std::move(*roots), executor),
             *settings);
}

}  // namespace

Result<BuiltTools> build_tools(const ToolsConfig& config, Executor& executor) {
  BuiltTools built;
  built.registry = std::make_unique<ToolRegistry>();
  if (Result<void> added = add_query_database(built, config, executor); !added)
    return added.error();
  if (Result<void> added = add_database_write(built, config, executor); !added)
    return added.error();
  if (Result<void> added = add_file_reader(built, config, executor); !added) return added.error();
  for (const auto& [name, settings] : config.settings)
    if (settings.enabled && !built.registry->find(name))
      built.warnings.push_back("tools.settings." + name + ": there is no such tool here");
  return built;
}

}  // namespace ba
