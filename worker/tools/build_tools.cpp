// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/build_tools.hpp"

#include <utility>

#include "worker/tools/base/tool_settings.hpp"
#include "worker/tools/command/execute_command.hpp"
#include "worker/tools/files/file_reader.hpp"
#include "worker/tools/files/file_write.hpp"
#include "worker/tools/files/rooted_file.hpp"
#include "worker/tools/sql/data_source_check.hpp"
#include "worker/tools/sql/database_write.hpp"
#include "worker/tools/sql/query_database.hpp"

namespace ba {
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

/// Makes the tools one after the other.
class ToolBuilder {
 public:
  enum class Purpose { Run, Describe };

  ToolBuilder(const ToolsConfig& config, Executor& executor, Purpose purpose)
      : config_(config), executor_(executor), describes_(purpose == Purpose::Describe) {
    built_.registry = std::make_unique<ToolRegistry>();
  }

  Result<BuiltTools> build(const std::vector<ToolMaker>& others) {
    for (const auto step : {&ToolBuilder::add_query_database, &ToolBuilder::add_database_write,
                            &ToolBuilder::add_file_reader, &ToolBuilder::add_file_write,
                            &ToolBuilder::add_execute_command})
      if (auto added = borne((this->*step)()); !added) return added.error();
    for (const ToolMaker& maker : others)
      if (auto added = borne(add_other(maker)); !added) return added.error();
    for (const auto& [name, settings] : config_.settings)
      if (settings.enabled && !built_.registry->find(name) && !built_.unmade.contains(name))
        built_.unused_settings.push_back(name);
    return std::move(built_);
  }

 private:
  /// The settings of a tool that is to be made; none: it is switched off, or lacks what it needs,
  /// which is `setting`.
  std::optional<ToolSettings> wanted(const std::string& tool, bool configured,
                                     const std::string& setting) {
    making_ = tool;
    auto settings = settings_of(config_, tool);
    if (settings && !configured && !describes_) return std::nullopt;
    if (settings && !configured) built_.unconfigured.emplace(tool, setting);
    return settings;
  }

  /// Whoever only describes goes on without a tool that can't be made.
  Result<void> borne(Result<void> added) {
    if (added || !describes_) return added;
    built_.unmade.emplace(making_, added.error());
    return {};
  }

  template <typename T>
  Result<void> add(std::unique_ptr<T> tool, const ToolSettings& settings) {
    apply(settings, tool->descriptor());
    return built_.registry->add(std::move(tool));
  }

  Result<void> add_query_database() {
    const auto settings =
        wanted("query_database", !config_.data_sources.empty(), "tools.data_sources");
    if (!settings) return {};
    std::vector<DataSourceConfig> sources = config_.data_sources;
    if (!describes_) {
      auto asked = inspected(std::move(sources), built_.warnings);
      if (!asked) return asked.error();
      sources = std::move(*asked);
    }
    return add(std::make_unique<QueryDatabase>(std::move(sources), executor_), *settings);
  }

  Result<void> add_database_write() {
    const auto settings = wanted("database_write", !config_.write_sources.empty(),
                                 "tools.database_write.data_sources");
    if (!settings) return {};
    if (!describes_)
      if (auto ready = look_at_write_sources(); !ready) return ready;
    return add(std::make_unique<DatabaseWrite>(config_.write_sources, executor_), *settings);
  }

  Result<void> look_at_write_sources() {
    for (const WriteSourceConfig& source : config_.write_sources) {
      const auto lacks = lacks_for_writing(source);
      if (!lacks && lacks.error().code == ErrorCode::InvalidArgument) return lacks.error();
      const std::vector<std::string> lines = lacks ? *lacks : std::vector{lacks.error().message};
      for (const std::string& line : lines)
        built_.warnings.push_back(line + ": until then, database_write will fail there");
    }
    return {};
  }

  Result<void> add_file_reader() {
    const auto settings =
        wanted("file_reader", !config_.files.roots.empty() || config_.files.artifacts,
               "tools.files.roots");
    if (!settings) return {};
    auto roots = FileRoots::open(config_.files.roots);
    if (!roots) return roots.error();
    const auto offer = describes_ ? FileReader::Offer::Everything : FileReader::Offer::Configured;
    return add(std::make_unique<FileReader>(config_.files, std::move(*roots), executor_, offer),
               *settings);
  }

  Result<void> add_file_write() {
    const auto settings =
        wanted("file_write", !config_.file_write.roots.empty(), "tools.file_write.roots");
    if (!settings) return {};
    auto files =
        PlacedFiles::open(describes_ ? std::vector<FileRootConfig>() : config_.file_write.roots);
    if (!files) return files.error();
    return add(std::make_unique<FileWrite>(config_.file_write, std::move(*files), executor_),
               *settings);
  }

  /// Without a sandbox the tool is there all the same: a model that calls it hears why.
  Result<void> add_execute_command() {
    const auto settings =
        wanted("execute_command", config_.command.enabled, "tools.execute_command.enabled");
    if (!settings) return {};
    if (!describes_)
      if (const auto sandbox = Sandbox(config_.command).self_test(); !sandbox)
        built_.warnings.push_back(sandbox.error().message +
                                  ": until then, execute_command refuses");
    return add(std::make_unique<ExecuteCommand>(config_.command, executor_), *settings);
  }

  Result<void> add_other(const ToolMaker& maker) {
    const auto settings = wanted(maker.name, maker.configured, maker.setting);
    if (!settings) return {};
    auto tool =
        maker.make([&settings](ToolDescriptor& descriptor) { apply(*settings, descriptor); });
    if (!tool) return tool.error();
    return built_.registry->add(std::move(*tool));
  }

  const ToolsConfig& config_;
  Executor& executor_;
  const bool describes_;
  std::string making_;  ///< the tool whose turn it is
  BuiltTools built_;
};

}  // namespace

Result<BuiltTools> build_tools(const ToolsConfig& config, Executor& executor,
                               const std::vector<ToolMaker>& others) {
  return ToolBuilder(config, executor, ToolBuilder::Purpose::Run).build(others);
}

BuiltTools describe_tools(const ToolsConfig& config, Executor& executor,
                          const std::vector<ToolMaker>& others) {
  auto built = ToolBuilder(config, executor, ToolBuilder::Purpose::Describe).build(others);
  return std::move(*built);
}

}  // namespace ba
