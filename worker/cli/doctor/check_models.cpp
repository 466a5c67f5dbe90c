// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "worker/cli/doctor/check.hpp"
#include "worker/cli/wording.hpp"
#include "worker/llm/model_probe.hpp"

namespace ba {
namespace {

constexpr Milliseconds kPatience{10'000};

/// Configured models of this provider that its own list doesn't name.
std::string unlisted(const LlmConfig& llm, const ProviderConfig& provider,
                     const std::vector<std::string>& listed) {
  std::string out;
  for (const ModelConfig& model : llm.models) {
    if (model.provider != provider.name) continue;
    if (std::find(listed.begin(), listed.end(), model.model_id) != listed.end()) continue;
    out += (out.empty() ? "" : ", ") + model.model_id;
  }
  return out;
}

Check answered(const LlmConfig& llm, const ProviderConfig& provider, const ModelProbe& probe) {
  const std::string name = "provider " + provider.name;
  if (probe.models.empty()) return passed(name, provider.base_url + " answers");
  const std::string missing = unlisted(llm, provider, probe.models);
  if (missing.empty())
    return passed(name, provider.base_url + " answers and lists the configured models");
  // Single-model servers answer to any name.
  return warned(name, provider.base_url + " does not list " + missing,
                "correct model_id; it lists " + shortened(probe.models.front(), 60) +
                    (probe.models.size() > 1 ? ", …" : ""));
}

Check not_answered(const ProviderConfig& provider, const Error& error) {
  const std::string name = "provider " + provider.name;
  if (error.code == ErrorCode::Authentication)
    return failed(name, error, "set the right key (api_key, api_key_file or environment)");
  if (error.code == ErrorCode::Protocol)
    return warned(name, error.message + " to a question for its models",
                  "some servers have no such list; `ba-agent doctor --call` makes a real call");
  return failed(name, error, "start the server, or correct base_url, proxy or ca_file");
}

}  // namespace

Checks check_models(const Config& config) {
  Checks checks;
  for (const ProviderConfig& provider : config.llm.providers) {
    const auto probe = probe_models(provider, kPatience);
    checks.push_back(probe ? answered(config.llm, provider, *probe)
                           : not_answered(provider, probe.error()));
  }
  return checks;
}

Checks check_model_call(const LoadedConfig& loaded, const AskModel& ask) {
  const char* name = "model call";
  if (!ask) return {warned(name, "this program was built without what calls models", "")};
  if (loaded.config.llm.model("") == nullptr)
    return {failed(name, "there is no default model", "set llm.default_model")};
  const auto answer = ask(loaded);
  if (!answer) return {failed(name, answer.error(), "see the message; correct section llm")};
  return {passed(name, shortened(*answer, 100))};
}

}  // namespace ba
