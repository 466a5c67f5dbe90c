// SPDX-License-Identifier: Apache-2.0
// Any bytes come back as they were; a text that is read, too, in its canonical spelling.
#include "pipeline/text/contract/base64.hpp"
#include "tests/fuzz/targets.hpp"

void ba::fuzz::base64(std::string_view input) {
  BA_ASSERT(base64_decoded(base64_encoded(input)) == input);
  if (const auto bytes = base64_decoded(input))
    BA_ASSERT(base64_decoded(base64_encoded(*bytes)) == bytes);
}
