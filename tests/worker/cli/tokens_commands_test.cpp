// SPDX-License-Identifier: Apache-2.0
// `ba-agent tokens` from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/worker/cli/program_fixture.hpp"

namespace ba {
namespace {

using ::testing::HasSubstr;

class TokensCommands : public ProgramTest {};

TEST_F(TokensCommands, CountsTokensOfFilesAndOfStandardInput) {
  EXPECT_EQ(run("tokens count --encoding o200k_base --config none.yaml", "", "hello world").out,
            "2\n");
  write("a.txt", "hello world");
  write("b.txt", std::string("\xff\0 you", 6));
  EXPECT_EQ(run("tokens count --encoding cl100k_base a.txt b.txt -", "", "one").out,
            "2  a.txt\n3  b.txt\n1  -\n6  total\n");
  EXPECT_EQ(
      run("tokens count --model gpt-4o --jsonl", "", "{\"id\":1,\"text\":\"hello world\"}\n").out,
      "{\"id\":1,\"count\":2}\n");
}

TEST_F(TokensCommands, SaysWhichTextsItCouldNotCount) {
  write("a.txt", "hello world");
  const ProgramRun counted = run("tokens count --encoding o200k_base none.txt a.txt");
  EXPECT_EQ(counted.exit_code, 1);
  EXPECT_EQ(counted.out, "2  a.txt\n2  total\n");
  EXPECT_THAT(counted.err, HasSubstr("can't read none.txt: No such"));
  for (const char* line :
       {"tokens", "tokens count", "tokens count --encoding p50k_base", "tokens info",
        "tokens count --encoding o200k_base --margin", "tokens count --model '' a.txt",
        "tokens count --model gpt-4 --encoding o200k_base",
        "tokens count --encoding o200k_base --jsonl a.txt b.txt"})
    EXPECT_EQ(run(line).exit_code, 2) << line;
}

TEST_F(TokensCommands, CountsNoFileThatIsTooLarge) {
  write("large.txt", "");
  write("small.txt", "hello world");
  std::filesystem::resize_file(folder_ / "large.txt", (std::uintmax_t{256} << 20) + 1);
  const ProgramRun counted = run("tokens count --encoding o200k_base large.txt small.txt");
  EXPECT_EQ(counted.exit_code, 1);
  EXPECT_EQ(counted.out, "2  small.txt\n2  total\n");
  EXPECT_THAT(counted.err, HasSubstr("large.txt: more than 268435456 bytes; count it in parts"));
}

TEST_F(TokensCommands, TellsHowAModelIsCounted) {
  EXPECT_EQ(run("tokens info --model claude-sonnet-5").out,
            "model: claude-sonnet-5\nmodel_family: claude\nencoding_name: cl100k_base\n"
            "safety_margin: 1.15\nuse_exact_counting: false\nhas_api_client: false\n");
}

}  // namespace
}  // namespace ba
