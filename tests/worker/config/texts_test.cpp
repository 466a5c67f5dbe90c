// SPDX-License-Identifier: Apache-2.0
// The small text functions of the configuration.

#include <gtest/gtest.h>

#include "pipeline/base/nearest_word.hpp"
#include "worker/settings/findings.hpp"
#include "worker/settings/micro_usd.hpp"

namespace ba::config {
namespace {

using settings::micro_usd_text;
using settings::parse_micro_usd;

TEST(MicroUsd, ReadsDecimalDollarsExactly) {
  EXPECT_EQ(parse_micro_usd("0.25"), 250'000);
  EXPECT_EQ(parse_micro_usd("3"), 3'000'000);
  EXPECT_EQ(parse_micro_usd(".000001"), 1);
  EXPECT_EQ(parse_micro_usd("-1.5"), -1'500'000);
  EXPECT_EQ(parse_micro_usd("1000000000"), 1'000'000'000'000'000);
}

TEST(MicroUsd, RefusesEverythingElse) {
  for (const char* text : {"", ".", "-", "1e3", "1.0000001", "1.2.3", "$1", "1000000001",
                           "99999999999999999999", "1000000000.5", " 1"})
    EXPECT_EQ(parse_micro_usd(text), std::nullopt) << text;
}

TEST(MicroUsd, WritesTheShortestText) {
  EXPECT_EQ(micro_usd_text(250'000), "0.25");
  EXPECT_EQ(micro_usd_text(3'000'000), "3");
  EXPECT_EQ(micro_usd_text(1), "0.000001");
  EXPECT_EQ(micro_usd_text(-1'500'000), "-1.5");
}

TEST(NearestWord, FindsSlipsAndNothingElse) {
  const std::vector<std::string> known{"brokers", "group_id", "topics"};
  EXPECT_EQ(nearest_word("broker", known), "brokers");
  EXPECT_EQ(nearest_word("borkers", known), "brokers");
  EXPECT_EQ(nearest_word("TOPICS", known), "topics");
  EXPECT_EQ(nearest_word("password", known), std::nullopt);
  EXPECT_EQ(nearest_word(std::string(10'000, 'x'), known), std::nullopt);
  EXPECT_EQ(nearest_word("", known), std::nullopt);
}

TEST(MaskSecrets, MasksUrlsAndConnectionStrings) {
  const std::string mask = settings::kMaskedSecret;
  EXPECT_EQ(settings::mask_secrets("postgresql://u:p@ss@h/d"), "postgresql://u:" + mask + "@h/d");
  EXPECT_EQ(settings::mask_secrets("postgresql://u@h/d?password=x&a=b"),
            "postgresql://u@h/d?password=" + mask + "&a=b");
  EXPECT_EQ(settings::mask_secrets("host=h password=x user=u"),
            "host=h password=" + mask + " user=u");
  EXPECT_EQ(settings::mask_secrets("password='a b' host=h"), "password='" + mask + "' host=h");
  EXPECT_EQ(settings::mask_secrets("postgresql://u@h:5432/d"), "postgresql://u@h:5432/d");
  EXPECT_EQ(settings::mask_secrets("host=h"), "host=h");
  EXPECT_EQ(settings::mask_secrets("host=h password = x user=u"),
            "host=h password = " + mask + " user=u");
  EXPECT_EQ(settings::mask_secrets("password='a\\' b' host=h"), "password='" + mask + "' host=h");
  EXPECT_EQ(settings::mask_secrets("postgresql://h/d?user=x&sslPASSWORD=y"),
            "postgresql://h/d?user=x&sslPASSWORD=" + mask);
  EXPECT_EQ(settings::mask_secrets("postgresql://u:a/b@h/d"), "postgresql://u:" + mask + "@h/d");
  EXPECT_EQ(settings::mask_secrets("SASL_SSL://u:p@h1:9092,SASL_SSL://u:q@h2:9092"),
            "SASL_SSL://u:" + mask + "@h1:9092,SASL_SSL://u:" + mask + "@h2:9092");
  EXPECT_EQ(settings::mask_secrets("u:p@h1:9092,h2:9092"), "u:" + mask + "@h1:9092,h2:9092");
  EXPECT_EQ(settings::secrets_in("postgresql://u:secret@h/d"), std::vector<std::string>{"secret"});
  EXPECT_TRUE(settings::secrets_in("").empty());
}

TEST(Quoted, IsValidJson) {
  EXPECT_EQ(settings::quoted("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\n\\u0001\"");
  EXPECT_EQ(settings::quoted("ü"), "\"ü\"");
}

}  // namespace
}  // namespace ba::config
