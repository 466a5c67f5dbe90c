// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/publication.hpp"

#include <gtest/gtest.h>

namespace ba {
namespace {

TEST(ContentType, KnownTypesAreReadWithParametersInAnyCase) {
  EXPECT_EQ(parse_content_type("application/json"), ContentType::Json);
  EXPECT_EQ(parse_content_type(" Application/JSON ; charset=utf-8"), ContentType::Json);
  EXPECT_EQ(parse_content_type("application/vnd.acme+json"), ContentType::Json);
  EXPECT_EQ(parse_content_type("application/x-protobuf"), ContentType::Protobuf);
  EXPECT_EQ(parse_content_type("application/protobuf"), ContentType::Protobuf);
  EXPECT_EQ(parse_content_type("application/cloudevents+json"), ContentType::CloudEventJson);
}

TEST(ContentType, OtherTypesAreNot) {
  for (const char* type : {"", ";", "text/plain", "application/xml", "application/cloudevents",
                           "application/cloudevents-batch+json", "application/cloudevents+avro"})
    EXPECT_EQ(parse_content_type(type), std::nullopt) << type;
}

}  // namespace
}  // namespace ba
