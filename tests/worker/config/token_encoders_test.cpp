// SPDX-License-Identifier: Apache-2.0
#include "worker/config/token_encoders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/config/print_settings.hpp"
#include "worker/config/text_counter.hpp"

namespace ba::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TokenEncoders read(std::string_view yaml) {
  return read_token_encoders(yaml, "config/token_encoders.yaml");
}

TEST(TokenEncoders, AnEntryWinsOverWhatIsKnown) {
  const TokenEncoders encoders = read(R"(
encoders:
  gpt-4o: {encoding_name: cl100k_base, safety_margin: 1.05}
  claude-*: {safety_margin: 1.2345, use_exact_counting: true, exact_counting_api: anthropic}
  my-model-*:
    model_family: qwen
    encoding_name: my_encoding
    encoder_params: {tokenizer_file: mine/tokenizer.json}
)");
  EXPECT_THAT(encoders.findings.errors(), IsEmpty());
  EXPECT_THAT(encoders.findings.warnings(), IsEmpty());
  const TokenProfile gpt = encoders.profiles.of("GPT-4o");
  EXPECT_EQ(gpt.family, "gpt");
  EXPECT_EQ(gpt.encoding_name, "cl100k_base");
  EXPECT_EQ(gpt.margin_millionths, 1'050'000);
  const TokenProfile claude = encoders.profiles.of("claude-sonnet-5");
  EXPECT_EQ(claude.margin_millionths, 1'234'500);
  EXPECT_TRUE(claude.use_exact_counting);
  EXPECT_EQ(claude.exact_counting_api, "anthropic");
  const TokenProfile mine = encoders.profiles.of("my-model-7b");
  EXPECT_EQ(mine.family, "qwen");
  EXPECT_EQ(mine.encoding_name, "my_encoding");
  EXPECT_EQ(mine.tokenizer_file, "config/mine/tokenizer.json");
  EXPECT_EQ(mine.margin_millionths, 1'200'000);
}

TEST(TokenEncoders, WhatIsPrintedCanBeReadAgain) {
  const TokenEncoders first = read(R"(
encoders:
  gpt-4o: {encoding_name: cl100k_base, safety_margin: 1.05}
  claude-*: {safety_margin: 1.2345, use_exact_counting: true}
  unknown: {encoding_name: p50k_base}
  My Model.7b:
    model_family: qwen
    encoding_name: my_encoding
    encoder_params: {tokenizer_file: mine/tokenizer.json}
)");
  ASSERT_THAT(first.findings.errors(), IsEmpty());
  for (const bool origins : {true, false}) {
    const std::string printed = settings_as_yaml(first.findings.settings, origins);
    const TokenEncoders second = read(printed);
    ASSERT_THAT(second.findings.errors(), IsEmpty()) << printed;
    for (const char* model : {"gpt-4o", "claude-x", "unknown", "my model.7b", "another"})
      EXPECT_EQ(second.profiles.of(model), first.profiles.of(model)) << model << "\n" << printed;
    EXPECT_EQ(settings_as_yaml(second.findings.settings, false),
              settings_as_yaml(first.findings.settings, false));
  }
}

/// Each value with one space before what stands behind it.
std::string printed_closely(std::string_view yaml) {
  std::string out;
  for (const char letter : settings_as_yaml(read(yaml).findings.settings, true))
    if (letter != ' ' || !out.ends_with(' ')) out += letter;
  return out;
}

TEST(TokenEncoders, WhatIsInForceIsPrintedWithItsPlaceAndPathsAsTheyWereWritten) {
  const std::string printed = printed_closely(R"(
encoders:
  mine:
    encoding_name: x
    encoder_params: {tokenizer_file: a/b.json}
  other: {encoding_name: p50k_base}
)");
  for (const char* line :
       {R"(encoding_name: "x" # config/token_encoders.yaml:4)",
        R"(tokenizer_file: "a/b.json" # config/token_encoders.yaml:5)",
        R"(model_family: "custom" # default)", R"(use_exact_counting: false # default)",
        R"(encoding_name: "cl100k_base" # config/token_encoders.yaml:6)"})
    EXPECT_THAT(printed, HasSubstr(line));
}

TEST(TokenEncoders, AnUnknownEncodingIsAWarning) {
  const TokenEncoders encoders = read("encoders:\n  a: {encoding_name: p50k_base}\n");
  EXPECT_THAT(encoders.findings.errors(), IsEmpty());
  EXPECT_THAT(encoders.findings.warnings(),
              ElementsAre(HasSubstr("encoders.a.encoding_name: \"p50k_base\" is not known")));
  EXPECT_EQ(encoders.profiles.of("a").encoding_name, "cl100k_base");
}

