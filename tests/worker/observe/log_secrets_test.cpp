// SPDX-License-Identifier: Apache-2.0
// Lines of the log hold no secret.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/observe/log_line.hpp"

namespace ba::observe {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Redaction kNone{{}};

std::string json_of(std::string_view text, std::initializer_list<LogField> fields,
                    const Redaction& redaction = kNone) {
  return json_line({WallTime{}, LogLevel::Info, text, fields}, {}, redaction);
}

TEST(Redaction, MasksKnownSecretsInTextAndFields) {
  const Redaction redaction({"topsecret", "short", "topsecretlonger"});
  const std::string line =
      json_of("failed with topsecret", {{"url", "x?k=topsecretlonger"}, {"w", "short"}}, redaction);
  EXPECT_THAT(line, Not(HasSubstr("topsecret")));
  EXPECT_THAT(line, Not(HasSubstr("longer")));
  EXPECT_THAT(line, HasSubstr("\"w\":\"short\""));  // too short to be told from a word
}

TEST(Redaction, ASecretAtTheCutOfALongValueIsMaskedWhole) {
  const Redaction redaction({"topsecret"});
  const std::string value = std::string(8 * 1024 - 4, 'a') + " topsecret";
  EXPECT_THAT(json_of("x", {{"v", value}}, redaction), Not(HasSubstr("tops")));
  EXPECT_THAT(json_of(value, {}, redaction), Not(HasSubstr("tops")));
}

TEST(Redaction, MasksFieldsByName) {
  const std::string line = json_of("x", {{"api_key", "v1"},
                                         {"db_password", "v2"},
                                         {"Authorization", "v3"},
                                         {"access_token", "v4"},
                                         {"input_tokens", 5},
                                         {"tokens", "v6"}});
  for (const char* value : {"v1", "v2", "v3", "v4"}) EXPECT_THAT(line, Not(HasSubstr(value)));
  EXPECT_THAT(line, HasSubstr("v6"));
  EXPECT_THAT(line, HasSubstr("\"input_tokens\":5"));
}

}  // namespace
}  // namespace ba::observe
