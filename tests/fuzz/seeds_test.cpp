// SPDX-License-Identifier: Apache-2.0
// Every seed once, without a fuzzer: also the inputs that broke something once.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "tests/fuzz/targets.hpp"

namespace ba {
namespace {

namespace fs = std::filesystem;

const fs::path kSeeds = "tests/fuzz/seeds";

const std::map<std::string, void (*)(std::string_view)>& targets() {
  static const std::map<std::string, void (*)(std::string_view)> all = {
      {"answer", fuzz::answer},
      {"base64", fuzz::base64},
      {"configuration", fuzz::configuration},
      {"conversation", fuzz::conversation},
      {"file", fuzz::file},
      {"headers", fuzz::headers},
      {"job", fuzz::job},
      {"json", fuzz::json},
      {"path", fuzz::path},
      {"react", fuzz::react},
      {"receipt", fuzz::receipt},
      {"redaction", fuzz::redaction},
      {"reply", fuzz::reply},
      {"result", fuzz::result},
      {"search_answer", fuzz::search_answer},
      {"skill_document", fuzz::skill_document},
      {"sql", fuzz::sql},
      {"sse", fuzz::sse},
      {"stored_messages", fuzz::stored_messages},
      {"token", fuzz::token},
      {"tokenizer", fuzz::tokenizer},
      {"tool_arguments", fuzz::tool_arguments},
      {"tool_server", fuzz::tool_server},
      {"toon", fuzz::toon},
      {"otlp_answer", fuzz::otlp_answer},
      {"trace_context", fuzz::trace_context},
      {"xml", fuzz::xml},
      {"yaml", fuzz::yaml},
  };
  return all;
}

std::set<fs::path> files_in(const fs::path& folder) {
  return {fs::directory_iterator(folder), fs::directory_iterator()};
}

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(FuzzSeeds, EachFolderIsThatOfATarget) {
  for (const fs::path& folder : files_in(kSeeds))
    EXPECT_TRUE(targets().contains(folder.filename())) << folder;
}

/// A broken assertion ends the program: the last line names the seed.
TEST(FuzzSeeds, EveryTargetHoldsForItsSeeds) {
  for (const auto& [name, target] : targets()) {
    const auto seeds = files_in(kSeeds / name);
    EXPECT_FALSE(seeds.empty()) << name;
    for (const fs::path& seed : seeds) {
      std::cout << seed.string() << std::endl;
      target(content_of(seed));
    }
  }
}

TEST(FuzzSeeds, EveryTargetHoldsForAlmostNothing) {
  for (const auto& [name, target] : targets())
    for (const char* input : {"", " ", "\n", "{", "[", "\"", "\xff"}) target(input);
}

}  // namespace
}  // namespace ba
