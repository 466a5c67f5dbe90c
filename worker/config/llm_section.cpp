// SPDX-License-Identifier: Apache-2.0
#include "worker/config/adapter_sections.hpp"

#include <algorithm>

#include "pipeline/base/assert.hpp"
#include "worker/llm/protocol.hpp"
#include "worker/settings/section_reader.hpp"

namespace ba::config {
namespace {

using settings::SectionReader;

constexpr std::int64_t kHourMs = 3'600'000;

/// Beside "auto", where none is fixed.
constexpr EnumNames<bool, 4> kOnOff{
    {{true, "on"}, {false, "off"}, {true, "true"}, {false, "false"}}};

void read_timeouts(SectionReader& in, llm::LlmTimeouts& timeouts) {
  in.read("connect_ms", timeouts.connect, {1, kHourMs});
  in.read("first_byte_ms", timeouts.first_byte, {1, 24 * kHourMs});
  in.read("idle_ms", timeouts.idle, {1, 24 * kHourMs});
  in.read("total_ms", timeouts.total, {1, 24 * kHourMs});
}

void read_protocol(SectionReader& in, const llm::Protocol*& protocol) {
  settings::NamedThings<const llm::Protocol*> named;
  for (const llm::Protocol* one : llm::protocols()) named.emplace_back(one, one->name());
  in.read("protocol", protocol, named);
}

void read_provider(SectionReader& in, llm::ProviderConfig& provider) {
  read_protocol(in, provider.protocol);
  provider.base_url = provider.protocol->traits().owner_url;
  in.read("base_url", provider.base_url);
  in.read("api_key", provider.api_key);
  in.read("api_version", provider.api_version);
  in.read("quirks", provider.quirks, llm::kLlmQuirksNames);
  in.read("streaming", provider.streaming);
  in.read("concurrency_max", provider.concurrency_max, {1, 100'000});
  in.read("queue_max", provider.queue_max, {0, 10'000'000});
  in.section("timeouts", [&](SectionReader& inner) { read_timeouts(inner, provider.timeouts); });
  in.read("headers", provider.headers);
  in.read("max_tokens_field", provider.max_tokens_field, llm::kMaxTokensFieldNames);
  in.read("resend_reasoning", provider.resend_reasoning);
  in.read("prompt_cache", provider.prompt_cache, kOnOff);
  in.read("structured_output", provider.structured_output, llm::kStructuredOutputModeNames);
  in.read("compression", provider.compression);
  in.read("proxy", provider.proxy);
  in.read("proxy_user", provider.proxy_user);
  in.read("proxy_password", provider.proxy_password);
  in.read("ca_file", provider.ca_file);
}

void read_price_list(SectionReader& in, llm::ModelPrices& prices) {
  constexpr Bounds kPrice{0, 10'000'000'000};
  in.read("input_per_mtok_usd", settings::Dollars{prices.input}, kPrice);
  in.read("output_per_mtok_usd", settings::Dollars{prices.output}, kPrice);
  std::int64_t read = prices.input;
  std::int64_t write = prices.input;
  in.read("cache_read_per_mtok_usd", settings::Dollars{read}, kPrice);
  in.read("cache_write_per_mtok_usd", settings::Dollars{write}, kPrice);
  prices.cache_read = read;
  prices.cache_write = write;
  in.read("as_of", prices.as_of);
  if (in.lacks("input_per_mtok_usd") || in.lacks("output_per_mtok_usd"))
    in.error("", SectionReader::Kind::Missing,
             "prices need input_per_mtok_usd and output_per_mtok_usd");
}

/// A day, which begins at midnight UTC, or a moment.
void read_from(SectionReader& in, WallTime& from) {
  std::string text;
  in.read("from", text);
  const bool day = text.size() == std::string_view("2027-01-01").size();
  const auto moment = parse_rfc3339(day ? text + "T00:00:00Z" : text);
  if (moment)
    from = *moment;
  else
    in.refuse("from",
              {.kind = SectionReader::Kind::NotAllowed,
               .value = "'" + text + "'",
               .allowed = "the day from which the prices count, as 2027-01-31 (from midnight "
                          "UTC), or a time, as 2027-01-31T08:00:00+01:00"});
}

void read_prices(SectionReader& in, llm::ModelConfig& model) {
  read_price_list(in, model.prices.emplace());
  in.list("changes", [&](SectionReader& inner) {
    llm::PriceChange& change = model.price_changes.emplace_back();
    read_from(inner, change.from);
    read_price_list(inner, change.prices);
  });
}

void read_model(SectionReader& in, llm::ModelConfig& model) {
  in.read("provider", model.provider);
  model.model_id = model.name;
  in.read("model_id", model.model_id);
  in.read("max_output_tokens", model.max_output_tokens, {1, 10'000'000});
  in.read("context_window", model.context_window, {1, 100'000'000});
  if (in.wants("prices"))
    in.section("prices", [&](SectionReader& inner) { read_prices(inner, model); });
  in.read("temperature", model.temperature, settings::RealBounds{0, 2});
  if (in.wants("thinking"))
    in.section("thinking", [&](SectionReader& inner) {
      llm::ThinkingConfig& thinking = model.thinking.emplace();
      inner.read("mode", thinking.mode, llm::kThinkingModeNames);
      inner.read("budget_tokens", thinking.budget_tokens, {0, 10'000'000});
    });
  std::string effort;
  in.read("effort", effort);
  if (!effort.empty()) model.effort = effort;
  in.read("parallel_tool_calls", model.parallel_tool_calls, kOnOff);
  in.read("tool_calling", model.tool_calling, llm::kToolCallingNames);
  in.read("structured_output", model.structured_output, llm::kStructuredOutputModeNames);
  in.read("strip_think", model.strip_think);
}

void read_retry(SectionReader& in, llm::LlmRetry& retry) {
  in.read("tries_max", retry.tries_max, {1, 100});
  in.read("malformed_tries_max", retry.malformed_tries_max, {1, 100});
  in.read("initial_delay_ms", retry.initial_delay, {1, kHourMs});
  in.read("multiplier", retry.multiplier, settings::RealBounds{1, 100});
  in.read("max_delay_ms", retry.max_delay, {1, kHourMs});
  in.read("jitter", retry.jitter, settings::RealBounds{0, 1});
  in.read("retry_after_max_ms", retry.retry_after_max, {1, 24 * kHourMs});
  in.read("deadline_ms", retry.deadline, {1, 24 * kHourMs});
}

void read_reply_limits(SectionReader& in, llm::LlmLimits& limits) {
  in.read("reply_bytes_max", limits.reply_bytes_max, llm::llm_bounds::kReplyBytes);
  // Of a smaller reply, what isn't set is no larger.
  limits.event_bytes_max = std::min(limits.event_bytes_max, limits.reply_bytes_max);
  limits.tool_args_bytes_max = std::min(limits.tool_args_bytes_max, limits.reply_bytes_max);
  in.read("stream_bytes_max", limits.stream_bytes_max, llm::llm_bounds::kReplyBytes);
  in.read("event_bytes_max", limits.event_bytes_max, llm::llm_bounds::kReplyBytes);
  in.read("tool_calls_max", limits.tool_calls_max, {1, 10'000});
  in.read("tool_args_bytes_max", limits.tool_args_bytes_max, llm::llm_bounds::kToolArgsBytes);
}

}  // namespace

void read_llm(SectionReader& in, llm::LlmConfig& llm) {
  in.entries("providers", [&](const std::string& name, SectionReader& inner) {
    llm::ProviderConfig& provider = llm.providers.emplace_back();
    provider.name = name;
    read_provider(inner, provider);
  });
  in.entries("models", [&](const std::string& name, SectionReader& inner) {
    llm::ModelConfig& model = llm.models.emplace_back();
    model.name = name;
    read_model(inner, model);
  });
  if (llm.models.size() == 1) llm.default_model = llm.models.front().name;
  in.read("default_model", llm.default_model);
  in.section("retry", [&](SectionReader& inner) { read_retry(inner, llm.retry); });
  in.section("limits", [&](SectionReader& inner) { read_reply_limits(inner, llm.limits); });
}

}  // namespace ba::config
