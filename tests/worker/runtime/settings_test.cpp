// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ba {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Settings, EachLogLineNamesServiceAndEnvironment) {
  Config config;
  EXPECT_THAT(log_settings_of(config).tags,
              ElementsAre(Pair("environment", "production"), Pair("service", "ba-agent")));
  config.observability.service_name.clear();
  config.observability.environment.clear();
  EXPECT_THAT(log_settings_of(config).tags, IsEmpty());
}

TEST(Settings, ATagOfTheSameNameWins) {
  Config config;
  config.observability.extra_tags = {{"service", "mine"}, {"team", "a"}};
  EXPECT_THAT(
      log_settings_of(config).tags,
      ElementsAre(Pair("environment", "production"), Pair("service", "mine"), Pair("team", "a")));
}

TEST(Settings, WhatIsPublishedIsEncodedAsConfigured) {
  Config config;
  EXPECT_EQ(publication_of(config).encoding, Encoding::Json);
  config.kafka.outbox.encoding = Encoding::Protobuf;
  EXPECT_EQ(publication_of(config).encoding, Encoding::Protobuf);
}

}  // namespace
}  // namespace ba
