// SPDX-License-Identifier: Apache-2.0
#include "worker/config/config.hpp"

#include <algorithm>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "worker/config/agent_sources.hpp"
#include "worker/config/artifacts_section.hpp"
#include "worker/config/environment_settings.hpp"
#include "worker/config/kafka_section.hpp"
#include "worker/config/llm_environment.hpp"
#include "worker/config/llm_section.hpp"
#include "worker/config/mcp_section.hpp"
#include "worker/config/postgres_section.hpp"
#include "worker/config/section_reader.hpp"
#include "worker/config/skills_section.hpp"
#include "worker/config/small_file.hpp"
#include "worker/config/substitution.hpp"
#include "worker/config/text_check.hpp"
#include "worker/config/tool_cache_section.hpp"
#include "worker/config/tools_section.hpp"
#include "worker/config/vector_search_section.hpp"
#include "worker/config/web_search_section.hpp"
#include "worker/config/yaml_reader.hpp"

namespace ba {
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
    auto text = read_small_file(place);
    if (!text && text.error().code == ErrorCode::NotFound && !wanted) continue;
    loaded.file = place;
    if (!text) {
      loaded.findings.add_error(text.error().message);
      return empty_map();
    }
    file_text = *text;
    auto tree = settings::read_yaml(*text, place);
    Result<void> filled =
        tree ? settings::substitute_all(*tree, sources.environment) : Result<void>(tree.error());
    if (filled) return std::move(*tree);
    loaded.findings.add_error(filled.error().message);
    return empty_map();
  }
  return empty_map();
}

/// A search of an index is a statement at its data source.
void add_index_gates(Config& config) {
  for (const VectorIndexConfig& index : config.vector_search.indexes)
    for (const DataSourceConfig& source : config.tools.data_sources)
      if (source.name == index.data_source && source.calls_per_minute > 0)
        config.tool_runtime.gates["vector_search/" + index.name].calls_per_minute =
            source.calls_per_minute;
}

void read_sections(SectionReader& root, Config& config) {
  root.section("kafka", [&](SectionReader& in) { read_kafka(in, config.kafka); });
  root.section("postgres", [&](SectionReader& in) { read_postgres(in, config.postgres); });
  root.section("llm", [&](SectionReader& in) { read_llm(in, config.llm); });
  read_agents(root, config.agents);
  root.section("tools", [&](SectionReader& in) {
    read_tools(in, config.tools, config.tool_runtime);
    read_tool_cache(in, config.tool_cache);
    read_artifacts(in, config.artifacts);
    read_web_search(in, config.web_search);
    read_vector_search(in, config.vector_search);
  });
  root.section("mcp", [&](SectionReader& in) { read_mcp(in, config.mcp); });
  if (root.has("mcpServers")) read_mcp_servers(root, config.mcp);
  root.section("skills", [&](SectionReader& in) { read_skills(in, config.skills); });
  root.section("context", [&](SectionReader& in) { read_context(in, config.context); });
  root.section("limits", [&](SectionReader& in) { read_limits(in, config.limits); });
  root.section("worker", [&](SectionReader& in) { read_worker(in, config.worker); });
  root.section("outbox", [&](SectionReader& in) { read_outbox(in, config.outbox); });
  root.section("retention", [&](SectionReader& in) { read_retention(in, config.retention); });
  root.section("observability",
               [&](SectionReader& in) { read_observability(in, config.observability); });
  root.section("http", [&](SectionReader& in) { read_http(in, config.http); });
  add_index_gates(config);
  config.kafka.topic_settings.shards = config.outbox.shards;
  config.postgres.shards = config.outbox.shards;
  config.postgres.artifact_directory = config.artifacts.enabled ? config.artifacts.directory : "";
  config.tools.files.artifacts = config.artifacts.enabled;
}

std::string key_of(const std::string& complaint) {
  return complaint.substr(0, complaint.find_first_of(": "));
}

