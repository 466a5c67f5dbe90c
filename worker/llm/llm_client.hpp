#pragma once
// SPDX-License-Identifier: Apache-2.0
// The ModelClient of the program: takes a request to the configured provider, in its protocol, and
// owns the call's retries, deadline, limits and price. Control thread only.

#include <memory>

#include "pipeline/core/model/model_client.hpp"
#include "pipeline/core/port/clock.hpp"
#include "pipeline/core/port/executor.hpp"
#include "pipeline/core/port/random.hpp"
#include "worker/http/http_client.hpp"
#include "worker/llm/llm_config.hpp"
#include "worker/llm/price_book.hpp"

namespace ba::llm {

/// The ports the client works with; all outlive it.
struct LlmPorts {
  Executor& executor;
  const Clock& clock;
  Random& random;
  http::HttpClient& http;
  const PriceBook* prices = nullptr;  ///< null: the prices of the configuration
};

/// Fails when the configuration is invalid (see LlmConfig::validate).
Result<std::unique_ptr<ModelClient>> make_llm_client(LlmConfig config, LlmPorts ports);

}  // namespace ba::llm
