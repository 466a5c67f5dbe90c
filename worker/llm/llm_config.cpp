// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/llm_config.hpp"

#include <algorithm>
#include <set>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "pipeline/base/setting_problem.hpp"
#include "worker/http/url.hpp"
#include "worker/llm/protocol.hpp"

namespace ba::llm {
namespace {

constexpr std::int64_t kThinkingBudgetMin = 1024;  // the provider's own lower bound

/// What is wrong with one section; of that only the first is told, as the rest may follow from it.
class SectionChecks : public KeyChecks {
 public:
  SectionChecks(std::vector<SettingProblem>& told, std::string key)
      : KeyChecks(found_, std::move(key)), told_(told) {}
  SectionChecks(const SectionChecks&) = delete;
  SectionChecks& operator=(const SectionChecks&) = delete;
  ~SectionChecks() {
    if (!found_.empty()) told_.push_back(std::move(found_.front()));
  }

  /// Bounds that another setting gives.
  void in_range(std::int64_t value, std::int64_t low, std::int64_t high, const std::string& name) {
    refuse_unless(value >= low && value <= high, name, std::to_string(value),
                  "must be from " + std::to_string(low) + " to " + std::to_string(high));
  }

  /// `value` names one of what stands under `where`.
  void names_one(bool good, const std::string& name, const std::string& value,
                 const std::string& where, const std::vector<std::string>& known) {
    if (good) return;
    const auto near = nearest_word(value, known);
    found_.push_back({.kind = Kind::NoSuchName,
                      .key = key_of(name),
                      .value = value.empty() ? "" : "'" + value + "'",
                      .allowed = where + ": " + (known.empty() ? "(none)" : joined(known)),
                      .nearest = near ? "'" + *near + "'" : "",
                      .follows_from = {where}});
  }

 private:
  std::vector<SettingProblem> found_;
  std::vector<SettingProblem>& told_;
};

bool token_text(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return std::isalnum(c) != 0 || kMarks.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

void check_price_changes(const ModelConfig& model, SectionChecks& check) {
  const auto& changes = model.price_changes;
  check.in_range(static_cast<std::int64_t>(changes.size()), 0, kPriceChangesMax,
                 "prices.changes (how many)");
  check.refuse_unless(changes.empty() || model.prices, "prices.changes", "set",
                      "needs the prices before the first change too");
  for (std::size_t i = 1; i < changes.size(); ++i)
    check.refuse_unless(changes[i - 1].from < changes[i].from,
                        "prices.changes[" + std::to_string(i) + "].from",
                        to_rfc3339(changes[i].from), "must be later than the change before it");
}

bool header_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); });
}

void check_headers(const ProviderConfig& provider, SectionChecks& check) {
  for (const auto& [name, value] : provider.headers) {
    check.refuse_unless(token_text(name), "headers", name, "must be an HTTP header name");
    check.refuse_unless(header_value(value.reveal()), "headers." + name, value.masked(),
                        "must not contain control characters");
  }
  check.refuse_unless(header_value(provider.api_key.reveal()), "api_key", provider.api_key.masked(),
                      "must not contain control characters (a line end from a file?)");
}

/// "one or another".
template <typename Names>
std::string alternatives(const Names& names) {
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : " or ") + std::string(name);
  return all;
}

/// Which protocols take a setting: "is for protocol openai_chat; ".
std::string is_for(bool ProtocolTraits::*setting) {
  std::vector<std::string_view> names;
  for (const Protocol* protocol : protocols())
    if (protocol->traits().*setting) names.push_back(protocol->name());
  return "is for protocol " + alternatives(names) + "; ";
}

