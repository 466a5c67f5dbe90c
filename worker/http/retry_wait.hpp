#pragma once
// SPDX-License-Identifier: Apache-2.0
// How long a server asks to be left alone, in a header or in words, and how many who wait are
// spread. Pure functions.

#include <cstdint>
#include <optional>
#include <string_view>

#include "pipeline/base/time.hpp"
#include "worker/http/http_client.hpp"

namespace ba::http {

/// `value` of a retry-after header: seconds, with a fraction or not, a duration or an HTTP date.
/// None: not readable, or not in the future.
std::optional<Milliseconds> parse_retry_after(std::string_view value, WallTime now);

/// What a reply's head asks to be waited for (retry-after-ms, retry-after).
std::optional<Milliseconds> asked_wait(const HttpHead& head, WallTime now);

/// The same, where an HTTP date is read by the clock of who wrote it: its header date.
std::optional<Milliseconds> asked_wait(const HttpHead& head);

/// Rounded; at most 10^12.
Milliseconds bounded_milliseconds(double count);

/// From 0 to 1, of any 64 bits.
double random_share(std::uint64_t random);

/// A wait that is shared by many, spread: `wait` and up to `jitter` of it more.
Milliseconds spread(Milliseconds wait, double jitter, std::uint64_t random);

/// All of the text: numbers with units, "38.5s", "6m0s", "850ms", "2 minutes", "1 min 30 sec".
/// None: anything else, also a number alone. At most 10^12 ms.
std::optional<Milliseconds> parse_duration(std::string_view text);

/// The duration behind words that ask for a wait: "Please try again in 38.5s." A number without a
/// unit is one of seconds.
std::optional<Milliseconds> wait_in_words(std::string_view sentence);

}  // namespace ba::http