TEST(TokenEncoders, AnEmptyNameOfAFileIsNoFile) {
  const TokenEncoders encoders = read(R"(
encoders:
  a: {encoding_name: mine, encoder_params: {tokenizer_file: ""}}
)");
  EXPECT_THAT(encoders.findings.errors(), IsEmpty());
  EXPECT_THAT(encoders.findings.warnings(),
              ElementsAre(HasSubstr("encoders.a.encoding_name: \"mine\" is not known")));
  EXPECT_EQ(encoders.profiles.of("a").encoding_name, "cl100k_base");
  EXPECT_TRUE(text_counter(encoders.profiles.of("a")));
}

TEST(TokenEncoders, OfAFileThatCouldNotBeReadTheEncodingIsNotMissed) {
  for (const char* params : {"{tokenizer_file: [a, b]}", "5"}) {
    const TokenEncoders encoders = read(
        "encoders:\n  a: {encoding_name: mine, encoder_params: " + std::string(params) + "}\n");
    EXPECT_THAT(encoders.findings.errors(), ElementsAre(HasSubstr("encoders.a.encoder_params")))
        << params;
    EXPECT_THAT(encoders.findings.warnings(), IsEmpty()) << params;
    const auto counter = text_counter(encoders.profiles.of("a"));
    ASSERT_FALSE(counter) << params;
    EXPECT_THAT(counter.error().message, HasSubstr("no encoding is named \"mine\""));
  }
}

TEST(TokenEncoders, AnApiThatNoWorkerAsksIsAWarning) {
  for (const char* api : {"anthropic", "openai", "gemini", "http://h:1/tokenize"}) {
    const std::string named = "exact_counting_api: \"" + std::string(api) + "\"";
    const TokenEncoders encoders = read("encoders:\n  a: {" + named + "}\n");
    EXPECT_THAT(encoders.findings.errors(), IsEmpty());
    EXPECT_THAT(encoders.findings.warnings(),
                ElementsAre(HasSubstr("encoders.a." + named +
                                      " is asked for `tokens count "
                                      "--provider` alone: use_exact_counting: true")));
    EXPECT_THAT(
        read("encoders:\n  a: {use_exact_counting: true, " + named + "}\n").findings.warnings(),
        IsEmpty());
  }
}

TEST(TokenEncoders, AnApiIsOneThatIsKnownOrAUrl) {
  for (const char* api :
       {"grok", "ftp://h/c", "h:1/c", "http://u:pass@h/c", "http://h/c?key=pass"}) {
    const TokenEncoders encoders =
        read("encoders:\n  a: {exact_counting_api: \"" + std::string(api) + "\"}\n");
    ASSERT_THAT(encoders.findings.errors(),
                ElementsAre(HasSubstr("is none of anthropic, openai, gemini, and no URL")));
    EXPECT_THAT(encoders.findings.errors()[0], HasSubstr("encoders.a.exact_counting_api"));
    EXPECT_THAT(encoders.findings.errors()[0], ::testing::Not(HasSubstr("pass")));
  }
}

TEST(TokenEncoders, AMarginIsAtLeastOne) {
  for (const char* margin : {"0.99", "0", "-1", "x", "1000000", "1.1234567"})
    EXPECT_THAT(
        read("encoders:\n  a:\n    safety_margin: " + std::string(margin)).findings.errors(),
        ElementsAre(::testing::AllOf(HasSubstr("config/token_encoders.yaml:3: encoders.a.safety_"),
                                     HasSubstr("safety_margin must be >= 1.0"))))
        << margin;
}

TEST(TokenEncoders, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_THAT(read("encoders:\n  a: {model_family: gtp}").findings.errors(),
              ElementsAre(HasSubstr("config/token_encoders.yaml:2: encoders.a.model_family: "
                                    "\"gtp\" is none of claude, gpt,")));
  EXPECT_THAT(read("encoders:\n  a: {encoding: x}").findings.errors(),
              ElementsAre(HasSubstr("encoders.a.encoding")));
  EXPECT_THAT(read("encoder: {}").findings.errors(), ElementsAre(HasSubstr("encoders")));
  EXPECT_THAT(read("encoders: [").findings.errors(),
              ElementsAre(HasSubstr("config/token_encoders.yaml:1")));
}

TEST(TokenEncoders, ItsOwnWordsAreSaidOfItsForm) {
  EXPECT_THAT(read("- a\n").findings.errors(),
              ElementsAre(HasSubstr("must be a map of one section (\"encoders:\")")));
  const TokenEncoders misspelt =
      read("encoders:\n  a: {encoding_name: mine, encoder_params: {tokenizer_fil: t.json}}\n");
  EXPECT_THAT(misspelt.findings.errors(), ElementsAre(HasSubstr("tokenizer_fil: unknown key")));
  EXPECT_THAT(misspelt.findings.warnings(), IsEmpty()) << "it names no encoding of ours";
}

}  // namespace
}  // namespace ba::config
