#pragma once
// SPDX-License-Identifier: Apache-2.0
// One wire protocol, as pure conversions: a request to a body, a reply to a ModelReply. It is asked
// what it can do. No I/O, no clock; what is to be known from one request to the next has its
// RequestWriter; any thread. Each is a folder, and one row of protocols.cpp, which alone knows them
// all.
//
// Replies leave here with what the provider said: message, stop, raw_stop, model,
// provider_request_id (the body's id) and usage; the client adds the rest. A reply that breaks the
// protocol is an Error of code Protocol. Tool calls stand only in replies whose stop is ToolUse, or
// MaxTokens or Refusal, where they may be cut and must not be run.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/model/model_client.hpp"
#include "pipeline/text/message/json_view.hpp"
#include "worker/http/http_client.hpp"
#include "worker/http/sse_parser.hpp"
#include "worker/llm/llm_config.hpp"
#include "worker/llm/thinking_bonds.hpp"

namespace ba {
struct ClosedForm;
}  // namespace ba

namespace ba::llm {

struct ToolRules;
class CountForm;
class RequestWriter;

/// What a protocol says of itself: a table, so that nobody compares its name.
struct ProtocolTraits {
  std::string_view name;        ///< in the configuration, and in a ProviderExtra's origin
  std::string_view path;        ///< of its requests, below the base URL
  std::string_view owner_url;   ///< of who made it: the base URL where none is set
  std::string_view owner_key;   ///< the environment's variable with the key for it
  std::string_view owner;       ///< gen_ai.provider.name, by OpenTelemetry's conventions
  bool quirks_in_spans = true;  ///< there, a compatible server is named by its quirks instead

  // Settings that mean something to it.
  std::span<const std::string_view> api_versions = {};  ///< that it speaks; empty: it has none
  std::int64_t output_tokens_min = 1;                   ///< the least max_output_tokens
  bool thinking = false;                                ///< `thinking`
  bool strip_think = false;                             ///< `strip_think`
  bool text_tools = false;                              ///< `tool_calling: text`
  /// Servers differ in what they take of it: quirks, max_tokens_field, resend_reasoning.
  bool servers_differ = false;

  /// What a server speaks that doesn't speak this one; empty: all of them do that claim it.
  std::string_view plainer = {};
};

/// What a request says of the form of its answer.
struct StructuredOutput {
  bool native = false;
  bool strict = false;  ///< OpenAI: the schema is in the form that strict adherence asks for
};

/// Another protocol in which a provider's model does more. A sentence: `before` its id, and
/// `behind` it.
struct BetterProtocol {
  std::string_view name;
  std::string_view before;
  std::string_view behind;
};

/// Who counts the tokens of its requests.
struct Counting {
  const CountForm& own;                     ///< for a URL that doesn't say by its end what it takes
  std::span<const CountForm* const> named;  ///< that fit, by their names in the configuration
};

/// Where in its job the reply to a request will stand: what the ids of calls are made of where a
/// model gives none.
struct ReplyPlace {
  int round = 0;
  int step = 1;            ///< from 1, as in Position
  bool has_tools = false;  ///< the request offers tools
  /// These; none where the answer must fit a schema, which may look like a call.
  ToolSpecList tools{};
};

/// From the ids of the newest message that has a position; the defaults where none has.
ReplyPlace reply_place(const ModelRequest& request);

/// What a request that is about to be written, or a reply that is being read, belongs to.
struct ProtocolContext {
  const ProviderConfig& provider;
  const ModelConfig& model;
  const LlmLimits& limits;
  ReplyPlace place = {};                 ///< of the reply
  std::int64_t output_tokens_max = 0;    ///< what the request allows; 0: not known
  std::size_t loose_thoughts = 0;        ///< of the first so many messages: not sent
  const Error* known_refusal = nullptr;  ///< that refuses_always(); null: none is known
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
  virtual Result<bool> take(const http::SseEvent& event) = 0;

