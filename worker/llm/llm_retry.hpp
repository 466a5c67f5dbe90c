#pragma once
// SPDX-License-Identifier: Apache-2.0
// How long to wait before a model is asked again, and whether to: the providers' own rules
// (x-should-retry, retry-after-ms, retry-after), else exponential back-off. Pure functions.

#include <cstdint>
#include <optional>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"
#include "worker/http/http_client.hpp"
#include "worker/llm/llm_config.hpp"

namespace ba {

/// What the head of a failed reply adds to its error: retry_after, instead of one that the body
/// told, and the provider's word on whether to retry. Money that is spent stays spent whatever the
/// header says.
void apply_retry_headers(Error& error, const HttpHead& head, WallTime now);

/// `value` of a retry-after header: seconds, with a fraction or not, a duration or an HTTP date.
/// None: not readable, or not in the future.
std::optional<Milliseconds> parse_retry_after(std::string_view value, WallTime now);

/// What a reply's head asks to be waited for (retry-after-ms, retry-after). An HTTP date is read by
/// the clock of who wrote it: its header date.
std::optional<Milliseconds> asked_wait(const HttpHead& head);

/// The wait after try number `tries` (from 1) has failed with `error`; `random` is any 64 bits.
Milliseconds llm_retry_delay(const LlmRetry& retry, const Error& error, int tries,
                             std::uint64_t random);

/// A wait that is shared by many, spread: `wait` and up to `jitter` of it more.
Milliseconds spread(Milliseconds wait, double jitter, std::uint64_t random);

}  // namespace ba
