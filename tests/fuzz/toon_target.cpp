// SPDX-License-Identifier: Apache-2.0
// What is read is written so that it reads back the same, from TOON and from JSON.
#include <nlohmann/json.hpp>

#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/encoding/toon.hpp"
#include "tests/fuzz/same_data.hpp"
#include "tests/fuzz/targets.hpp"

namespace ba::fuzz {
namespace {

/// Rows of a table take the order of names from the first, so that is left out.
void reads_back(const OrderedJson& value) {
  const std::string text = toon_encode(value);
  const auto back = toon_decode(text);
  BA_ASSERT(back.has_value());
  BA_ASSERT(same_data(nlohmann::json(*back), nlohmann::json(value)));
  BA_ASSERT(toon_encode(*back) == text);
}

}  // namespace

void toon(std::string_view input) {
  ToonReading lenient;
  lenient.strict = false;
  if (const auto value = toon_decode(input)) reads_back(*value);
  if (const auto value = toon_decode(input, lenient)) reads_back(*value);
  if (const auto value = read_json_document(input)) reads_back(*value);
}

}  // namespace ba::fuzz
