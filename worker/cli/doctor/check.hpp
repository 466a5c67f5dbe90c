#pragma once
// SPDX-License-Identifier: Apache-2.0
// What `doctor` finds out about one thing, the groups of checks, and how what they found is shown.
// Each group blocks for a few seconds at most, changes nothing, and never throws. What is shown
// holds no secrets. Values and functions; one thread.

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/cli/program/terminal.hpp"
#include "worker/config/config.hpp"
#include "worker/mcp/mcp_report.hpp"

namespace ba::cli {

enum class CheckStatus { Pass, Warn, Fail };

struct Check {
  std::string name;  ///< "postgres schema"
  CheckStatus status = CheckStatus::Pass;
  std::string message;
  std::string remedy;                      ///< what to do; empty when there is nothing to do
  int exit_code = kExitFailed;             ///< by the cause of a failure
  std::vector<std::string> findings = {};  ///< each a line below the message
};

using Checks = std::vector<Check>;

Checks check_configuration(const config::LoadedConfig& loaded);
/// `limit` is this process's; none: not known.
Checks check_descriptors(const config::Config& config, std::optional<std::uint64_t> limit);
Checks check_kafka(const config::Config& config);
Checks check_postgres(const config::Config& config);
/// What to do about a PostgreSQL server that couldn't be asked, by the kind of the failure.
/// `setting` is the key that holds its address: "postgres.url".
std::string postgres_remedy(const Error& error, const std::string& setting);
/// Asks each provider for its list of models. `called`: those that check_model_calls() asks, too.
Checks check_models(const config::Config& config, const std::set<std::string>& called = {});
/// And file roots, the sandbox, vector indexes. `findings` tell where a source's url was set.
Checks check_data_sources(const config::Config& config, const settings::Findings& findings = {});
Checks check_skills(const config::LoadedConfig& loaded);  ///< reads their directories
Checks check_services(const config::Config& config);  ///< those that tools ask; connects to each
Checks check_traces(const config::Config& config);    ///< connects to the collector

/// Connects to the configured servers of tools and tells what they have.
using ListMcpServers =
    std::function<std::vector<mcp::McpServerReport>(const config::LoadedConfig&)>;
Checks check_mcp_servers(const config::LoadedConfig& loaded, const ListMcpServers& list);

/// Whether each agent's model takes its tools, those of the servers too.
Checks check_tools(const config::LoadedConfig& loaded, const ListMcpServers& list);

/// By name, of the configured models: the default, those of agents, of summaries, and of skills
/// that are offered. Reads the skills' directories.
std::set<std::string> models_in_use(const config::LoadedConfig& loaded);

/// One small, paid call of a model.
using AskModel =
    std::function<Result<std::string>(const config::LoadedConfig&, const std::string& model)>;
/// Of each of `models`.
Checks check_model_calls(const config::LoadedConfig& loaded, const std::set<std::string>& models,
                         const AskModel& ask);

inline Check passed(std::string name, std::string message) {
  return {std::move(name), CheckStatus::Pass, std::move(message), {}};
}
inline Check warned(std::string name, std::string message, std::string remedy) {
  return {std::move(name), CheckStatus::Warn, std::move(message), std::move(remedy)};
}
inline Check failed(std::string name, std::string message, std::string remedy) {
  return {std::move(name), CheckStatus::Fail, std::move(message), std::move(remedy)};
}
inline Check failed(std::string name, const Error& error, std::string remedy) {
  return {std::move(name), CheckStatus::Fail, error.message, std::move(remedy),
          exit_code_of_start(error)};
}

void show_check(const Check& check, Terminal& terminal);

/// {"name": …, "status": "PASS", "WARN" or "FAIL", "message": …, "findings": […], "remedy": …}
nlohmann::ordered_json check_json(const Check& check);

}  // namespace ba::cli
