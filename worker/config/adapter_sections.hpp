#pragma once
// SPDX-License-Identifier: Apache-2.0
// Sections that fill the own configuration of a part that doesn't know where it comes from. Called
// by load_config().

#include <string_view>

#include "pipeline/core/artifact/artifact_keeper.hpp"
#include "pipeline/core/cache/shared_cache.hpp"
#include "pipeline/core/context/compression_rules.hpp"
#include "pipeline/core/tool/tool_runtime.hpp"
#include "storage/storage.hpp"
#include "worker/kafka/kafka_options.hpp"
#include "worker/llm/llm_config.hpp"
#include "worker/mcp/mcp_config.hpp"
#include "worker/settings/section_reader.hpp"

namespace ba::config {

/// Whether a librdkafka property of this name is a secret: "sasl.password", "ssl.key.pem",
/// "sasl.oauthbearer.config", …
bool is_secret_property(std::string_view name);

/// Shards of the outbox are set in section `outbox`, not here; nor for PostgreSQL.
void read_kafka(settings::SectionReader& in, kafka::KafkaOptions& kafka);
void read_postgres(settings::SectionReader& in, storage::PgOptions& postgres);

/// The only model is the default model where none is named.
void read_llm(settings::SectionReader& in, llm::LlmConfig& llm);

/// What becomes of a conversation that is too long for its model's window.
void read_context(settings::SectionReader& in, CompressionRules& rules);

/// How the runtime calls any tool, of section `tools`.
void read_tool_runtime(settings::SectionReader& tools, ToolRuntimeConfig& runtime);

/// `tools.cache`.
void read_tool_cache(settings::SectionReader& tools, SharedCacheConfig& cache);

/// `tools.artifacts`.
void read_artifacts(settings::SectionReader& tools, ArtifactConfig& artifacts);

void read_mcp(settings::SectionReader& in, mcp::McpConfig& mcp);

/// The root's `mcpServers`, where it is given, in the form that other clients use: its servers are
/// added to those of `mcp`.
void read_mcp_servers(settings::SectionReader& root, mcp::McpConfig& mcp);

}  // namespace ba::config