std::string in_quotes(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

template <typename Section>
const Section* find(const std::vector<Section>& sections, std::string_view name) {
  const auto at = std::find_if(sections.begin(), sections.end(),
                               [&](const Section& section) { return section.name == name; });
  return at == sections.end() ? nullptr : &*at;
}

template <typename Section>
std::vector<std::string> names_of(const std::vector<Section>& sections) {
  std::vector<std::string> names;
  for (const Section& section : sections) names.push_back(section.name);
  return names;
}

template <typename Section>
void check_names(const std::vector<Section>& sections, const std::string& key,
                 std::vector<SettingProblem>& problems) {
  SectionChecks check(problems, key);
  std::set<std::string_view> seen;
  for (const Section& section : sections) {
    check.refuse_unless(!section.name.empty(), "", section.name, "a name must not be empty");
    check.refuse_unless(seen.insert(section.name).second, "", section.name, "names must be unique");
  }
}

void check_provider(const ProviderConfig& provider, std::vector<SettingProblem>& problems) {
  SectionChecks check(problems, "llm.providers." + provider.name);
  check.refuse_unless(
      http::is_http_url(provider.base_url), "base_url", http::shown_url(provider.base_url),
      "must be http://host[:port][/path] or https://… without user, query or fragment");
  const auto versions = provider.protocol->traits().api_versions;
  check.refuse_unless(
      versions.empty() || std::ranges::find(versions, provider.api_version) != versions.end(),
      "api_version", provider.api_version, "must be " + alternatives(versions));
  check.refuse_unless(provider.proxy.empty() || http::is_http_url(provider.proxy), "proxy",
                      http::shown_url(provider.proxy),
                      std::string("must be empty or ") + http::kProxyForm);
  check.refuse_unless(!provider.proxy.empty() || provider.proxy_user.empty(), "proxy_user",
                      provider.proxy_user.masked(), "is for a proxy: set proxy too");
  check.refuse_unless(!provider.proxy_user.empty() || provider.proxy_password.empty(),
                      "proxy_password", provider.proxy_password.masked(), "set proxy_user too");
  check_headers(provider, check);
}

void check_model(const ModelConfig& model, const ProviderConfig& provider,
                 std::vector<SettingProblem>& problems) {
  SectionChecks check(problems, "llm.models." + model.name);
  check.refuse_unless(!model.model_id.empty(), "model_id", model.model_id, "must not be empty");
  const ProtocolTraits& takes = provider.protocol->traits();
  check.in_range(model.max_output_tokens, takes.output_tokens_min, model.context_window,
                 "max_output_tokens");
  if (model.temperature) {
    const std::string_view fault = provider.protocol->temperature_fault(provider, model);
    check.refuse_unless(fault.empty(), "temperature", in_quotes(*model.temperature),
                        std::string(fault));
  }
  if (model.thinking) {
    const ThinkingConfig& thinking = *model.thinking;
    check.refuse_unless(takes.thinking, "thinking", name_of(kThinkingModeNames, thinking.mode),
                        is_for(&ProtocolTraits::thinking) + "use effort here");
    if (thinking.mode == ThinkingMode::Enabled)
      check.in_range(thinking.budget_tokens, kThinkingBudgetMin, model.max_output_tokens - 1,
                     "thinking.budget_tokens");
  }
  check.refuse_unless(!model.strip_think || takes.strip_think, "strip_think", "true",
                      is_for(&ProtocolTraits::strip_think) + "leave it out");
  const bool text = model.tool_calling == ToolCalling::Text;
  check.refuse_unless(!text || takes.text_tools, "tool_calling", "text",
                      is_for(&ProtocolTraits::text_tools) + "leave it out");
  check.refuse_unless(!text || !model.parallel_tool_calls, "parallel_tool_calls", "on or off",
                      "means nothing with tool_calling text; leave it out");
  if (model.parallel_tool_calls)
    check.refuse_unless(provider.quirks != LlmQuirks::Ollama, "parallel_tool_calls",
                        *model.parallel_tool_calls ? "on" : "off",
                        "means nothing to Ollama (quirks ollama); leave it out");
  check_price_changes(model, check);
}

void check_retry(const LlmRetry& retry, std::vector<SettingProblem>& problems) {
  SectionChecks check(problems, "llm.retry");
  check.refuse_unless(retry.max_delay >= retry.initial_delay, "max_delay_ms",
                      std::to_string(retry.max_delay.count()) + "ms",
                      "must not be below initial_delay_ms");
}

void check_limits(const LlmLimits& limits, std::vector<SettingProblem>& problems) {
  SectionChecks check(problems, "llm.limits");
  check.in_range(limits.stream_bytes_max, limits.reply_bytes_max, llm_bounds::kReplyBytes.most,
                 "stream_bytes_max");
  check.in_range(limits.event_bytes_max, llm_bounds::kReplyBytes.least, limits.reply_bytes_max,
                 "event_bytes_max");
  check.in_range(limits.tool_args_bytes_max, llm_bounds::kToolArgsBytes.least,
                 limits.reply_bytes_max, "tool_args_bytes_max");
}

}  // namespace

std::vector<SettingProblem> validate(const LlmConfig& config) {
  std::vector<SettingProblem> problems;
  check_names(config.providers, "llm.providers", problems);
  check_names(config.models, "llm.models", problems);
  for (const ProviderConfig& provider : config.providers) check_provider(provider, problems);
  for (const ModelConfig& model : config.models) {
    const ProviderConfig* provider = config.provider(model.provider);
    SectionChecks check(problems, "llm.models." + model.name);
    check.names_one(provider != nullptr, "provider", model.provider, "llm.providers",
                    names_of(config.providers));
    if (provider != nullptr) check_model(model, *provider, problems);
  }
  SectionChecks(problems, "llm")
      .names_one(
          config.default_model.empty() || find(config.models, config.default_model) != nullptr,
          "default_model", config.default_model, "llm.models", names_of(config.models));
  check_retry(config.retry, problems);
  check_limits(config.limits, problems);
  return problems;
}

InputPrices input_prices(const ModelPrices& prices) {
  return {prices.input, prices.cache_read.value_or(prices.input),
          prices.cache_write.value_or(prices.input)};
}

const ModelPrices* ModelConfig::prices_at(WallTime moment) const {
  const auto later =
      std::find_if(price_changes.begin(), price_changes.end(),
                   [moment](const PriceChange& change) { return change.from > moment; });
  if (later != price_changes.begin()) return &std::prev(later)->prices;
  return prices ? &*prices : nullptr;
}

const ModelConfig* LlmConfig::model(std::string_view name) const {
  return find(models, name.empty() ? std::string_view(default_model) : name);
}

const ProviderConfig* LlmConfig::provider(std::string_view name) const {
  return find(providers, name);
}

}  // namespace ba::llm
