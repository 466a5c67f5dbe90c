// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/sql/sql_tools.hpp"

#include <utility>

#include "worker/tools/sql/data_source_check.hpp"
#include "worker/tools/sql/database_write.hpp"
#include "worker/tools/sql/query_database.hpp"
#include "worker/tools/sql/sql_config.hpp"

namespace ba::sql {
namespace {

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

Result<void> look_at_write_sources(const std::vector<WriteSourceConfig>& sources,
                                   std::vector<std::string>& warnings) {
  for (const WriteSourceConfig& source : sources) {
    const auto lacks = lacks_for_writing(source);
    if (!lacks && lacks.error().code == ErrorCode::InvalidArgument) return lacks.error();
    const std::vector<std::string> lines = lacks ? *lacks : std::vector{lacks.error().message};
    for (const std::string& line : lines)
      warnings.push_back(line + ": until then, database_write will fail there");
  }
  return {};
}

std::vector<tools::ToolMaker> makers(const tools::ToolsConfig& config, const tools::ToolBasis&) {
  const auto& [sources, write_sources] = config.of<SqlConfig>();
  tools::ToolMaker query{"query_database", "tools.data_sources", !sources.empty(), {}};
  query.artifacts = tools::ArtifactRole::Makes;
  query.make = [sources = sources](const tools::ToolMaking& making) -> Result<tools::MadeTool> {
    Executor& executor = making.ports.executor;
    if (making.only_described) return std::make_unique<QueryDatabase>(sources, executor);
    auto asked = inspected(sources, making.warnings);
    if (!asked) return asked.error();
    return std::make_unique<QueryDatabase>(std::move(*asked), executor);
  };
  tools::ToolMaker write{
      "database_write", "tools.database_write.data_sources", !write_sources.empty(), {}};
  write.make = [write_sources =
                    write_sources](const tools::ToolMaking& making) -> Result<tools::MadeTool> {
    if (!making.only_described)
      if (auto ready = look_at_write_sources(write_sources, making.warnings); !ready)
        return ready.error();
    return std::make_unique<DatabaseWrite>(write_sources, making.ports.executor);
  };
  return {std::move(query), std::move(write)};
}

void limit(const tools::ToolsConfig& config, GateTable& gates) {
  for (const DataSourceConfig& source : config.of<SqlConfig>().data_sources)
    gates["query_database/" + source.name].calls_per_minute = source.calls_per_minute;
  for (const WriteSourceConfig& source : config.of<SqlConfig>().write_sources)
    gates["database_write/" + source.name].calls_per_minute = source.calls_per_minute;
}

std::vector<tools::ToolSource> sources(const tools::ToolsConfig& config) {
  std::vector<tools::ToolSource> all;
  const auto add = [&all](const std::string& name) {
    all.push_back({.named = "data_source:" + name, .data_source = name});
  };
  for (const DataSourceConfig& source : config.of<SqlConfig>().data_sources) add(source.name);
  for (const WriteSourceConfig& source : config.of<SqlConfig>().write_sources) add(source.name);
  return all;
}

}  // namespace

tools::ToolFamily sql_tools() {
  return {
      .read = [](settings::SectionReader& tools,
                 tools::ToolsConfig& config) { read_sql(tools, config.of<SqlConfig>()); },
      .check = [](const tools::ToolsConfig& config) { return validate(config.of<SqlConfig>()); },
      .limit = limit,
      .sources = sources,
      .makers = makers};
}

}  // namespace ba::sql
