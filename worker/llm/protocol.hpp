#pragma once
// SPDX-License-Identifier: Apache-2.0
// One wire protocol, as pure conversions: a request to a body, a reply to a ModelReply, a failure
// to an Error. No I/O, no clock, no state between calls. Implementations: anthropic/, openai_chat/,
// openai_responses/.
//
// Replies leave here with what the provider said: message, stop, raw_stop, model,
// provider_request_id (the body's id) and usage; the client adds the rest. A reply that breaks the
// protocol is an Error of code Protocol. Tool calls stand only in replies whose stop is ToolUse, or
// MaxTokens or Refusal, where they may be cut and must not be run.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/model/model_client.hpp"
#include "worker/http/sse_parser.hpp"
#include "worker/llm/llm_config.hpp"
#include "worker/llm/reply_place.hpp"
#include "worker/llm/thinking_bonds.hpp"

namespace ba {

/// What a request that is about to be written, or a reply that is being read, belongs to.
struct ProtocolContext {
  const ProviderConfig& provider;
  const ModelConfig& model;
  const LlmLimits& limits;
  ReplyPlace place = {};               ///< of the reply
  std::int64_t output_tokens_max = 0;  ///< what the request allows; 0: not known
  std::size_t loose_thoughts = 0;      ///< of the first so many messages: not sent
};

/// A reply, and whether the provider told what it used (without that the cost is not known).
struct ProtocolReply {
  ModelReply reply;
  bool usage_known = false;
};

/// Reads one streamed reply. Owned by one call.
class StreamReader {
 public:
  virtual ~StreamReader() = default;

  /// Takes an event; the value true means that the reply is complete. Errors: what the provider
  /// reported inside the stream, or Protocol.
  virtual Result<bool> take(const SseEvent& event) = 0;

  /// The reply, after take() said so or when the stream has ended: a stream that broke off before
  /// the model's last word is a Protocol error.
  virtual Result<ProtocolReply> finish() = 0;
};

class Protocol {
 public:
  virtual ~Protocol() = default;

  virtual std::string url(const ProviderConfig& provider) const = 0;
  /// Credentials and version; not those that the configuration adds.
  virtual std::vector<std::pair<std::string, Secret>> headers(
      const ProviderConfig& provider) const = 0;

  /// The body of a request. InvalidArgument names the message that can't be sent.
  virtual Result<std::string> request_body(const ModelRequest& request,
                                           const ProtocolContext& context) const = 0;

  virtual Result<ProtocolReply> read_reply(std::string_view body,
                                           const ProtocolContext& context) const = 0;
  virtual std::unique_ptr<StreamReader> read_stream(const ProtocolContext& context) const = 0;

  /// What a status other than 200 means. A refusal because the conversation is too long for the
  /// model is a reply with stop ContextExceeded and no usage.
  virtual Result<ProtocolReply> read_failure(int status, std::string_view body,
                                             const ProtocolContext& context) const = 0;

  /// A body that asks the same but avoids what `error` complained about, where there is a way.
  virtual std::optional<std::string> repaired_body(const Error& error,
                                                   std::string_view body) const = 0;

  /// How its models tie what they thought to what stood before it.
  virtual ThinkingBonds::Rules thinking_rules(const ModelConfig& model) const = 0;

  /// Whether the model would refuse each request for the same: one that is repaired once is
  /// repaired before it is sent from then on.
  virtual bool refuses_always(const Error& error) const = 0;
};

/// What the reply may take: as the request says, else as configured. The request's ceiling lowers
/// it, but not below what the model needs to think and to say anything.
std::int64_t output_tokens_max(const ModelRequest& request, const ModelConfig& model);

const Protocol& protocol_of(LlmProtocol protocol);

/// What each request to this provider carries: the protocol's headers, and those of the
/// configuration, which win.
std::vector<std::pair<std::string, Secret>> request_headers(const ProviderConfig& provider);

/// Who writes a ProviderExtra, and the only one it goes back to: "anthropic/main". Another provider
/// of the same protocol can't read its signatures.
std::string extra_origin(const ProviderConfig& provider);

/// Error of code LimitExceeded: the reply is longer than llm.limits.reply_bytes_max. It was paid,
/// and asked again it would be as long: never tried again. `what` begins the message: "the body
/// is".
Error too_long_reply(std::string_view what, const LlmLimits& limits);

/// Error of code Protocol: the provider answered what it should not. Worth one more try, and
/// possibly paid.
Error malformed_reply(std::string what);

}  // namespace ba
