// SPDX-License-Identifier: Apache-2.0
// Whatever a trace collector answers, the spans that it did not take are a count.
#include "tests/fuzz/targets.hpp"
#include "worker/trace/otlp_request.hpp"

void ba::fuzz::otlp_answer(std::string_view input) {
  BA_ASSERT(trace::rejected_spans(input) >= 0);
  if (input.find("rejectedSpans") == std::string_view::npos &&
      input.find('\\') == std::string_view::npos)
    BA_ASSERT(trace::rejected_spans(input) == 0);
}
