#pragma once
// SPDX-License-Identifier: Apache-2.0
// One way to ask for the tokens of a request. Pure conversions without state; each lives as long as
// the process. Those of a protocol are its request without what is only about the reply.

#include <span>
#include <string>
#include <string_view>

#include "worker/llm/protocol.hpp"

namespace ba {

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
  virtual HttpHeaders headers(const ProviderConfig& provider, std::string_view url) const;

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

}  // namespace ba
