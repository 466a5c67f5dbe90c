// SPDX-License-Identifier: Apache-2.0
// Files and counts in data/ are those of the package tokenizers (ops/tokens/known_tokenizers.py).
#include "pipeline/text/tokenizer/file_counter.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace ba {
namespace {

std::string content(const std::string& name) {
  std::ifstream in("tests/pipeline/text/tokenizer/data/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

FileCounter counter_of(const std::string& name) {
  return FileCounter(read_tokenizer_file(content(name + ".json")).value());
}

class KnownTokenizers : public testing::TestWithParam<const char*> {};

TEST_P(KnownTokenizers, CountAsThePackageDoes) {
  FileCounter counter = counter_of(GetParam());
  std::ifstream in(std::string("tests/pipeline/text/tokenizer/data/") + GetParam() + ".jsonl");
  int rows = 0;
  for (std::string line; std::getline(in, line); ++rows) {
    const auto row = nlohmann::json::parse(line);
    const auto text = row.at("text").get<std::string>();
    for (int time = 0; time < 2; ++time)  // the second time, pieces are remembered
      ASSERT_EQ(counter.count(text), row.at("id").get<int>()) << row.dump();
  }
  EXPECT_GT(rows, 130);
}

INSTANTIATE_TEST_SUITE_P(All, KnownTokenizers,
                         testing::Values("cuts", "deepseek", "gpt2", "llama", "prefixed", "qwen",
                                         "starcoder"),
                         [](const auto& test) { return test.param; });

TEST(FileCounter, CountsBrokenUtf8AsReplacementCharacters) {
  FileCounter counter = counter_of("gpt2");
  EXPECT_EQ(counter.count("a\xff\xf0\x9f"), counter.count("a\ufffd\ufffd"));
}

/// Backtracking and merging both have a form whose time is the square of the length.
TEST(FileCounter, CountsAMegabyteWithoutABreak) {
  FileCounter counter = counter_of("llama");
  for (const char* part : {"a", " ", "\n", "1", "!", "é", "ab"}) {
    std::string text;
    while (text.size() < 1'000'000) text += part;
    EXPECT_GT(counter.count(text), 10) << part;
  }
}

TEST(FileCounter, ForgetsPiecesRatherThanGrow) {
  FileCounter counter = counter_of("gpt2");
  const std::int64_t before = counter.count("12345 north");
  for (int i = 0; i < 70'000; ++i) counter.count(std::to_string(i));
  EXPECT_EQ(counter.count("12345 north"), before);
}

}  // namespace
}  // namespace ba
