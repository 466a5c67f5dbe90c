// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/llm_config.hpp"

#include <algorithm>
#include <set>

#include "pipeline/base/joined.hpp"
#include "pipeline/base/nearest_word.hpp"
#include "worker/http/url.hpp"
#include "worker/llm/protocol.hpp"

namespace ba {
namespace {

constexpr std::int64_t kThinkingBudgetMin = 1024;  // the provider's own lower bound
constexpr std::int64_t kPriceMax = 10'000'000'000;
constexpr std::int64_t kTokensMax = 100'000'000;

/// Collects the first complaint about one section.
class Check {
 public:
  explicit Check(std::string prefix) : prefix_(std::move(prefix)) {}

  Check& require(bool good, std::string_view key, std::string_view value,
                 std::string_view allowed) {
    if (good || error_) return *this;
    error_ = invalid_argument(prefix_ + std::string(key) + " is '" + std::string(value) +
                              "': " + std::string(allowed));
    return *this;
  }

  /// `value` names one of what stands under `where`.
  Check& names_one(bool good, std::string_view key, std::string_view value,
                   const std::string& where, const std::vector<std::string>& known) {
    if (good || error_) return *this;
    const auto near = nearest_word(value, known);
    const std::string said = value.empty() ? "not set" : "'" + std::string(value) + "'";
    error_ = invalid_argument(prefix_ + std::string(key) + " is " + said + ": must name one of " +
                              where + ": " + (known.empty() ? "(none)" : joined(known)) +
                              (near ? "; did you mean '" + *near + "'?" : ""));
    return *this;
  }

  Check& in_range(std::int64_t value, std::int64_t low, std::int64_t high, std::string_view key) {
    return require(value >= low && value <= high, key, std::to_string(value),
                   "must be from " + std::to_string(low) + " to " + std::to_string(high));
  }

  Check& positive(Milliseconds value, std::string_view key) {
    return require(value.count() > 0, key, std::to_string(value.count()) + "ms",
                   "must be positive");
  }

  Result<void> result() const {
    if (error_) return *error_;
    return {};
  }

 private:
  std::string prefix_;
  std::optional<Error> error_;
};

bool token_text(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return std::isalnum(c) != 0 || kMarks.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

void check_prices(const ModelPrices& prices, const std::string& key, Check& check) {
  check.in_range(prices.input, 0, kPriceMax, key + "input_per_mtok_usd");
  check.in_range(prices.output, 0, kPriceMax, key + "output_per_mtok_usd");
  check.in_range(prices.cache_read.value_or(0), 0, kPriceMax, key + "cache_read_per_mtok_usd");
  check.in_range(prices.cache_write.value_or(0), 0, kPriceMax, key + "cache_write_per_mtok_usd");
}

void check_price_changes(const ModelConfig& model, Check& check) {
  const auto& changes = model.price_changes;
  check.in_range(static_cast<std::int64_t>(changes.size()), 0, kPriceChangesMax,
                 "prices.changes (how many)");
  check.require(changes.empty() || model.prices, "prices.changes", "set",
                "needs the prices before the first change too");
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::string key = "prices.changes[" + std::to_string(i) + "].";
    check_prices(changes[i].prices, key, check);
    check.require(i == 0 || changes[i - 1].from < changes[i].from, key + "from",
                  to_rfc3339(changes[i].from), "must be later than the change before it");
  }
}

bool header_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); });
}

