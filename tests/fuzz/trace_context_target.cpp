// SPDX-License-Identifier: Apache-2.0
// The value of a header: one that is passed on as a traceparent could also be a header's value
// anywhere else, has a bounded length, and cutting it makes it another one or none.
#include "pipeline/text/contract/event_headers.hpp"

#include <algorithm>

#include "tests/fuzz/targets.hpp"

void ba::fuzz::trace_context(std::string_view input) {
  const bool printable =
      std::all_of(input.begin(), input.end(), [](char c) { return c >= ' ' && c <= '~'; });
  BA_ASSERT(valid_tracestate(input) == printable);
  if (!valid_traceparent(input)) return;
  BA_ASSERT(printable && input.size() >= 55 && input.size() <= 256);
  BA_ASSERT(input.find_first_not_of("0123456789abcdef-") >= 55);
  BA_ASSERT(std::count(input.begin(), input.begin() + 55, '-') == 3);
  BA_ASSERT(!valid_traceparent(input.substr(0, 54)));
}
