// SPDX-License-Identifier: Apache-2.0
#include "worker/config/llm_section.hpp"

#include <algorithm>

#include "worker/config/section_reader.hpp"
#include "worker/llm/protocol.hpp"

namespace ba {
namespace {

using settings::SectionReader;

constexpr std::int64_t kHourMs = 3'600'000;

enum class Tristate { Auto, On, Off };
constexpr EnumNames<Tristate, 5> kTristates{{{Tristate::Auto, "auto"},
                                             {Tristate::On, "on"},
                                             {Tristate::Off, "off"},
                                             {Tristate::On, "true"},
                                             {Tristate::Off, "false"}}};

void read_tristate(SectionReader& in, const char* key, std::optional<bool>& value) {
  Tristate choice = Tristate::Auto;
  in.choice(key, choice, kTristates);
  if (choice != Tristate::Auto) value = choice == Tristate::On;
}

void read_timeouts(SectionReader& in, LlmTimeouts& timeouts) {
  in.milliseconds("connect_ms", timeouts.connect, {1, kHourMs});
  in.milliseconds("first_byte_ms", timeouts.first_byte, {1, 24 * kHourMs});
  in.milliseconds("idle_ms", timeouts.idle, {1, 24 * kHourMs});
  in.milliseconds("total_ms", timeouts.total, {1, 24 * kHourMs});
}

void read_protocol(SectionReader& in, const Protocol*& protocol) {
  std::vector<std::pair<const Protocol*, std::string_view>> named;
  for (const Protocol* one : protocols()) named.emplace_back(one, one->name());
  in.choice("protocol", protocol, named);
}

void read_secret(SectionReader& in, const char* key, Secret& secret) {
  std::string text;
  in.secret(key, text);
  secret = Secret(std::move(text));
}

void read_provider(SectionReader& in, ProviderConfig& provider) {
  read_protocol(in, provider.protocol);
  provider.base_url = provider.protocol->traits().owner_url;
  in.text("base_url", provider.base_url);
  read_secret(in, "api_key", provider.api_key);
  in.text("api_version", provider.api_version);
  in.choice("quirks", provider.quirks, kLlmQuirksNames);
  in.boolean("streaming", provider.streaming);
  in.number("concurrency_max", provider.concurrency_max, {1, 100'000});
  in.number("queue_max", provider.queue_max, {0, 10'000'000});
  in.section("timeouts", [&](SectionReader& inner) { read_timeouts(inner, provider.timeouts); });
  std::map<std::string, std::string> headers;
  in.secret_map("headers", headers, [](std::string_view) { return true; });
  for (auto& [name, value] : headers) provider.headers[name] = Secret(std::move(value));
  in.choice("max_tokens_field", provider.max_tokens_field, kMaxTokensFieldNames);
  in.boolean("resend_reasoning", provider.resend_reasoning);
  read_tristate(in, "prompt_cache", provider.prompt_cache);
  in.choice("structured_output", provider.structured_output, kStructuredOutputModeNames);
  in.boolean("compression", provider.compression);
  in.text("proxy", provider.proxy);
  read_secret(in, "proxy_user", provider.proxy_user);
  read_secret(in, "proxy_password", provider.proxy_password);
  in.text("ca_file", provider.ca_file);
}

void read_price_list(SectionReader& in, ModelPrices& prices) {
  constexpr Bounds kPrice{0, 10'000'000'000};
  in.dollars("input_per_mtok_usd", prices.input, kPrice);
  in.dollars("output_per_mtok_usd", prices.output, kPrice);
  std::int64_t read = prices.input;
  std::int64_t write = prices.input;
  in.dollars("cache_read_per_mtok_usd", read, kPrice);
  in.dollars("cache_write_per_mtok_usd", write, kPrice);
  prices.cache_read = read;
  prices.cache_write = write;
  in.text("as_of", prices.as_of);
  if (in.lacks("input_per_mtok_usd") || in.lacks("output_per_mtok_usd"))
    in.error("", "prices need input_per_mtok_usd and output_per_mtok_usd");
}

/// A day, which begins at midnight UTC, or a moment.
void read_from(SectionReader& in, WallTime& from) {
  std::string text;
  in.text("from", text);
  const bool day = text.size() == std::string_view("2027-01-01").size();
  const auto moment = parse_rfc3339(day ? text + "T00:00:00Z" : text);
  if (moment)
    from = *moment;
  else
    in.error("from", "is '" + text +
                         "'; must be the day from which the prices count, as 2027-01-31 (from "
                         "midnight UTC), or a time, as 2027-01-31T08:00:00+01:00");
}

void read_prices(SectionReader& in, ModelConfig& model) {
  read_price_list(in, model.prices.emplace());
  in.list("changes", [&](SectionReader& inner) {
    PriceChange& change = model.price_changes.emplace_back();
    read_from(inner, change.from);
    read_price_list(inner, change.prices);
  });
}

void read_model(SectionReader& in, ModelConfig& model) {
  in.text("provider", model.provider);
  model.model_id = model.name;
  in.text("model_id", model.model_id);
  in.number("max_output_tokens", model.max_output_tokens, {1, 10'000'000});
  in.number("context_window", model.context_window, {1, 100'000'000});
  if (in.has("prices"))
    in.section("prices", [&](SectionReader& inner) { read_prices(inner, model); });
  else
    in.section("prices", [](SectionReader&) {});
  in.optional_real("temperature", model.temperature, 0, 2);
  if (in.has("thinking")) {
    in.section("thinking", [&](SectionReader& inner) {
      ThinkingConfig& thinking = model.thinking.emplace();
      inner.choice("mode", thinking.mode, kThinkingModeNames);
      inner.number("budget_tokens", thinking.budget_tokens, {0, 10'000'000});
    });
  } else {
    in.section("thinking", [](SectionReader&) {});
  }
  std::string effort;
  in.text("effort", effort);
  if (!effort.empty()) model.effort = effort;
  read_tristate(in, "parallel_tool_calls", model.parallel_tool_calls);
  in.choice("tool_calling", model.tool_calling, kToolCallingNames);
  in.choice("structured_output", model.structured_output, kStructuredOutputModeNames);
  in.boolean("strip_think", model.strip_think);
}

void read_retry(SectionReader& in, LlmRetry& retry) {
  in.number("tries_max", retry.tries_max, {1, 100});
  in.number("malformed_tries_max", retry.malformed_tries_max, {1, 100});
  in.milliseconds("initial_delay_ms", retry.initial_delay, {1, kHourMs});
  in.real("multiplier", retry.multiplier, 1, 100);
  in.milliseconds("max_delay_ms", retry.max_delay, {1, kHourMs});
  in.real("jitter", retry.jitter, 0, 1);
  in.milliseconds("retry_after_max_ms", retry.retry_after_max, {1, 24 * kHourMs});
  in.milliseconds("deadline_ms", retry.deadline, {1, 24 * kHourMs});
}

void read_reply_limits(SectionReader& in, LlmLimits& limits) {
  in.number("reply_bytes_max", limits.reply_bytes_max, llm_bounds::kReplyBytes);
  // Of a smaller reply, what isn't set is no larger.
  limits.event_bytes_max = std::min(limits.event_bytes_max, limits.reply_bytes_max);
  limits.tool_args_bytes_max = std::min(limits.tool_args_bytes_max, limits.reply_bytes_max);
  in.number("stream_bytes_max", limits.stream_bytes_max, llm_bounds::kReplyBytes);
  in.number("event_bytes_max", limits.event_bytes_max, llm_bounds::kReplyBytes);
  in.number("tool_calls_max", limits.tool_calls_max, {1, 10'000});
  in.number("tool_args_bytes_max", limits.tool_args_bytes_max, llm_bounds::kToolArgsBytes);
}

}  // namespace

void read_llm(SectionReader& in, LlmConfig& llm) {
  in.entries("providers", [&](const std::string& name, SectionReader& inner) {
    ProviderConfig& provider = llm.providers.emplace_back();
    provider.name = name;
    read_provider(inner, provider);
  });
  in.entries("models", [&](const std::string& name, SectionReader& inner) {
    ModelConfig& model = llm.models.emplace_back();
    model.name = name;
    read_model(inner, model);
  });
  if (llm.models.size() == 1) llm.default_model = llm.models.front().name;
  in.text("default_model", llm.default_model);
  in.section("retry", [&](SectionReader& inner) { read_retry(inner, llm.retry); });
  in.section("limits", [&](SectionReader& inner) { read_reply_limits(inner, llm.limits); });
}

}  // namespace ba
