// SPDX-License-Identifier: Apache-2.0
#include "worker/config/load_config.hpp"

#include <algorithm>

#include "worker/config/adapter_sections.hpp"
#include "worker/config/config_checks.hpp"
#include "worker/config/configured_tools.hpp"
#include "worker/config/environment_settings.hpp"
#include "worker/config/substitution.hpp"
#include "worker/settings/section_reader.hpp"
#include "worker/settings/small_file.hpp"
#include "worker/settings/text_problem.hpp"
#include "worker/settings/yaml_reader.hpp"
#include "worker/tools/families.hpp"

namespace ba::config {
namespace {

using settings::Node;
using settings::Origin;
using settings::SectionReader;

Node empty_map() {
  Node root;
  root.kind = Node::Kind::Map;
  return root;
}

/// The file's tree, its text left in `file_text`; an empty one where there is no file and none was
/// asked for.
Node load_tree(const ConfigSources& sources, LoadedConfig& loaded, std::string& file_text) {
  std::optional<std::string> wanted = sources.file;
  if (!wanted) wanted = sources.environment.get("BA_CONFIG");
  std::vector<std::string> places{"ba-agent.yaml", "/etc/ba-agent/ba-agent.yaml"};
  if (wanted) places = {*wanted};
  for (const std::string& place : places) {
    auto text = settings::read_small_file(place);
    if (!text && text.error().code == ErrorCode::NotFound && !wanted) continue;
    loaded.file = place;
    if (!text) {
      loaded.findings.unreadable(text.error().message);
      return empty_map();
    }
    file_text = *text;
    if (place != "/dev/null" && settings::says_nothing(*text)) {
      loaded.findings.unreadable(
          "the file is empty: write the settings into it, or {} where none is to be set",
          {Origin::Kind::File, place});
      return empty_map();
    }
    auto read = settings::parse_yaml(*text, place);
    auto* tree = std::get_if<Node>(&read);
    const auto refusal = tree != nullptr ? substitute_all(*tree, sources.environment)
                                         : std::optional(std::get<settings::Refusal>(read));
    if (!refusal) return std::move(*tree);
    loaded.findings.unreadable(refusal->why, refusal->place);
    return empty_map();
  }
  return empty_map();
}

void read_tools_section(SectionReader& in, Config& config) {
  read_tool_runtime(in, config.tool_runtime);
  for (const tools::ToolFamily& family : tools::tool_families())
    if (family.read != nullptr) family.read(in, config.tools);
  tools::read_tool_settings(in, config.tools.settings);
  read_tool_cache(in, config.tool_cache);
  read_artifacts(in, config.artifacts);
}

void read_sections(SectionReader& root, Config& config) {
  root.section("kafka", [&](SectionReader& in) { read_kafka(in, config.kafka); });
  root.section("postgres", [&](SectionReader& in) { read_postgres(in, config.postgres); });
  root.section("llm", [&](SectionReader& in) { read_llm(in, config.llm); });
  read_agents(root, config.agents);
  root.section("tools", [&](SectionReader& in) { read_tools_section(in, config); });
  root.section("mcp", [&](SectionReader& in) { read_mcp(in, config.mcp); });
  if (root.wants("mcpServers")) read_mcp_servers(root, config.mcp);
  for (const tools::ToolFamily& family : tools::tool_families())
    if (family.read_beside != nullptr) family.read_beside(root, config.tools);
  root.section("context", [&](SectionReader& in) { read_context(in, config.context); });
  root.section("limits", [&](SectionReader& in) { read_limits(in, config.limits); });
  root.section("worker", [&](SectionReader& in) { read_worker(in, config.worker); });
  root.section("outbox", [&](SectionReader& in) { read_outbox(in, config.outbox); });
  root.section("retention", [&](SectionReader& in) { read_retention(in, config.retention); });
  root.section("observability",
               [&](SectionReader& in) { read_observability(in, config.observability); });
  root.section("http", [&](SectionReader& in) { read_http(in, config.http); });
  config.tool_runtime.gates = gates_of(config.tools);
  config.kafka.topic_settings.shards = config.outbox.shards;
  config.postgres.shards = config.outbox.shards;
  config.postgres.artifact_directory = config.artifacts.enabled ? config.artifacts.directory : "";
}

/// Secrets may stand in the file itself.
void warn_of_exposed_file(LoadedConfig& loaded, const std::string& text) {
  const auto stands_there = [&](const std::string& secret) {
    return text.find(secret) != std::string::npos;
  };
  if (!std::ranges::any_of(loaded.findings.secrets, stands_there)) return;
  const std::string exposed = settings::exposure_of(loaded.file);
  if (!exposed.empty())
    loaded.findings.warning({Origin::Kind::File, loaded.file}, "", "it holds secrets: " + exposed);
}

/// Of token_encoders.yaml, which has findings of its own.
void append(settings::Findings& all, const settings::Findings& more) {
  all.problems.insert(all.problems.end(), more.problems.begin(), more.problems.end());
  all.doubts.insert(all.doubts.end(), more.doubts.begin(), more.doubts.end());
  all.secrets.insert(all.secrets.end(), more.secrets.begin(), more.secrets.end());
}

}  // namespace

std::vector<settings::Setting> outlined_settings() {
  settings::Findings findings;
  Config config;
  SectionReader root(nullptr, {}, findings, settings::Reading::Everything);
  read_sections(root, config);
  return findings.settings;
}

LoadedConfig load_config(const ConfigSources& sources) {
  LoadedConfig loaded;
  loaded.sources = sources;
  std::string file_text;
  Node tree = load_tree(sources, loaded, file_text);
  warn_of_misspelt_variables(sources.environment, file_text, loaded.findings);
  apply_environment(tree, sources.environment);
  apply_llm_environment(tree, sources.environment, loaded.findings);
  for (const Override& override : sources.overrides)
    settings::set_scalar(tree, override.path, override.value,
                         Origin{Origin::Kind::Flag, override.flag});
  settings::refuse_what_is_no_text(tree, "", loaded.findings);
  SectionReader root(&tree, {}, loaded.findings);
  read_sections(root, loaded.config);
  root.finish();
  loaded.token_encoders = load_token_encoders(sources.environment);
  check_whole(loaded);
  warn_of_exposed_file(loaded, file_text);
  append(loaded.findings, loaded.token_encoders.findings);
  return loaded;
}

}  // namespace ba::config