  /// The reply, after take() said so or when the stream has ended: a stream that broke off before
  /// the model's last word is a Protocol error.
  virtual Result<ProtocolReply> finish() = 0;
};

/// What isn't pure has an answer that suits most protocols.
class Protocol {
 public:
  virtual ~Protocol() = default;

  virtual const ProtocolTraits& traits() const = 0;
  std::string_view name() const { return traits().name; }
  std::string url(const ProviderConfig& provider) const;

  /// Credentials and version; not those that the configuration adds. Here: the key as a bearer.
  virtual http::HttpHeaders headers(const ProviderConfig& provider) const;

  /// The body of a request. InvalidArgument names the message that can't be sent.
  Result<std::string> request_body(const ModelRequest& request,
                                   const ProtocolContext& context) const;

  /// Writes this request, whose messages are valid, and those that go on from it. What `context`
  /// refers to must outlive the writer.
  virtual std::unique_ptr<RequestWriter> request_writer(const ModelRequest& request,
                                                        const ProtocolContext& context) const = 0;

  Result<ProtocolReply> read_reply(std::string_view body, const ProtocolContext& context) const;
  virtual std::unique_ptr<StreamReader> read_stream(const ProtocolContext& context) const = 0;

  /// A body that asks the same but avoids what `error` complained about, where there is a way.
  virtual std::optional<std::string> repaired_body(const Error& error, std::string_view body) const;

  /// Whether the model would refuse each request for the same: from then on it is known to the
  /// context of each, which is written without what was refused.
  virtual bool refuses_always(const Error& error) const;

  /// How its models tie what they thought to what stood before it.
  virtual ThinkingBonds::Rules thinking_rules(const ModelConfig& model) const;

  /// What its owner takes of a schema of this form.
  virtual StructuredOutput answer_form(const ClosedForm& form) const = 0;

  /// What the provider takes as a tool.
  virtual const ToolRules& tool_rules(const ProviderConfig& provider,
                                      const ModelConfig& model) const = 0;

  virtual Counting counting() const = 0;

  /// Who is known to count for this provider; null: nobody.
  virtual const CountForm* known_counter(const ProviderConfig& provider) const = 0;

  /// Why the model's temperature, which is set, is refused; empty: it isn't.
  virtual std::string_view temperature_fault(const ProviderConfig& provider,
                                             const ModelConfig& model) const;

  /// What the model's own reply would carry of a thought before this call (ProviderExtra::json).
  /// None: so short a question can have none.
  virtual std::optional<std::string> thought_beside(const ToolCall& call, std::string_view thought,
                                                    const ProviderConfig& provider,
                                                    const ModelConfig& model) const;

  /// In which this provider's model should be asked; none: it is asked well.
  virtual std::optional<BetterProtocol> better_protocol(const ProviderConfig& provider,
                                                        const ModelConfig& model) const;

 private:
  /// `body` is that of a reply with status 200.
  virtual Result<ProtocolReply> read_whole(JsonView body, const ProtocolContext& context) const = 0;
};

/// All there are, in the order in which messages name them. Each lives as long as the process.
std::span<const Protocol* const> protocols();

/// By its name in the configuration, in any case; null: there is none.
const Protocol* find_protocol(std::string_view name);

/// What the reply may take: as the request says, else as configured. The request's ceiling lowers
/// it, but not below what the model needs to think and to say anything.
std::int64_t output_tokens_max(const ModelRequest& request, const ModelConfig& model);

/// What each request to this provider carries: the protocol's headers, and those of the
/// configuration, which win.
http::HttpHeaders request_headers(const ProviderConfig& provider);

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

/// The way to a provider's server: its proxy, its authorities, the time for a connection.
http::HttpEndpointConfig provider_endpoint(const ProviderConfig& provider, std::string url,
                                           http::HttpHeaders headers);

}  // namespace ba::llm
