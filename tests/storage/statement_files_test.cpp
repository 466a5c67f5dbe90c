// SPDX-License-Identifier: Apache-2.0
// How SQL stands in the sources: long statements in files, all of them built in, written alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "storage/all_statements.hpp"

namespace ba::storage {
namespace {

constexpr std::ptrdiff_t kLiteralLinesMax = 15;
constexpr std::size_t kColumnsMax = 100;

std::vector<std::string> files_with(const std::string& extension) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("storage")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() == extension && !path.starts_with("storage/migrations/"))
      paths.push_back(path);
  }
  return paths;
}

std::string content_of(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  return content.str();
}

TEST(StatementFiles, AllAreBuiltIn) {
  std::vector<std::string> built_in;
  for (const sql::StatementFile& file : sql::kAll) built_in.emplace_back(file.path);
  EXPECT_THAT(built_in, testing::UnorderedElementsAreArray(files_with(".sql")));
}

TEST(StatementFiles, AreWrittenAlike) {
  const std::regex small(
      R"(\b(select|from|where|and|or|insert|update|delete|join|on|as|order|by)\b)");
  const std::regex texts("'[^']*'");
  for (const std::string& path : files_with(".sql")) {
    const std::string content = content_of(path);
    EXPECT_TRUE(content.starts_with("-- SPDX-License-Identifier: Apache-2.0\n")) << path;
    EXPECT_TRUE(content.ends_with("\n")) << path;
    std::istringstream lines(content);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), kColumnsMax) << path << ": " << line;
      EXPECT_FALSE(line.ends_with(" ")) << path << ": " << line;
      if (line.starts_with("--")) continue;
      const std::string code = std::regex_replace(line, texts, "");
      EXPECT_EQ(code.find_first_of("\t;"), code.npos)
          << path << ": a tab, or a semicolon: " << line;
      EXPECT_FALSE(std::regex_search(code, small)) << path << ": keywords are large: " << line;
    }
  }
}

TEST(StatementFiles, NoLiteralIsLonger) {
  constexpr std::string_view kBegin = "R\"sql(";
  for (const std::string& path : files_with(".cpp")) {
    const std::string content = content_of(path);
    for (std::size_t at = content.find(kBegin); at != content.npos;
         at = content.find(kBegin, at + 1)) {
      const std::string text = content.substr(at, content.find(")sql\"", at) - at);
      EXPECT_LE(std::ranges::count(text, '\n'), kLiteralLinesMax) << path << ": " << text;
    }
  }
}

}  // namespace
}  // namespace ba::storage
