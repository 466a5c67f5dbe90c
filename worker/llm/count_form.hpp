#pragma once
// SPDX-License-Identifier: Apache-2.0
// Who counts the tokens of a request, and how it is asked: the same for a worker and for commands.
// Counting costs nothing. Each form is one way to ask, a pure conversion without state, which lives
// as long as the process; those of a protocol are its request without what is only about the reply.
// Pure functions.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "worker/llm/protocol.hpp"

namespace ba::llm {

class CountForm {
 public:
  virtual ~CountForm() = default;

  /// In the configuration; empty: only a URL is asked in this form.
  virtual std::string_view name() const = 0;
  /// Of the URLs that take this form; empty: they have no end of their own.
  virtual std::string_view url_end() const = 0;
  /// At the provider's own server; only of a form with a name.
  virtual std::string url(const ProviderConfig& provider, const ModelConfig& model) const = 0;
  /// Of a question to the provider's own server. Here: those of its requests.
  virtual http::HttpHeaders headers(const ProviderConfig& provider, std::string_view url) const;

  /// A text as one message of a user.
  virtual std::string text_question(const std::string& model_id, std::string_view text) const = 0;

  /// A request. `url` is where it goes. InvalidArgument as of Protocol::request_body().
  virtual Result<std::string> request_question(const ModelRequest& request,
                                               const ProtocolContext& context,
                                               std::string_view url) const = 0;

  /// Whether it writes requests itself whose tools are called in the text.
  virtual bool writes_text_tools() const { return false; }
};

/// A protocol's own way to be asked.
struct ProtocolQuestion {
  std::string_view name = {};
  std::string_view url_end = {};
  std::string_view path = {};                 ///< below the base URL
  std::span<const std::string_view> members;  ///< that it takes of a request; it refuses others
  bool needs_schemas = true;                  ///< a tool without arguments has a schema, too
  bool text_tools = false;                    ///< writes_text_tools()
  std::string_view before_text;               ///< what stands around a text, in JSON
  std::string_view behind_text;
};

class ProtocolCountForm final : public CountForm {
 public:
  ProtocolCountForm(const Protocol& protocol, const ProtocolQuestion& question)
      : protocol_(protocol), question_(question) {}

  std::string_view name() const override { return question_.name; }
  std::string_view url_end() const override { return question_.url_end; }
  std::string url(const ProviderConfig& provider, const ModelConfig& model) const override;
  std::string text_question(const std::string& model_id, std::string_view text) const override;
  Result<std::string> request_question(const ModelRequest& request, const ProtocolContext& context,
                                       std::string_view url) const override;
  bool writes_text_tools() const override { return question_.text_tools; }

 private:
  const Protocol& protocol_;
  const ProtocolQuestion question_;
};

/// Gemini's own way (https://ai.google.dev/api/tokens): its models are asked for replies over
/// openai_chat, so what is sent is translated. At a base URL with or without the "/openai" or, at
/// Vertex AI, "/endpoints/openapi" of what is compatible with OpenAI's API.
const CountForm& gemini_count();

/// What a server answers that isn't trusted and wants to be.
inline constexpr const char* kNoKeySent =
    "wants a key; none is sent to another server than the provider's base_url";

/// Of an answer: vLLM's holds each token.
inline constexpr std::int64_t kCountAnswerBytesMax = 16 << 20;

struct CountApi {
  const CountForm* form = nullptr;
  std::string url;
  bool trusted =
      true;  ///< it is on the provider's own server: credentials go there, and only there

  friend bool operator==(const CountApi&, const CountApi&) = default;
};

/// "anthropic", "openai", "gemini", a URL, or "": what is known of the provider.
bool is_count_api(std::string_view named);

/// Who is asked about the model. A URL says by its end which form it takes (/count_tokens,
/// /input_tokens, :countTokens), else that of the provider's protocol is sent. InvalidArgument says
/// what doesn't fit, and what would.
Result<CountApi> count_api(const ProviderConfig& provider, const ModelConfig& model,
                           std::string_view named);

/// What each question carries.
http::HttpHeaders count_headers(const CountApi& api, const ProviderConfig& provider);

/// All that is sent with a request, without what is only about the reply. Of another form than the
/// provider's it is translated. InvalidArgument as of Protocol::request_body().
Result<std::string> request_to_count(const CountApi& api, const ModelRequest& request,
                                     const ProtocolContext& context);

/// The count in an answer, at least 0. Protocol: there is none.
Result<std::int64_t> read_count(std::string_view body);

}  // namespace ba::llm
