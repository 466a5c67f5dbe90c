// SPDX-License-Identifier: Apache-2.0
// What is read is written so that it reads back the same, from XML and from JSON.
#include <nlohmann/json.hpp>

#include "pipeline/text/encoding/encoding.hpp"
#include "pipeline/text/encoding/json_document.hpp"
#include "pipeline/text/encoding/xml.hpp"
#include "tests/fuzz/targets.hpp"

namespace ba::fuzz {
namespace {

void reads_back(const OrderedJson& value) {
  const auto back = xml_decode(encode_data(DataEncoding::Xml, value));
  BA_ASSERT(back.has_value());
  BA_ASSERT(back->dump() == value.dump());
}

}  // namespace

void xml(std::string_view input) {
  if (const auto value = xml_decode(input)) reads_back(*value);
  if (const auto value = read_json_document(input)) reads_back(*value);
}

}  // namespace ba::fuzz
