#pragma once
// SPDX-License-Identifier: Apache-2.0
// OpenAI's chat completions, as the many compatible servers speak them (llama.cpp, vLLM, Ollama).

#include "worker/llm/protocol.hpp"

namespace ba {

class OpenaiChatProtocol final : public Protocol {
 public:
  std::string url(const ProviderConfig& provider) const override;
  std::vector<std::pair<std::string, Secret>> headers(
      const ProviderConfig& provider) const override;
  Result<std::string> request_body(const ModelRequest& request,
                                   const ProtocolContext& context) const override;
  Result<ProtocolReply> read_reply(std::string_view body,
                                   const ProtocolContext& context) const override;
  std::unique_ptr<StreamReader> read_stream(const ProtocolContext& context) const override;
  Result<ProtocolReply> read_failure(int status, std::string_view body,
                                     const ProtocolContext& context) const override;
  std::optional<std::string> repaired_body(const Error& error,
                                           std::string_view body) const override;
  ThinkingBonds::Rules thinking_rules(const ModelConfig& model) const override;
  bool refuses_always(const Error& error) const override;
};

}  // namespace ba
