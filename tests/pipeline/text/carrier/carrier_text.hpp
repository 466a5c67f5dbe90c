#pragma once
// SPDX-License-Identifier: Apache-2.0
// Conversions from text to text, for tests.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "pipeline/text/carrier/carrier.hpp"

namespace ba::test {

inline CarrierReading read_text(CarrierFormat format, const std::string& json) {
  const auto document = JsonView::parse(json);
  EXPECT_TRUE(document) << json;
  if (!document) return {};
  auto reading = read_carrier(format, *document);
  EXPECT_TRUE(reading) << (reading ? "" : reading.error().message) << "\n" << json;
  return reading ? *reading : CarrierReading();
}

/// The message of the refusal, which begins with the field; "" when it is read.
inline std::string refusal_of(CarrierFormat format, const std::string& json) {
  const auto document = JsonView::parse(json);
  if (!document) return document.error().message;
  const auto reading = read_carrier(format, *document);
  if (reading) return "";
  EXPECT_TRUE(reading.error().message.starts_with(reading.error().detail))
      << reading.error().message << " / " << reading.error().detail;
  return reading.error().message;
}

inline std::string written(CarrierFormat format, const std::vector<Message>& messages) {
  const auto text = write_carrier(format, messages);
  EXPECT_TRUE(text) << (text ? "" : text.error().message);
  return text ? carrier_document(format, *text) : "";
}

inline std::string converted(CarrierFormat from, CarrierFormat to, const std::string& json) {
  return written(to, read_text(from, json).messages);
}

inline Losses losses_of(CarrierFormat to, const std::vector<Message>& messages) {
  const auto text = write_carrier(to, messages);
  EXPECT_TRUE(text);
  return text ? text->losses : Losses();
}

inline std::string kinds(const Losses& losses) {
  std::string list;
  for (const Losses::Kind& kind : losses.kinds())
    list += kind.what + " at " + kind.field + " x" + std::to_string(kind.count) + "\n";
  return list;
}

}  // namespace ba::test