void check_headers(const ProviderConfig& provider, Check& check) {
  for (const auto& [name, value] : provider.headers) {
    check.require(token_text(name), "headers", name, "must be an HTTP header name");
    check.require(header_value(value.reveal()), "headers." + name, value.masked(),
                  "must not contain control characters");
  }
  check.require(header_value(provider.api_key.reveal()), "api_key", provider.api_key.masked(),
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
Result<void> check_names(const std::vector<Section>& sections, const std::string& key) {
  std::set<std::string_view> seen;
  for (const Section& section : sections) {
    Check check(key);
    check.require(!section.name.empty(), "", section.name, "a name must not be empty");
    check.require(seen.insert(section.name).second, "", section.name, "names must be unique");
    if (auto result = check.result(); !result) return result;
  }
  return {};
}

}  // namespace

Result<void> validate(const ProviderConfig& provider) {
  Check check("llm.providers." + provider.name + ".");
  check.require(is_http_url(provider.base_url), "base_url", shown_url(provider.base_url),
                "must be http://host[:port][/path] or https://… without user, query or fragment");
  const auto versions = provider.protocol->traits().api_versions;
  check.require(
      versions.empty() || std::ranges::find(versions, provider.api_version) != versions.end(),
      "api_version", provider.api_version, "must be " + alternatives(versions));
  check.in_range(provider.concurrency_max, 1, 100'000, "concurrency_max");
  check.in_range(provider.queue_max, 0, 10'000'000, "queue_max");
  check.positive(provider.timeouts.connect, "timeouts.connect_ms");
  check.positive(provider.timeouts.first_byte, "timeouts.first_byte_ms");
  check.positive(provider.timeouts.idle, "timeouts.idle_ms");
  check.positive(provider.timeouts.total, "timeouts.total_ms");
  check.require(provider.proxy.empty() || is_http_url(provider.proxy), "proxy",
                shown_url(provider.proxy), std::string("must be empty or ") + kProxyForm);
  check.require(!provider.proxy.empty() || provider.proxy_user.empty(), "proxy_user",
                provider.proxy_user.masked(), "is for a proxy: set proxy too");
  check.require(!provider.proxy_user.empty() || provider.proxy_password.empty(), "proxy_password",
                provider.proxy_password.masked(), "set proxy_user too");
  check_headers(provider, check);
  return check.result();
}

Result<void> validate(const ModelConfig& model, const ProviderConfig& provider) {
  Check check("llm.models." + model.name + ".");
  check.require(!model.model_id.empty(), "model_id", model.model_id, "must not be empty");
  check.in_range(model.context_window, 1, kTokensMax, "context_window");
  const ProtocolTraits& takes = provider.protocol->traits();
  check.in_range(model.max_output_tokens, takes.output_tokens_min, model.context_window,
                 "max_output_tokens");
  if (model.temperature) {
    const std::string value = in_quotes(*model.temperature);
    check.require(*model.temperature >= 0 && *model.temperature <= 2, "temperature", value,
                  "must be from 0 to 2");
    const std::string_view fault = provider.protocol->temperature_fault(provider, model);
    check.require(fault.empty(), "temperature", value, fault);
  }
  if (model.thinking) {
    const ThinkingConfig& thinking = *model.thinking;
    check.require(takes.thinking, "thinking", name_of(kThinkingModeNames, thinking.mode),
                  is_for(&ProtocolTraits::thinking) + "use effort here");
    if (thinking.mode == ThinkingMode::Enabled)
      check.in_range(thinking.budget_tokens, kThinkingBudgetMin, model.max_output_tokens - 1,
                     "thinking.budget_tokens");
  }
  check.require(!model.strip_think || takes.strip_think, "strip_think", "true",
                is_for(&ProtocolTraits::strip_think) + "leave it out");
  const bool text = model.tool_calling == ToolCalling::Text;
  check.require(!text || takes.text_tools, "tool_calling", "text",
                is_for(&ProtocolTraits::text_tools) + "leave it out");
  check.require(!text || !model.parallel_tool_calls, "parallel_tool_calls", "on or off",
                "means nothing with tool_calling text; leave it out");
  if (model.parallel_tool_calls)
    check.require(provider.quirks != LlmQuirks::Ollama, "parallel_tool_calls",
                  *model.parallel_tool_calls ? "on" : "off",
                  "means nothing to Ollama (quirks ollama); leave it out");
  if (model.prices) check_prices(*model.prices, "prices.", check);
  check_price_changes(model, check);
  return check.result();
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

Result<void> validate(const LlmRetry& retry) {
  Check check("llm.retry.");
  check.in_range(retry.tries_max, 1, 100, "tries_max");
  check.in_range(retry.malformed_tries_max, 1, 100, "malformed_tries_max");
  check.positive(retry.initial_delay, "initial_delay_ms");
  check.require(retry.multiplier >= 1, "multiplier", in_quotes(retry.multiplier),
                "must be 1 or more");
  check.require(retry.max_delay >= retry.initial_delay, "max_delay_ms",
                std::to_string(retry.max_delay.count()) + "ms",
                "must not be below initial_delay_ms");
  check.require(retry.jitter >= 0 && retry.jitter <= 1, "jitter", in_quotes(retry.jitter),
                "must be from 0 to 1");
  check.positive(retry.retry_after_max, "retry_after_max_ms");
  check.positive(retry.deadline, "deadline_ms");
  return check.result();
}

Result<void> validate(const LlmLimits& limits) {
  Check check("llm.limits.");
  check.in_range(limits.reply_bytes_max, 1024, 1 << 30, "reply_bytes_max");
  check.in_range(limits.stream_bytes_max, limits.reply_bytes_max, std::int64_t{1} << 32,
                 "stream_bytes_max");
  check.in_range(limits.event_bytes_max, 1024, limits.reply_bytes_max, "event_bytes_max");
  check.in_range(limits.tool_calls_max, 1, 10'000, "tool_calls_max");
  check.in_range(limits.tool_args_bytes_max, 2, limits.reply_bytes_max, "tool_args_bytes_max");
  return check.result();
}

std::vector<std::string> LlmConfig::problems() const {
  std::vector<std::string> all;
  const auto take = [&](const Result<void>& result) {
    if (!result) all.push_back(result.error().message);
  };
  take(check_names(providers, "llm.providers"));
  take(check_names(models, "llm.models"));
  for (const ProviderConfig& provider : providers) take(ba::validate(provider));
  for (const ModelConfig& entry : models) {
    const ProviderConfig* of = provider(entry.provider);
    Check check("llm.models." + entry.name + ".");
    check.names_one(of != nullptr, "provider", entry.provider, "llm.providers",
                    names_of(providers));
    take(of == nullptr ? check.result() : ba::validate(entry, *of));
  }
  Check check("llm.");
  check.names_one(default_model.empty() || find(models, default_model) != nullptr, "default_model",
                  default_model, "llm.models", names_of(models));
  take(check.result());
  take(ba::validate(retry));
  take(ba::validate(limits));
  return all;
}

Result<void> LlmConfig::validate() const {
  const std::vector<std::string> all = problems();
  if (!all.empty()) return invalid_argument(all.front());
  return {};
}

const ModelConfig* LlmConfig::model(std::string_view name) const {
  return find(models, name.empty() ? std::string_view(default_model) : name);
}

const ProviderConfig* LlmConfig::provider(std::string_view name) const {
  return find(providers, name);
}

}  // namespace ba
