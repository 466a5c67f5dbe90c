#pragma once
// SPDX-License-Identifier: Apache-2.0
// Asking a language model, as a port. Adapters are in worker/llm, one per wire protocol; they own
// the retries of a call (one layer owns retries) and never let a malformed reply crash or hang.
// Control thread only.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "pipeline/core/job/savings.hpp"
#include "pipeline/core/model/request_memory.hpp"
#include "pipeline/core/tool/tool_spec_list.hpp"
#include "pipeline/text/message/message.hpp"

namespace ba {

/// What a provider says when it refuses a request as too long for the model, in the model's own
/// tokens.
struct ContextRefusal {
  std::optional<std::int64_t> limit;     ///< what the model takes; none: not told
  std::optional<std::int64_t> counted;   ///< what the request had; none: not told
  bool counted_output = false;           ///< `counted` has what the reply may take, too
  std::optional<std::int64_t> output{};  ///< what the reply might have taken; none: not told

  friend bool operator==(const ContextRefusal&, const ContextRefusal&) = default;
};

struct ModelRequest {
  std::string
      model;  ///< name of a configured model (configuration `models`), not the provider's id
  std::string system;                    ///< exact bytes, the same for a whole conversation
  ToolSpecList tools;                    ///< sorted by name
  std::vector<const Message*> messages;  ///< borrowed for the duration of ask() only
  std::int64_t max_output_tokens = 0;    ///< 0: the model's configured default
  std::int64_t output_ceiling = 0;       ///< and never more than that; 0: no bound
  Milliseconds timeout{0};               ///< all tries together; 0: the configured default
  std::uint64_t affinity = 0;            ///< calls with the same value prefer the same connection
  int price_reading = -1;                ///< of the configuration, whose prices count; -1: newest
  RequestMemory* memory = nullptr;  ///< of the requests before, which this one goes on; null: none
  std::size_t moved = 0;  ///< so many of the first stand behind others than when they were written
  bool aside = false;     ///< about the conversation, not the next step of it: a summary
  std::string answer_schema{};  ///< compact JSON that the final answer must fit; empty: any
};

enum class StopReason { EndTurn, ToolUse, MaxTokens, Refusal, ContextExceeded, Other };
std::string_view to_string(StopReason stop);

struct ModelReply {
  AiMessage message;  ///< meta is empty: the machine fills it in
  StopReason stop = StopReason::EndTurn;
  std::string raw_stop;  ///< the provider's own word
  /// Of ContextExceeded: the request was refused before anything was generated, and cost nothing.
  std::optional<ContextRefusal> refused;
  ContextRefusal told{};  ///< of ContextExceeded that was paid: what the provider says of lengths
  std::string provider;   ///< name of the configured provider
  std::string model;      ///< the model id that answered
  std::string provider_request_id;
  std::optional<std::int64_t> cost_micro_usd;  ///< none: no price is configured
  std::optional<InputPrices> input_prices;     ///< that the cost was reckoned with; likewise
  int tries = 1;
  int wasted_calls = 0;      ///< earlier tries that were announced as lost
  std::string request_hash;  ///< hex SHA-256 of the request body
  Milliseconds latency{0};
};

/// A failed call: the error after the last try.
struct ModelFailure {
  Error error;
  int tries = 0;
  int wasted_calls = 0;  ///< tries that were announced as lost
};

using ModelOutcome = std::variant<ModelReply, ModelFailure>;

/// What a call tells whoever asked, never from inside ask() or go_on().
struct ModelListener {
  /// Once, at the end.
  std::function<void(ModelOutcome)> done;

  /// A try that may have been paid was lost (timed out, cut). The call rests until go_on(), so that
  /// the loss can be made durable before money is spent again. Empty: the call goes on by itself.
  std::function<void()> lost;
};

/// A call under way. Destroying it closes the request: the listener hears nothing after that.
class ModelCall {
 public:
  virtual ~ModelCall() = default;

  /// After `lost`: tries again, or gives up.
  virtual void go_on() = 0;

  /// Whether a request is out, or may be, whose end has not been heard: given up now, it may have
  /// been paid for nothing. Not between two tries.
  virtual bool request_out() const = 0;
};

class ModelClient {
 public:
  virtual ~ModelClient() = default;

  [[nodiscard]] virtual std::unique_ptr<ModelCall> ask(const ModelRequest& request,
                                                       ModelListener listener) = 0;
};

/// What a call of a model would cost, as a port: for what is decided before it is made. The adapter
/// is the price book of worker/llm. Control thread only.
class CallPrices {
 public:
  virtual ~CallPrices() = default;

  /// In micro-dollars, as a reply with that usage is billed at that moment. None: no price is
  /// configured. `reading`: of the configuration, as ModelRequest::price_reading.
  virtual std::optional<std::int64_t> cost_of_call(const std::string& model, const Usage& usage,
                                                   int reading, WallTime moment) const = 0;

  /// Tokens that a reply may have of which nothing else is said; 0: that isn't known.
  virtual std::int64_t output_tokens_max(const std::string& model) const = 0;
};

}  // namespace ba