/// Servers of tools may be written in two places; their complaints know one.
std::string with_key_as_written(const Findings& findings, const std::string& complaint) {
  constexpr std::string_view kHere = "mcp.servers.";
  if (!complaint.starts_with(kHere)) return complaint;
  constexpr std::string_view kThere = "mcpServers.";
  const std::string elsewhere = std::string(kThere) + complaint.substr(kHere.size());
  const std::string server = elsewhere.substr(0, elsewhere.find_first_of(".: ", kThere.size()));
  return findings.places.contains(server) ? elsewhere : complaint;
}

/// An adapter's own complaint, "<key> is …" or "<key>: …", with the place it comes from.
void add_complaint(Findings& findings, const std::string& given) {
  const std::string complaint = with_key_as_written(findings, given);
  const std::string key = key_of(complaint);
  // A value that couldn't be read has left its default, of which nobody wants to hear.
  if (findings.is_spoken_of(key)) return;
  findings.add_error(findings.place_of(key).text() + ": " + complaint);
}

/// One that what it names isn't there; where that is wrong itself, it is all there is to say.
void add_missing(Findings& findings, const std::string& complaint, const std::string& where) {
  if (!findings.is_spoken_of(where)) add_complaint(findings, complaint);
}

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// The value of `key` names a model, or none.
void check_model(const std::string& key, const std::string& name, LoadedConfig& loaded) {
  if (name.empty() || loaded.config.llm.model(name) != nullptr) return;
  if (loaded.findings.is_spoken_of("llm.models")) return;
  std::vector<std::string> known;
  for (const ModelConfig& model : loaded.config.llm.models) known.push_back(model.name);
  const auto near = nearest_word(name, known);
  loaded.findings.error(loaded.findings.origin_of(key), key,
                        loaded.findings.excerpt(name) + " is not a configured model" +
                            (near ? "; did you mean " + quoted(*near) + "?" : "") +
                            " (there are: " + joined_or_none(known) + ")");
}

/// What a summary is made from and the summary itself fit into its model's window: what was set
/// must, the default is made to.
void check_summaries(LoadedConfig& loaded) {
  SummaryRules& rules = loaded.config.context.summary;
  check_model("context.summary.model", rules.model, loaded);
  const ModelConfig* model = loaded.config.llm.model(rules.model);
  if (model == nullptr || model->context_window == 0) return;
  const std::int64_t room = model->context_window - rules.tokens_max;
  if (rules.input_tokens_max <= room) return;
  const std::string key = "context.summary.max_input_tokens";
  if (loaded.findings.origin_of(key).kind == Origin::Kind::Default) {
    rules.input_tokens_max = std::max<std::int64_t>(room, 1);
    return;
  }
  loaded.findings.error(loaded.findings.origin_of(key), key,
                        std::to_string(rules.input_tokens_max) + " must be at most " +
                            std::to_string(room) + ": model \"" + rules.model +
                            "\" has a window of " + std::to_string(model->context_window) +
                            " tokens, and context.summary.max_summary_tokens of them are the "
                            "summary's");
}

/// A result must fit into a record with its headers, or Kafka would refuse it.
void check_result_bytes(LoadedConfig& loaded) {
  constexpr std::int64_t kHeadersMax = 64 * 1024;
  const Config& config = loaded.config;
  const std::int64_t record =
      std::min(config.kafka.outbox.record_bytes_max, config.kafka.topic_settings.record_bytes_max);
  if (config.limits.result_bytes_max + kHeadersMax <= record) return;
  const std::string key = "limits.result_bytes_max";
  loaded.findings.error(
      loaded.findings.origin_of(key), key,
      std::to_string(config.limits.result_bytes_max) + " must be at least 65536 below " +
          "kafka.publisher.record_bytes_max and kafka.topic_settings.record_bytes_max (the " +
          "smaller is " + std::to_string(record) + "), so that a result fits into a record");
}

