#pragma once
// SPDX-License-Identifier: Apache-2.0
// A configured provider at work: its endpoint, the pause that one call's 429 or 529 makes for all
// of them, who is let in after it, and what it
// doesn't take any more. Owned by the client. Control thread only.

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "worker/http/http_client.hpp"
#include "worker/llm/llm_config.hpp"
#include "worker/llm/protocol.hpp"
#include "worker/llm/request_admission.hpp"

namespace ba {

class LlmProvider {
 public:
  static Result<std::unique_ptr<LlmProvider>> open(ProviderConfig config, const LlmLimits& limits,
                                                   HttpClient& http);

  const ProviderConfig& config() const { return config_; }
  const Protocol& protocol() const { return protocol_; }
  HttpEndpoint& endpoint() { return *endpoint_; }

  /// Nobody starts a request before `time`.
  void pause_until(SteadyTime time);
  SteadyTime paused_until() const { return paused_until_; }
  RequestAdmission& admission() { return admission_; }
  ThinkingBonds& thinking() { return thinking_; }

  /// What a model refuses in each request, so that a body is repaired before it is sent.
  void remember_refusal(const std::string& model, Error error);
  const Error* known_refusal(const std::string& model) const;  ///< null: none

 private:
  explicit LlmProvider(ProviderConfig config);

  ProviderConfig config_;
  const Protocol& protocol_;
  std::unique_ptr<HttpEndpoint> endpoint_;
  SteadyTime paused_until_{};
  RequestAdmission admission_;
  ThinkingBonds thinking_;
  std::map<std::string, Error> refusals_;  ///< by model
};

// How long to wait before a model is asked again, and whether to: the providers' own rules
// (x-should-retry, retry-after-ms, retry-after), else exponential back-off. Pure functions.

/// What the head of a failed reply adds to its error: retry_after, instead of one that the body
/// told, and the provider's word on whether to retry. Money that is spent stays spent whatever the
/// header says.
void apply_retry_headers(Error& error, const HttpHead& head, WallTime now);

/// The wait after try number `tries` (from 1) has failed with `error`; `random` is any 64 bits.
Milliseconds llm_retry_delay(const LlmRetry& retry, const Error& error, int tries,
                             std::uint64_t random);

}  // namespace ba
