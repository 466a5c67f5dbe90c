#pragma once
// SPDX-License-Identifier: Apache-2.0
// The whole configuration, loaded once by main(): one YAML file, the environment over it, flags
// over that. Reading it opens no connection. Values.

#include <optional>
#include <string>
#include <vector>

#include "pipeline/core/artifact/artifact_keeper.hpp"
#include "pipeline/core/cache/shared_cache.hpp"
#include "pipeline/core/context/compression_rules.hpp"
#include "pipeline/core/tool/tool_runtime.hpp"
#include "storage/storage.hpp"
#include "worker/config/agents_section.hpp"
#include "worker/config/environment.hpp"
#include "worker/config/limits_section.hpp"
#include "worker/config/observability_section.hpp"
#include "worker/config/process_sections.hpp"
#include "worker/config/token_encoders.hpp"
#include "worker/kafka/kafka_options.hpp"
#include "worker/llm/llm_config.hpp"
#include "worker/mcp/mcp_config.hpp"
#include "worker/settings/findings.hpp"
#include "worker/tools/base/tools_config.hpp"

namespace ba::config {

struct Config {
  kafka::KafkaOptions kafka;    ///< brokers may be empty: a command that needs them says so
  storage::PgOptions postgres;  ///< the same for its URL
  llm::LlmConfig llm;
  tools::ToolsConfig tools;        ///< section `tools`, and the families' own beside it
  ToolRuntimeConfig tool_runtime;  ///< of section `tools`, too
  SharedCacheConfig tool_cache;    ///< section `tools.cache`
  ArtifactConfig artifacts;        ///< section `tools.artifacts`
  mcp::McpConfig mcp;
  AgentProfiles agents;
  CompressionRules context;  ///< section `context`
  LimitsConfig limits;
  WorkerConfig worker;
  OutboxConfig outbox;
  RetentionConfig retention;
  ObservabilityConfig observability;
  HttpConfig http;
};

/// A flag of the command line that stands for a setting.
struct Override {
  std::string flag;  ///< for origins: "--log-level"
  std::string path;  ///< "observability.log_level"
  std::string value;
};

struct ConfigSources {
  std::optional<std::string> file;  ///< of --config; none: BA_CONFIG, then the usual places
  Environment environment;
  std::vector<Override> overrides;
};

struct LoadedConfig {
  Config config;
  ConfigSources sources;         ///< to be read again by a worker that is told so
  TokenEncoders token_encoders;  ///< with findings of its own: whoever only counts needs no others
  settings::Findings findings;
  std::string file;  ///< what was read; empty: no file

  bool usable() const { return findings.problems.empty(); }
};

}  // namespace ba::config
