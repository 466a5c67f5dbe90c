// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/settings.hpp"

#include <unistd.h>
#include <algorithm>

#include "worker/config/configured_tools.hpp"
#include "worker/tools/agent_tools.hpp"
#include "worker/version/version.hpp"

namespace ba::runtime {
namespace {

bool has(const std::vector<std::string>& outputs, const char* name) {
  return std::find(outputs.begin(), outputs.end(), name) != outputs.end();
}

constexpr const char* kSystemPrompt =
    "You are a business analyst. Answer the question from the data that your tools give you. "
    "Call a tool when you need facts; never invent numbers. When a tool call fails, read the "
    "error, correct the call and try again. Answer briefly, with the numbers that matter.";

EffectiveLimits configured_limits(const config::LimitsConfig& config) {
  EffectiveLimits limits;
  limits.steps_per_round_max = config.steps_per_round_max;
  limits.tool_calls_per_step_max = config.tool_calls_per_step_max;
  limits.answer_repairs_max = config.answer_repairs_max;
  limits.tokens_max = config.tokens_per_job_max;
  limits.cost_micro_usd_max = config.cost_per_job_max_micro_usd;
  limits.history_bytes_max = config.history_bytes_max;
  limits.deadline = config.deadline;
  limits.attempts_max = config.attempts_max;
  return limits;
}

}  // namespace

Publication publication_of(const config::Config& config) {
  Publication publication;
  publication.results_topic = config.kafka.topics.results;
  publication.metrics_topic = config.kafka.topics.metrics;
  publication.dead_letter_topic = config.kafka.topics.dead_letters;
  publication.encoding = config.kafka.outbox.encoding;
  publication.outbox_shards = config.outbox.shards;
  publication.result_bytes_max = config.limits.result_bytes_max;
  publication.dead_letter_conversation_bytes_max = config.limits.dead_letter_conversation_bytes_max;
  return publication;
}

storage::PgOptions storage_options_of(const config::Config& config) {
  storage::PgOptions options = config.postgres;
  options.access.idle_transaction_timeout = config.worker.lease / 2;
  return options;
}

driver::IncarnationOptions incarnation_options_of(const config::Config& config) {
  driver::IncarnationOptions options;
  options.identity.host = config::host_name();
  options.identity.worker = config.worker.name;
  options.identity.pid = static_cast<int>(::getpid());
  options.identity.version = std::string(program_version());
  options.engine.running_max = config.limits.running_jobs_max;
  options.engine.retried_max = config.limits.retried_jobs_max;
  options.engine.conversation_wait_max =
      std::chrono::seconds(config.limits.conversation_wait_max_s);
  options.engine.window.jobs_max = config.limits.window_jobs_max;
  options.engine.window.waiting_max = config.limits.waiting_jobs_max;
  options.engine.claim_interval = config.worker.claim_interval;
  options.publisher.batch_records_max = config.outbox.batch_records_max;
  options.publisher.linger = config.outbox.linger;
  options.publisher.ownership_interval = config.outbox.own_interval;
  options.lease.lease = config.worker.lease;
  options.lease.renew_interval = config.worker.renew_interval;
  options.lease.reap_interval = config.worker.reap_interval;
  options.cleaner.rules = config.retention.rules;
  options.cleaner.interval = config.retention.interval;
  options.drain_grace = config.worker.drain_grace;
  return options;
}

observe::LogSettings log_settings_of(const config::Config& config) {
  const config::ObservabilityConfig& from = config.observability;
  observe::LogSettings settings;
  settings.level = from.log_level;
  settings.json = from.log_format == config::LogFormat::Json;
  settings.to_stdout = from.enable_logging && has(from.log_output, "stdout");
  settings.to_stderr = from.enable_logging && has(from.log_output, "stderr");
  if (from.enable_logging && has(from.log_output, "file")) settings.file = from.log_file;
  settings.tags = from.extra_tags;
  // A tag of the same name wins, so that nothing stands in a line twice.
  if (!from.service_name.empty()) settings.tags.emplace("service", from.service_name);
  if (!from.environment.empty()) settings.tags.emplace("environment", from.environment);
  return settings;
}

TracingOptions tracing_options_of(const config::Config& config) {
  const config::ObservabilityConfig& from = config.observability;
  TracingOptions options;
  options.sampling = from.trace_sampling;
  options.content = from.trace_content;
  options.content_bytes_max = static_cast<std::size_t>(from.trace_content_bytes_max);
  options.intake = {config.kafka.topics.jobs, config.kafka.group_id};
  return options;
}

TraceExporterOptions trace_exporter_options_of(const config::Config& config) {
  const config::ObservabilityConfig& from = config.observability;
  TraceExporterOptions options;
  options.queue_max = static_cast<std::size_t>(from.trace_queue_max);
  options.otlp.endpoint = from.otlp_endpoint;
  for (const auto& [name, value] : from.otlp_headers) options.otlp.headers[name] = Secret(value);
  options.otlp.proxy = from.otlp_proxy;
  options.otlp.proxy_user = from.otlp_proxy_user;
  options.otlp.proxy_password = from.otlp_proxy_password;
  options.otlp.ca_file = from.otlp_ca_file;
  options.otlp.compression = from.otlp_compression;
  options.otlp.timeout = from.trace_export_timeout;
  options.otlp.batch_size = static_cast<std::size_t>(from.trace_batch_size);
  std::map<std::string, std::string> attributes = from.extra_tags;
  attributes["service.name"] = from.service_name;
  attributes["service.version"] = std::string(program_version());
  attributes["service.instance.id"] = config.worker.name + "/" + std::to_string(::getpid());
  attributes["deployment.environment.name"] = from.environment;
  attributes["host.name"] = config::host_name();
  for (const auto& [name, value] : attributes)
    if (!value.empty()) options.resource.attributes.push_back({name, value});
  options.resource.scope_version = std::string(program_version());
  return options;
}

Result<driver::AgentDirectory> make_agent_directory(const config::Config& config,
                                                    const ToolRegistry& tools, int price_reading) {
  std::map<std::string, std::int64_t> windows;
  for (const llm::ModelConfig& model : config.llm.models)
    windows.emplace(model.name, model.context_window);
  std::vector<RunProfile> profiles;
  for (const auto& [name, agent] : config.agents) {
    RunProfile profile;
    profile.name = name;
    profile.model = agent.model.empty() ? config.llm.default_model : agent.model;
    if (windows.empty())
      return invalid_argument(std::string(llm::kNoModel) + ": " + llm::kNoModelRemedy);
    if (profile.model.empty())
      return invalid_argument("llm.default_model is not set, and agents." + name +
                              " has no model: set one of them");
    if (!windows.contains(profile.model))
      return invalid_argument("agents." + name + ".model: there is no model '" + profile.model +
                              "' under llm.models");
    profile.system_prompt = agent.system_prompt.empty() ? kSystemPrompt : agent.system_prompt;
    auto offered = tools::tools_of_agent(name, config, tools);
    if (!offered) return offered.error();
    profile.tools = std::move(*offered);
    profile.first_tools = tools::first_tools_of(agent);
    profile.max_output_tokens = agent.max_output_tokens;
    profile.output_level = agent.output_level;
    profile.tool_settings = agent.tool_settings;
    profile.permission = agent.permission;
    profile.data_sources = config::allowed_sources(config, agent);
    profile.on_unknown = agent.on_unknown;
    profile.tell_time = agent.tell_time;
    profile.time_zone = agent.time_zone;
    profile.price_reading = price_reading;
    profile.limits = apply_job_limits(configured_limits(config.limits), agent.limits);
    profiles.push_back(std::move(profile));
  }
  return driver::AgentDirectory(std::move(profiles), std::move(windows));
}

Result<std::unique_ptr<ConfiguredMeter>> ConfiguredMeter::of(const config::LoadedConfig& loaded) {
  const auto counters = config::text_counters(loaded);
  if (!counters) return counters.error();
  auto meter = std::make_unique<ConfiguredMeter>();
  for (const llm::ModelConfig& model : loaded.config.llm.models)
    meter->models_[model.name] = {
        counters->at(model.name),
        loaded.token_encoders.profiles.of(model.model_id).margin_millionths};
  return meter;
}

std::int64_t ConfiguredMeter::count(const std::string& model, std::string_view text) {
  return models_.at(model).count(text);
}

std::int64_t ConfiguredMeter::margin_millionths(const std::string& model) const {
  return models_.at(model).margin_millionths;
}

}  // namespace ba::runtime
