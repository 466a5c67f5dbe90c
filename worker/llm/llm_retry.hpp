#pragma once
// SPDX-License-Identifier: Apache-2.0
// How long to wait before a model is asked again, and whether to: the providers' own rules
// (x-should-retry, retry-after-ms, retry-after), else exponential back-off. Pure functions.

#include <cstdint>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "worker/http/http_client.hpp"
#include "worker/llm/llm_config.hpp"

namespace ba {

/// What the head of a failed reply adds to its error: retry_after, instead of one that the body
/// told, and the provider's word on whether to retry. Money that is spent stays spent whatever the
/// header says.
void apply_retry_headers(Error& error, const HttpHead& head, WallTime now);

/// The wait after try number `tries` (from 1) has failed with `error`; `random` is any 64 bits.
Milliseconds llm_retry_delay(const LlmRetry& retry, const Error& error, int tries,
                             std::uint64_t random);

}  // namespace ba
