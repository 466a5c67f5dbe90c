#pragma once
// SPDX-License-Identifier: Apache-2.0
// The ExactCounter of the program: asks providers for the tokens of requests, over HTTP. One try, a
// short time-out, an answer of bounded size; the same request is asked about once. A provider that
// fails isn't asked for a while, so that its jobs don't wait for it at each step. Control thread
// only.

#include <map>
#include <memory>
#include <string>

#include "pipeline/core/model/exact_counter.hpp"
#include "worker/llm/count_form.hpp"
#include "worker/llm/llm_client.hpp"

namespace ba::llm {

/// Pause after a provider didn't count.
inline constexpr Milliseconds kCountPause{30'000};

/// Counts that a process remembers.
inline constexpr std::size_t kKnownCountsMax = 1'000;

struct CountingModels {
  LlmConfig llm;
  std::map<std::string, CountApi> apis;  ///< by model, of those whose providers are asked
  Milliseconds timeout{0};               ///< of a question, with the wait for a connection
};

/// Fails where an endpoint can't be opened. The ports outlive it; so does it its calls.
Result<std::unique_ptr<ExactCounter>> make_llm_counter(CountingModels models, LlmPorts ports);

}  // namespace ba::llm