/// A record that could still be read again must find its job, or it would run a second time.
void check_retention(LoadedConfig& loaded) {
  const RetentionRules& rules = loaded.config.retention.rules;
  const Milliseconds topics = loaded.config.kafka.topic_settings.results_retention;
  const auto check = [&](const std::string& key, const RetentionRules::Age& age) {
    if (!age || *age >= topics) return;
    loaded.findings.error(loaded.findings.origin_of(key), key,
                          std::to_string(*age / std::chrono::days(1)) +
                              " days are less than kafka.topic_settings.results_retention_ms (" +
                              std::to_string(topics.count()) +
                              "): a record that is read again would run again");
  };
  check("retention.jobs_days", rules.jobs);
  check("retention.dead_letters_days", rules.dead_letters);
  for (const auto& [tenant, age] : rules.tenants)
    check("retention.tenants." + tenant.value + ".jobs_days", age);
}

void check_models(LoadedConfig& loaded) {
  const LlmConfig& llm = loaded.config.llm;
  if (llm.providers.empty() && llm.models.empty()) return;
  for (const std::string& problem : llm.problems())
    if (key_of(problem).ends_with(".provider"))
      add_missing(loaded.findings, problem, "llm.providers");
    else if (key_of(problem) == "llm.default_model")
      add_missing(loaded.findings, problem, "llm.models");
    else
      add_complaint(loaded.findings, problem);
}

void check_servers(LoadedConfig& loaded) {
  Findings& findings = loaded.findings;
  for (const std::string& problem : validate(loaded.config.mcp)) {
    const std::string key = key_of(with_key_as_written(findings, problem));
    const bool no_way = problem.find(": neither ") != std::string::npos;
    // A way to the server that is misspelt is one that it has.
    if (no_way && (findings.is_spoken_of(key + ".command") || findings.is_spoken_of(key + ".url")))
      continue;
    add_complaint(findings, problem);
  }
}

/// What concerns more than one section.
void check_whole(LoadedConfig& loaded) {
  const Config& config = loaded.config;
  check_models(loaded);
  for (const auto& problems :
       {validate(config.tools), validate(config.web_search), validate(config.tool_runtime)})
    for (const std::string& problem : problems) add_complaint(loaded.findings, problem);
  check_servers(loaded);
  for (const std::string& problem : validate(config.vector_search, config.tools.data_sources))
    if (key_of(problem).ends_with(".data_source"))
      add_missing(loaded.findings, problem, "tools.data_sources");
    else
      add_complaint(loaded.findings, problem);
  for (const std::string& problem : validate_sub_agents(config.agents))
    add_complaint(loaded.findings, problem);
  for (const std::string& problem : validate_agent_sources(config))
    add_missing(loaded.findings, problem, "tools.data_sources");
  check_result_bytes(loaded);
  check_retention(loaded);
  for (const auto& [name, profile] : config.agents)
    check_model("agents." + name + ".model", profile.model, loaded);
  check_summaries(loaded);
}

}  // namespace

std::vector<Setting> outlined_settings() {
  Findings findings;
  findings.outlining = true;
  Config config;
  SectionReader root(nullptr, {}, findings);
  read_sections(root, config);
  return findings.settings;
}

LoadedConfig load_config(const ConfigSources& sources) {
  LoadedConfig loaded;
  loaded.sources = sources;
  std::string file_text;
  Node tree = load_tree(sources, loaded, file_text);
  settings::warn_of_misspelt_variables(sources.environment, file_text, loaded.findings);
  settings::apply_environment(tree, sources.environment);
  settings::apply_llm_environment(tree, sources.environment, loaded.findings);
  for (const Override& override : sources.overrides)
    settings::set_scalar(tree, override.path, override.value,
                         Origin{Origin::Kind::Flag, override.flag});
  settings::refuse_what_is_no_text(tree, "", loaded.findings);
  SectionReader root(&tree, {}, loaded.findings);
  read_sections(root, loaded.config);
  root.finish();
  check_whole(loaded);
  loaded.token_encoders = load_token_encoders(sources.environment);
  append(loaded.findings.errors, loaded.token_encoders.findings.errors);
  append(loaded.findings.warnings, loaded.token_encoders.findings.warnings);
  return loaded;
}

}  // namespace ba
