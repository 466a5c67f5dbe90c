// SPDX-License-Identifier: Apache-2.0
#include "worker/config/environment_settings.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::config {
namespace {

using Path = std::vector<std::string>;

// What answers when only a key is given, and what it costs (price lists of November 2026).
constexpr const char* kAnthropicModel = "claude-sonnet-5-5";
constexpr const char* kOpenaiModel = "gpt-5.4";
constexpr const char* kUnnamedModel = "default";

settings::Origin origin_of(const char* variable) {
  return {settings::Origin::Kind::Environment, variable};
}

/// Sets one value from a variable, when the variable is set.
void copy(settings::Node& root, const Environment& environment, const char* variable,
          const Path& path) {
  if (auto value = environment.get(variable))
    settings::set_scalar(root, path, *value, origin_of(variable));
}

void name_model(settings::Node& root, const Environment& environment, const char* provider,
                const char* otherwise, const settings::Origin& origin) {
  const auto wanted = environment.get("BA_LLM_MODEL");
  const std::string model = wanted.value_or(otherwise);
  const settings::Origin from = wanted ? origin_of("BA_LLM_MODEL") : origin;
  settings::set_scalar(root, Path{"llm", "models", model, "provider"}, provider, from);
  settings::set_scalar(root, Path{"llm", "models", model, "model_id"}, model, from);
  settings::set_scalar(root, Path{"llm", "default_model"}, model, from);
}

void set_sonnet_prices(settings::Node& root, const settings::Origin& origin) {
  const Path prices{"llm", "models", kAnthropicModel, "prices"};
  const auto set = [&](const char* key, const char* value) {
    Path path = prices;
    path.emplace_back(key);
    settings::set_scalar(root, path, value, origin);
  };
  set("input_per_mtok_usd", "2");
  set("output_per_mtok_usd", "10");
  set("cache_read_per_mtok_usd", "0.2");
  set("cache_write_per_mtok_usd", "2.5");
  set("as_of", "2026-11");
}

void make_from_base_url(settings::Node& root, const Environment& environment) {
  const settings::Origin origin = origin_of("BA_LLM_BASE_URL");
  const Path provider{"llm", "providers", "environment"};
  const auto at = [&](const char* key) {
    Path path = provider;
    path.emplace_back(key);
    return path;
  };
  settings::set_scalar(root, at("protocol"), "openai_chat", origin);
  copy(root, environment, "BA_LLM_PROTOCOL", at("protocol"));
  copy(root, environment, "BA_LLM_BASE_URL", at("base_url"));
  copy(root, environment, "BA_LLM_API_KEY", at("api_key"));
  copy(root, environment, "BA_LLM_QUIRKS", at("quirks"));
  name_model(root, environment, "environment", kUnnamedModel, origin);
}

void make_anthropic(settings::Node& root, const Environment& environment) {
  const settings::Origin origin = origin_of("ANTHROPIC_API_KEY");
  settings::set_scalar(root, Path{"llm", "providers", "anthropic", "protocol"}, "anthropic",
                       origin);
  copy(root, environment, "ANTHROPIC_API_KEY", Path{"llm", "providers", "anthropic", "api_key"});
  name_model(root, environment, "anthropic", kAnthropicModel, origin);
  if (environment.get("BA_LLM_MODEL").value_or(kAnthropicModel) == kAnthropicModel)
    set_sonnet_prices(root, origin);
}

void make_openai(settings::Node& root, const Environment& environment) {
  const settings::Origin origin = origin_of("OPENAI_API_KEY");
  settings::set_scalar(root, Path{"llm", "providers", "openai", "protocol"}, "openai_responses",
                       origin);
  copy(root, environment, "OPENAI_API_KEY", Path{"llm", "providers", "openai", "api_key"});
  name_model(root, environment, "openai", kOpenaiModel, origin);
}

std::string scalar_of(const settings::Node& map, const char* key, const std::string& otherwise) {
  const settings::Node* node = map.find(key);
  return node != nullptr && node->kind == settings::Node::Kind::Scalar ? node->scalar : otherwise;
}

/// Gives a configured provider the usual key of its protocol's owner, when it talks to that owner:
/// such a key is sent nowhere else.
void lend_key(settings::Node& root, const Environment& environment,
              const settings::Entry& provider) {
  const std::string named(llm::default_protocol().name());
  const llm::Protocol* protocol = llm::find_protocol(scalar_of(provider.value, "protocol", named));
  if (protocol == nullptr) return;  // which is said where it is read
  const std::string owner(protocol->traits().owner_url);
  const std::string url = scalar_of(provider.value, "base_url", owner);
  const bool has_key =
      provider.value.find("api_key") != nullptr || provider.value.find("api_key_file") != nullptr;
  if (has_key || (url != owner && !url.starts_with(owner + "/"))) return;
  copy(root, environment, std::string(protocol->traits().owner_key).c_str(),
       Path{"llm", "providers", provider.key, "api_key"});
}

}  // namespace

void apply_llm_environment(settings::Node& root, const Environment& environment,
                           settings::Findings& findings) {
  settings::Node* llm = root.find("llm");
  settings::Node* providers = llm == nullptr ? nullptr : llm->find("providers");
  if (providers != nullptr) settings::open_flow_map(*providers);
  if (providers != nullptr && !providers->entries.empty()) {
    for (settings::Entry& provider : providers->entries) settings::open_flow_map(provider.value);
    const std::vector<settings::Entry> configured = providers->entries;
    for (const settings::Entry& provider : configured) lend_key(root, environment, provider);
    for (const char* variable : {"BA_LLM_BASE_URL", "BA_LLM_MODEL"})
      if (environment.get(variable))
        findings.warning(origin_of(variable), "", "is not used: the file configures llm.providers");
    return;
  }
  if (environment.get("BA_LLM_BASE_URL"))
    make_from_base_url(root, environment);
  else if (environment.get("ANTHROPIC_API_KEY"))
    make_anthropic(root, environment);
  else if (environment.get("OPENAI_API_KEY"))
    make_openai(root, environment);
}

}  // namespace ba::config
