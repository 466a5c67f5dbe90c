// SPDX-License-Identifier: Apache-2.0
// A result in YAML, as it comes to `encode --decode`. What is read is written so that it reads back
// the same, from YAML and from JSON.
#include <nlohmann/json.hpp>

#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/encoding/yaml_encode.hpp"
#include "tests/fuzz/same_data.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/settings/yaml_document.hpp"

namespace ba::fuzz {
namespace {

void reads_back(const OrderedJson& value) {
  const std::string text = yaml_encode(value);
  const auto back = settings::yaml_decode(text);
  BA_ASSERT(back.has_value());
  BA_ASSERT(same_data(*back, value));
  BA_ASSERT(yaml_encode(*back) == text);
}

}  // namespace

void yaml(std::string_view input) {
  if (const auto value = settings::yaml_decode_result(input)) reads_back(*value);
  if (const auto value = read_json_document(input)) reads_back(*value);
}

}  // namespace ba::fuzz
