// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/tokenizer/tokenizer_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ba {
namespace {

using Json = nlohmann::json;

Json good() {
  return Json::parse(R"({
    "version": "1.0",
    "added_tokens": [{"id": 9, "content": "<s>", "special": true}],
    "normalizer": null,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["#version: 0.2", "a b"]}
  })");
}

std::string refusal(const Json& file) {
  const Result<TokenizerFile> read = read_tokenizer_file(file.dump());
  return read ? "none" : read.error().message;
}

std::string refusal_with(const char* pointer, const char* value) {
  Json file = good();
  file[Json::json_pointer(pointer)] = Json::parse(value);
  return refusal(file);
}

TEST(TokenizerFile, IsReadWhole) {
  const TokenizerFile file = read_tokenizer_file(good().dump()).value();
  ASSERT_EQ(file.added_tokens.size(), 1U);
  EXPECT_EQ(file.added_tokens[0], (AddedToken{"<s>"}));
  EXPECT_EQ(file.cut_steps.size(), 2U);  // a pattern, and the letters
  EXPECT_EQ(file.model.count("abb"), 2U);
}

TEST(TokenizerFile, MergesMayBePairs) {
  EXPECT_EQ(refusal_with("/model/merges", R"([["a", "b"]])"), "none");
}

TEST(TokenizerFile, WhatIsNotSupportedIsRefusedWithItsPlace) {
  EXPECT_EQ(refusal_with("/model/type", R"("Unigram")"),
            "model.type: 'Unigram' is not supported; BPE is");
  EXPECT_EQ(refusal_with("/normalizer", R"({"type": "Lowercase"})"),
            "normalizer.type: 'Lowercase' is not supported; NFC, NFD, NFKC, NFKD and sequences of "
            "them are");
  EXPECT_EQ(refusal_with("/pre_tokenizer",
                         R"({"type": "Sequence", "pretokenizers": [{"type": "Metaspace"}]})"),
            "pre_tokenizer.pretokenizers[0].type: 'Metaspace' is not supported; ByteLevel, Split, "
            "Digits and sequences of them are");
  EXPECT_EQ(refusal_with("/pre_tokenizer", "null"),
            "pre_tokenizer: ByteLevel is expected: only byte-level vocabularies are supported");
  EXPECT_EQ(refusal_with("/model/byte_fallback", "true"),
            "model.byte_fallback: 'true' is not supported; byte-level vocabularies need none");
  EXPECT_EQ(refusal_with("/model/end_of_word_suffix", R"("</w>")"),
            "model.end_of_word_suffix: '</w>' is not supported; byte-level vocabularies have none");
  EXPECT_EQ(refusal_with("/model/dropout", "0.1"),
            "model.dropout: '0.1' is not supported; counts would differ from time to time");
  EXPECT_EQ(refusal_with("/model/dropout", "0.0"), "none");
}

TEST(TokenizerFile, WhatIsWrongIsRefusedWithItsPlace) {
  EXPECT_EQ(read_tokenizer_file("nonsense").error().message, "is not a JSON object");
  EXPECT_EQ(refusal(Json::object()),
            "pre_tokenizer: ByteLevel is expected: only byte-level vocabularies are supported");
  EXPECT_EQ(refusal_with("/model", "7"), "model.vocab: an object with tokens is expected");
  EXPECT_EQ(refusal_with("/model/vocab/b", "-1"), "model.vocab.b: a number from 0 on is expected");
  EXPECT_EQ(refusal_with("/model/merges", R"(["a b", "a"])"),
            "model.merges[1]: two tokens with a blank between them are expected");
  EXPECT_EQ(refusal_with("/model/merges", R"(["b a"])"),
            "model.merges[0]: 'ba' is not in the vocabulary");
  EXPECT_EQ(refusal_with("/model/merges", R"([["a", 7]])"),
            "model.merges[0][1]: a text is expected");
  EXPECT_EQ(refusal_with("/model/merges", "null"), "model.merges: a list is expected");
  EXPECT_EQ(refusal_with("/model/unk_token", R"("<unk>")"),
            "model.unk_token: '<unk>' is not in the vocabulary");
  EXPECT_EQ(refusal_with("/added_tokens/0/lstrip", "1"),
            "added_tokens[0].lstrip: true or false is expected");
  EXPECT_EQ(refusal_with("/pre_tokenizer",
                         R"({"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated"})"),
            "pre_tokenizer.pattern.Regex: end pattern with unmatched parenthesis");
  EXPECT_EQ(refusal_with("/pre_tokenizer",
                         R"({"type": "Split", "pattern": {"String": " "}, "behavior": "Kept"})"),
            "pre_tokenizer.behavior: 'Kept' is not known");
}

TEST(TokenizerFile, SequencesOfSequencesHaveADepth) {
  Json step = Json::parse(R"({"type": "ByteLevel"})");
  for (int i = 0; i < 9; ++i)
    step = Json{{"type", "Sequence"}, {"pretokenizers", Json::array({step})}};
  Json file = good();
  file["pre_tokenizer"] = step;
  EXPECT_NE(refusal(file).find("is nested too deeply"), std::string::npos);
}

std::string refusal_of_steps(int number, const char* step) {
  Json file = good();
  Json steps = Json::array();
  for (int i = 0; i < number; ++i) steps.push_back(Json::parse(step));
  file["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", steps}};
  return refusal(file);
}

TEST(TokenizerFile, StepsHaveANumber) {
  EXPECT_EQ(refusal_of_steps(100'000, R"({"type": "Digits"})"),
            "pre_tokenizer.pretokenizers[32]: there are more than 32 steps");
}

TEST(TokenizerFile, BytesBecomeLettersOnce) {
  EXPECT_EQ(refusal_of_steps(2, R"({"type": "ByteLevel"})"),
            "pre_tokenizer.pretokenizers[1]: there is a ByteLevel before it");
}

}  // namespace
}  // namespace ba
