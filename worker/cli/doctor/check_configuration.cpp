// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/doctor/check.hpp"
#include "worker/config/descriptors.hpp"
#include "worker/config/text_counter.hpp"

namespace ba::cli {
namespace {

/// What only a change of the configuration can cure.
Check misconfigured(const char* name, const std::string& message, const char* remedy) {
  Check check = failed(name, message, remedy);
  check.exit_code = kExitConfiguration;
  return check;
}

Check check_models(const llm::LlmConfig& llm) {
  const char* name = "model configuration";
  const llm::ModelConfig* model = llm.model("");
  if (model == nullptr && llm.models.empty())
    return misconfigured(name, llm::kNoModel, llm::kNoModelRemedy);
  if (model == nullptr)
    return warned(name, "llm.default_model is not set",
                  "set it, or give every agent profile a model");
  const std::string shown = model->provider + "/" + model->model_id;
  if (!model->prices)
    return warned(
        name, "default model " + shown + " has no prices: costs will not be known",
        "set llm.models." + model->name + ".prices; all 0 for a model that costs nothing");
  return passed(name, "default model " + shown);
}

/// OTLP over HTTP has a port of its own.
bool looks_like_grpc(const std::string& endpoint) {
  return endpoint.find(":4317") != std::string::npos;
}

}  // namespace

Checks check_configuration(const config::LoadedConfig& loaded) {
  const char* name = "configuration";
  Checks checks;
  for (const std::string& error : loaded.findings.errors())
    checks.push_back(
        misconfigured(name, error, "correct it; `ba-agent config check` says when it is"));
  if (const auto counters = config::text_counters(loaded); !counters)
    checks.push_back(misconfigured(name, counters.error().message,
                                   "correct the file of encoders, or the file that it names"));
  for (const std::string& warning : loaded.findings.warnings())
    checks.push_back(warned(name, warning, ""));
  if (checks.empty())
    checks.push_back(
        passed(name, loaded.file.empty() ? "valid, no file" : "valid, " + loaded.file));
  checks.push_back(check_models(loaded.config.llm));
  if (looks_like_grpc(loaded.config.observability.otlp_endpoint))
    checks.push_back(warned("otlp endpoint", "port 4317 is that of gRPC; this is OTLP over HTTP",
                            "use port 4318"));
  return checks;
}

Checks check_descriptors(const config::Config& config, std::optional<std::uint64_t> limit) {
  const char* name = "file descriptors";
  if (!limit) return {};
  const std::uint64_t wanted = config::descriptors_wanted(config);
  const std::string message = "a process started here may open " + std::to_string(*limit) +
                              ", a worker with these settings may take " + std::to_string(wanted);
  if (*limit >= wanted) return {passed(name, message)};
  if (*limit >= config::kDescriptorsMin) return {warned(name, message, config::kDescriptorsRemedy)};
  return {failed(name,
                 message + " and doesn't start below " + std::to_string(config::kDescriptorsMin),
                 config::kDescriptorsRemedy)};
}

}  // namespace ba::cli
