#pragma once
// SPDX-License-Identifier: Apache-2.0
// Configuration section `llm`: who is asked (providers), what they offer (models), how patiently.
// Values; parsing is worker/config's. validate() says what doesn't fit together.
// Keys in messages read llm.providers.<name>.<key> and llm.models.<name>.<key>.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/base/setting_problem.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/job/savings.hpp"
#include "pipeline/text/secret/secret.hpp"

namespace ba::llm {

class Protocol;

/// The first of protocols().
const Protocol& default_protocol();

/// Which compatible server answers, where it differs from the protocol's owner.
enum class LlmQuirks { None, LlamaCpp, Vllm, Ollama, Mistral };
inline constexpr EnumNames<LlmQuirks, 5> kLlmQuirksNames{{{LlmQuirks::None, "none"},
                                                          {LlmQuirks::LlamaCpp, "llama_cpp"},
                                                          {LlmQuirks::Vllm, "vllm"},
                                                          {LlmQuirks::Ollama, "ollama"},
                                                          {LlmQuirks::Mistral, "mistral"}}};

/// Name of the request field that bounds the output of openai_chat. Auto: max_completion_tokens
/// for quirks none, max_tokens for compatible servers.
enum class MaxTokensField { Auto, MaxTokens, MaxCompletionTokens };
inline constexpr EnumNames<MaxTokensField, 3> kMaxTokensFieldNames{
    {{MaxTokensField::Auto, "auto"},
     {MaxTokensField::MaxTokens, "max_tokens"},
     {MaxTokensField::MaxCompletionTokens, "max_completion_tokens"}}};

/// Whether a job's answer_schema is sent with requests, for the provider to hold the model to.
enum class StructuredOutputMode { Auto, Native, Off };
inline constexpr EnumNames<StructuredOutputMode, 3> kStructuredOutputModeNames{
    {{StructuredOutputMode::Auto, "auto"},
     {StructuredOutputMode::Native, "native"},
     {StructuredOutputMode::Off, "off"}}};

/// Of one try, by phase. All must be positive.
struct LlmTimeouts {
  Milliseconds connect{10'000};      ///< until the connection (with TLS) stands
  Milliseconds first_byte{300'000};  ///< until the reply's first byte; not streaming: all of it
  Milliseconds idle{60'000};         ///< between two pieces of the reply
  Milliseconds total{600'000};       ///< the whole try

  friend bool operator==(const LlmTimeouts&, const LlmTimeouts&) = default;
};

struct ProviderConfig {
  std::string name;
  const Protocol* protocol = &default_protocol();  ///< one of protocols(), never null
  std::string base_url;  ///< http(s)://host[:port][/path]; without a path, /v1 is added
  Secret api_key;        ///< empty: no credentials are sent
  std::string api_version = "2026-10-21";  ///< anthropic only; "2023-06-01" sends x-api-key
  LlmQuirks quirks = LlmQuirks::None;
  bool streaming = true;      ///< keep it on: without, a cancelled call goes on and is paid
  int concurrency_max = 256;  ///< requests in flight
  int queue_max = 100'000;    ///< calls that wait for one of those
  LlmTimeouts timeouts;
  std::map<std::string, Secret> headers;  ///< sent with each request, e.g. anthropic-beta
  MaxTokensField max_tokens_field = MaxTokensField::Auto;  ///< openai_chat only
  bool resend_reasoning = false;     ///< openai_chat: hand reasoning_content back with the history
  std::optional<bool> prompt_cache;  ///< anthropic: cache_control; default: on for quirks none
  /// Auto: native at the protocol's owner, else off. See structured_output().
  StructuredOutputMode structured_output = StructuredOutputMode::Auto;
  bool compression = false;  ///< ask for gzip replies
  std::string proxy;         ///< http(s)://host:port; empty: none, whatever the environment says
  Secret proxy_user;         ///< empty: nobody logs in at the proxy
  Secret proxy_password;     ///< Basic
  std::string ca_file;       ///< PEM of further trusted roots; empty: the system's

  friend bool operator==(const ProviderConfig&, const ProviderConfig&) = default;
};

/// Micro-dollars per million tokens: $3 per million is 3'000'000.
struct ModelPrices {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::optional<std::int64_t> cache_read;   ///< default: as input
  std::optional<std::int64_t> cache_write;  ///< default: as input
  std::string as_of;                        ///< date of the price list, for people

  friend bool operator==(const ModelPrices&, const ModelPrices&) = default;
};

/// Of input alone, each as it counts.
InputPrices input_prices(const ModelPrices& prices);

/// Other prices from a moment on. They count for replies that come then or later, until the next
/// change.
struct PriceChange {
  WallTime from{};
  ModelPrices prices;

  friend bool operator==(const PriceChange&, const PriceChange&) = default;
};

inline constexpr int kPriceChangesMax = 100;

enum class ThinkingMode { Adaptive, Enabled, Disabled };
inline constexpr EnumNames<ThinkingMode, 3> kThinkingModeNames{
    {{ThinkingMode::Adaptive, "adaptive"},
     {ThinkingMode::Enabled, "enabled"},
     {ThinkingMode::Disabled, "disabled"}}};

/// How a model of openai_chat calls tools: by the protocol's own means, or, where it has none, in
/// its text (`react_text`).
enum class ToolCalling { Native, Text };
inline constexpr EnumNames<ToolCalling, 2> kToolCallingNames{
    {{ToolCalling::Native, "native"}, {ToolCalling::Text, "text"}}};

/// anthropic: how much the model thinks before it answers.
struct ThinkingConfig {
  ThinkingMode mode = ThinkingMode::Adaptive;
  std::int64_t budget_tokens = 0;  ///< Enabled only: 1024 <= budget < max_output_tokens

  friend bool operator==(const ThinkingConfig&, const ThinkingConfig&) = default;
};

struct ModelConfig {
  std::string name;      ///< what jobs and profiles call it
  std::string provider;  ///< name of a ProviderConfig
  std::string model_id;  ///< the provider's own name of it
  std::int64_t max_output_tokens = 8'192;
  std::int64_t context_window = 200'000;
  std::optional<ModelPrices> prices;        ///< none: the cost of a call is not known (never 0)
  std::vector<PriceChange> price_changes;   ///< of `prices`, in order of time
  std::optional<double> temperature;        ///< 0..2; refused by anthropic 2026-10-21, and by
                                            ///< OpenAI's own models that reason
  std::optional<ThinkingConfig> thinking;   ///< anthropic only
  std::optional<std::string> effort;        ///< output_config.effort, reasoning_effort,
                                            ///< reasoning.effort
  std::optional<bool> parallel_tool_calls;  ///< default: the provider's
  ToolCalling tool_calling = ToolCalling::Native;
  StructuredOutputMode structured_output = StructuredOutputMode::Auto;  ///< Auto: the provider's
  bool strip_think = false;  ///< openai_chat: a leading <think>…</think> is thinking, not answer

  /// In force at that moment; null: not known.
  const ModelPrices* prices_at(WallTime moment) const;

  friend bool operator==(const ModelConfig&, const ModelConfig&) = default;
};

/// Retries of one call. Delay before try n + 1: what the provider asked for, else
/// initial_delay * multiplier^(n - 1), at most max_delay, less up to `jitter` of it.
struct LlmRetry {
  int tries_max = 6;            ///< the first one included; refusals without a cost don't count
  int malformed_tries_max = 2;  ///< of these, how many may end in a malformed reply
  Milliseconds initial_delay{500};
  double multiplier = 2.0;
  Milliseconds max_delay{30'000};
  double jitter = 0.25;                   ///< 0..1
  Milliseconds retry_after_max{300'000};  ///< a provider that asks for more ends the call
  Milliseconds deadline{1'200'000};       ///< all tries and waits of a call together

  friend bool operator==(const LlmRetry&, const LlmRetry&) = default;
};

namespace llm_bounds {
inline constexpr Bounds kReplyBytes{1024, 1 << 30};
inline constexpr Bounds kToolArgsBytes{2, 1 << 30};
}  // namespace llm_bounds

/// What a reply may hold; more is a malformed reply.
struct LlmLimits {
  std::int64_t reply_bytes_max = 8 << 20;    ///< of a body, decompressed, or of a streamed text
  std::int64_t stream_bytes_max = 64 << 20;  ///< of a streamed body: events cost more than text
  std::int64_t event_bytes_max = 4 << 20;    ///< of one streamed event, which may hold a whole call
  int tool_calls_max = 256;
  std::int64_t tool_args_bytes_max = 2 << 20;

  friend bool operator==(const LlmLimits&, const LlmLimits&) = default;
};

inline constexpr const char* kNoModel = "no model is configured";
inline constexpr const char* kNoModelRemedy =
    "set ANTHROPIC_API_KEY, OPENAI_API_KEY or BA_LLM_BASE_URL, or section llm";

struct LlmConfig {
  std::vector<ProviderConfig> providers;  ///< names are unique
  std::vector<ModelConfig> models;        ///< names are unique
  std::string default_model;              ///< name of the model where a job names none
  LlmRetry retry;
  LlmLimits limits;

  /// By name; "" finds the default model. Null: there is none.
  const ModelConfig* model(std::string_view name) const;
  const ProviderConfig* provider(std::string_view name) const;

  friend bool operator==(const LlmConfig&, const LlmConfig&) = default;
};

/// What is wrong between the values: the first problem of each provider, model and part.
std::vector<SettingProblem> validate(const LlmConfig& config);

}  // namespace ba::llm
