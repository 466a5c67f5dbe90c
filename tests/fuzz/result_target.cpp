// SPDX-License-Identifier: Apache-2.0
// A record of a result topic, which anybody may have written: what is read as a result reads the
// same from our own bytes.
#include "pipeline/text/contract/encode_result.hpp"
#include "tests/fuzz/targets.hpp"

void ba::fuzz::result(std::string_view input) {
  const auto result = decode_result(input, "");
  if (!result) {
    BA_ASSERT(!result.error().message.empty());
    return;
  }
  for (const Encoding encoding : {Encoding::Json, Encoding::Protobuf}) {
    const auto again = decode_result(encode_result(*result, encoding), media_type(encoding));
    BA_ASSERT(again && *again == *result);
  }
}
