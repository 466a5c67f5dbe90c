// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "worker/cli/doctor/check.hpp"
#include "worker/cli/program/wording.hpp"
#include "worker/cli/skills/skill_warnings.hpp"
#include "worker/http/url.hpp"
#include "worker/llm/model_probe.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::cli {
namespace {

constexpr Milliseconds kPatience{10'000};

std::vector<const llm::ModelConfig*> models_of(const llm::LlmConfig& llm,
                                               const llm::ProviderConfig& provider) {
  std::vector<const llm::ModelConfig*> models;
  for (const llm::ModelConfig& model : llm.models)
    if (model.provider == provider.name) models.push_back(&model);
  return models;
}

/// Configured models of this provider that its own list doesn't name.
std::string unlisted(const llm::LlmConfig& llm, const llm::ProviderConfig& provider,
                     const llm::ModelProbe& probe) {
  std::string out;
  for (const llm::ModelConfig* model : models_of(llm, provider))
    if (probe.find(model->model_id, provider.quirks) == nullptr)
      out += (out.empty() ? "" : ", ") + model->model_id;
  return out;
}

Check answered(const llm::LlmConfig& llm, const llm::ProviderConfig& provider,
               const llm::ModelProbe& probe) {
  const std::string name = "provider " + provider.name;
  if (probe.models.empty())
    return passed(name, provider.base_url + " answers, " + http::protection_of(provider.base_url));
  const std::string missing = unlisted(llm, provider, probe);
  if (missing.empty())
    return passed(name, provider.base_url + " answers and lists the configured models, " +
                            http::protection_of(provider.base_url));
  // Single-model servers answer to any name.
  return warned(name, provider.base_url + " does not list " + missing,
                "correct model_id; it lists " + shortened(probe.models.front().id, 60) +
                    (probe.models.size() > 1 ? ", …" : ""));
}

bool is_called(const llm::LlmConfig& llm, const llm::ProviderConfig& provider,
               const std::set<std::string>& called) {
  return std::ranges::any_of(models_of(llm, provider), [&](const llm::ModelConfig* model) {
    return called.contains(model->name);
  });
}

/// `called`: a model of it is, which tells more.
Check not_answered(const llm::ProviderConfig& provider, const Error& error, bool called) {
  const std::string name = "provider " + provider.name;
  if (error.detail.starts_with("curl ") && error.retry == Retry::Never)  // it says what mends it
    return failed(name, error,
                  "see to base_url, proxy and ca_file in llm.providers." + provider.name);
  if (error.code == ErrorCode::Authentication)
    return failed(
        name, error,
        "set the right key (api_key, api_key_file or environment), or the headers that a gateway "
        "wants");
  if (error.code == ErrorCode::Protocol && called)
    return passed(name, error.message +
                            " to a question for its models, which some servers don't list; see "
                            "the call of its model");
  if (error.code == ErrorCode::Protocol)
    return warned(name, error.message + " to a question for its models",
                  "some servers have no such list; `ba-agent doctor --call` makes a real call");
  return failed(name, error, "start the server, or correct base_url, proxy or ca_file");
}

std::string how_to_raise(llm::LlmQuirks quirks) {
  switch (quirks) {
    case llm::LlmQuirks::None:
    case llm::LlmQuirks::Mistral:
      break;
    case llm::LlmQuirks::LlamaCpp:
      return "--ctx-size, which its slots share";
    case llm::LlmQuirks::Vllm:
      return "--max-model-len";
    case llm::LlmQuirks::Ollama:
      return "num_ctx in the Modelfile, or OLLAMA_CONTEXT_LENGTH; it cuts what is longer in "
             "silence";
  }
  return "its own setting";
}

Check compared(const llm::ModelConfig& model, const llm::ProviderConfig& provider,
               const llm::ServedContext& served) {
  const std::string name = "model " + model.name;
  const std::string both = "context_window " + std::to_string(model.context_window) +
                           ", the server takes " + std::to_string(served.tokens) + " (" +
                           served.said_by + ")";
  if (model.context_window <= served.tokens) return passed(name, both);
  return warned(name, both,
                "set llm.models." + model.name + ".context_window to " +
                    std::to_string(served.tokens) + ", or raise the server's (" +
                    how_to_raise(provider.quirks) + ")");
}

/// One for each model whose real context the server tells.
void check_contexts(const llm::LlmConfig& llm, const llm::ProviderConfig& provider,
                    const llm::ModelProbe& probe, Checks& checks) {
  for (const llm::ModelConfig* model : models_of(llm, provider)) {
    const auto served = llm::probe_context(provider, model->model_id, probe, kPatience);
    if (!served)
      checks.push_back(
          warned("model " + model->name,
                 "how long a conversation may be is not known: " + served.error().message,
                 "correct llm.providers." + provider.name + ".quirks or model_id"));
    else if (*served)
      checks.push_back(compared(*model, provider, **served));
  }
}

/// Models that should be asked over another protocol.
void check_better_protocol(const llm::LlmConfig& llm, const llm::ProviderConfig& provider,
                           Checks& checks) {
  for (const llm::ModelConfig* model : models_of(llm, provider)) {
    const auto better = provider.protocol->better_protocol(provider, *model);
    if (!better) continue;
    checks.push_back(warned(
        "model " + model->name,
        std::string(better->before) + shortened(model->model_id, 60) + std::string(better->behind),
        "set llm.providers." + provider.name + ".protocol to " + std::string(better->name)));
  }
}

/// What can be seen of a wrong protocol without paying for a call.
void check_protocol(const llm::LlmConfig& llm, const llm::ProviderConfig& provider,
                    Checks& checks) {
  check_better_protocol(llm, provider, checks);
  const llm::ProtocolTraits& protocol = provider.protocol->traits();
  if (protocol.plainer.empty()) return;
  const auto probe = llm::probe_protocol(provider, kPatience);
  if (probe || probe.error().code != ErrorCode::NotFound) return;
  checks.push_back(failed("provider " + provider.name + ", protocol", probe.error(),
                          "the server doesn't speak " + std::string(protocol.name) +
                              ": set llm.providers." + provider.name + ".protocol to " +
                              std::string(protocol.plainer) + ", or correct base_url"));
}

/// Whether a job can come that names no model, to an agent that names none.
bool needs_default(const config::AgentProfiles& agents) {
  return std::ranges::any_of(agents, [](const auto& agent) { return agent.second.model.empty(); });
}

}  // namespace

Checks check_models(const config::Config& config, const std::set<std::string>& called) {
  Checks checks;
  for (const llm::ProviderConfig& provider : config.llm.providers) {
    if (!http::is_http_url(provider.base_url)) {
      // It may hold a password, which curl would name.
      checks.push_back(failed("provider " + provider.name,
                              "was not asked: its base_url is not valid",
                              "correct llm.providers." + provider.name + ".base_url"));
      continue;
    }
    const auto probe = llm::probe_models(provider, kPatience);
    if (!probe) {
      checks.push_back(
          not_answered(provider, probe.error(), is_called(config.llm, provider, called)));
      if (probe.error().code == ErrorCode::Protocol) check_protocol(config.llm, provider, checks);
      continue;
    }
    checks.push_back(answered(config.llm, provider, *probe));
    check_protocol(config.llm, provider, checks);
    check_contexts(config.llm, provider, *probe, checks);
  }
  return checks;
}

std::set<std::string> models_in_use(const config::LoadedConfig& loaded) {
  const config::Config& config = loaded.config;
  std::set<std::string> named{config.llm.default_model, config.context.summary.model};
  for (const auto& [name, agent] : config.agents) named.insert(agent.model);
  for (const auto& [name, skill] : skills_of(loaded).skills) named.insert(skill->model);
  // Of a name that isn't there the configuration's errors tell.
  std::erase_if(named, [&](const std::string& name) {
    return name.empty() || config.llm.model(name) == nullptr;
  });
  return named;
}

Checks check_model_calls(const config::LoadedConfig& loaded, const std::set<std::string>& models,
                         const AskModel& ask) {
  if (!ask)
    return {warned("model call", "this program was built without the part that calls models", "")};
  Checks checks;
  if (loaded.config.llm.model("") == nullptr && needs_default(loaded.config.agents))
    checks.push_back(failed("model call", "there is no default model", "set llm.default_model"));
  for (const std::string& model : models) {
    const std::string name = "model call " + model;
    const auto answer = ask(loaded, model);
    checks.push_back(
        answer ? passed(name, shortened(*answer, 100))
               : failed(name, answer.error(),
                        "see the message; correct llm.models." + model + " or its provider"));
  }
  return checks;
}

}  // namespace ba::cli
