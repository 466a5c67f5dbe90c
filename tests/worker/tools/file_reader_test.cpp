// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/file_reader.hpp"

#include <gtest/gtest.h>

#include "tests/support/loop_executor.hpp"
#include "tests/support/temporary_directory.hpp"

namespace ba {
namespace {

class FileReaderTool : public testing::Test {
 protected:
  FileReaderTool() {
    directory.write("flights.csv", "carrier,n\nUA,1\nAA,2\n");
    directory.write("bad.json", "{");
    config.roots = {{"data", directory.path().string(), "Airline data"}};
    tool.emplace(config, std::move(FileRoots::open(config.roots).value()), executor);
  }

  RawToolResult read(const std::string& parameters) {
    ToolInvocation invocation;
    invocation.parameters = parameters;
    std::optional<RawToolResult> result;
    handle = tool->run(invocation, [&](RawToolResult raw) { result = std::move(raw); });
    EXPECT_TRUE(executor.run_until([&] { return result.has_value(); }));
    return result.value_or(RawToolResult{});
  }

  LoopExecutor executor;
  TemporaryDirectory directory;
  FilesConfig config;
  std::optional<FileReader> tool;
  std::unique_ptr<ToolRun> handle;
};

TEST_F(FileReaderTool, ReadsRows) {
  EXPECT_EQ(read(R"({"path":"flights.csv"})").data,
            R"({"total_rows":2,"rows":[{"carrier":"UA","n":1},{"carrier":"AA","n":2}]})");
  EXPECT_EQ(read(R"({"path":"data/flights.csv","offset":1,"limit":1})").data,
            R"({"total_rows":2,"offset":1,"rows":[{"carrier":"AA","n":2}]})");
  EXPECT_EQ(read(R"({"path":"flights.csv","format":"text","limit":1})").data,
            R"({"total_lines":3,"lines":["carrier,n"]})");
}

TEST_F(FileReaderTool, TellsWhichFilesThereAreWhenOneIsMissing) {
  const RawToolResult result = read(R"({"path":"flight.csv"})");
  EXPECT_EQ(result.error->type, ToolErrorType::NotFound);
  EXPECT_EQ(result.error->code, "FILE_NOT_FOUND");
  EXPECT_EQ(result.error->message,
            "'flight.csv': there is no such file. Files: bad.json, flights.csv");
}

TEST_F(FileReaderTool, HasAnErrorTypeForEachRefusal) {
  EXPECT_EQ(read(R"({"path":"../x"})").error->type, ToolErrorType::PermissionDenied);
  EXPECT_EQ(read(R"({"path":"bad.json"})").error->type, ToolErrorType::ValidationError);
  directory.write("large.txt", "x");
  std::filesystem::resize_file(directory.path() / "large.txt",
                               static_cast<std::uintmax_t>(config.file_bytes_max) + 1);
  EXPECT_EQ(read(R"({"path":"large.txt"})").error->code, "FILE_TOO_LARGE");
}

TEST_F(FileReaderTool, DescribesFilesButNoRealPath) {
  const std::string& text = tool->descriptor().description;
  EXPECT_NE(text.find("data: Airline data"), std::string::npos);
  EXPECT_NE(text.find("bad.json, flights.csv"), std::string::npos);
  EXPECT_EQ(text.find(directory.path().string()), std::string::npos);
  EXPECT_EQ(tool->descriptor().effect, EffectClass::Pure);
}

TEST_F(FileReaderTool, NamesFiftyFilesInItsDescriptionAndTwentyInAnError) {
  for (int i = 10; i < 100; ++i) directory.write("f" + std::to_string(i), "");
  const FileReader many(config, std::move(FileRoots::open(config.roots).value()), executor);
  EXPECT_TRUE(many.descriptor().description.ends_with(", f57, f58, … and 42 more\""))
      << many.descriptor().description;
  const std::string error = read(R"({"path":"none"})").error->message;
  EXPECT_TRUE(error.ends_with(", f27, f28, … and 72 more")) << error;
}

TEST_F(FileReaderTool, GivesNoAnswerOnceTheRunIsDestroyed) {
  ToolInvocation invocation;
  invocation.parameters = R"({"path":"flights.csv"})";
  tool->run(invocation, [](RawToolResult) { FAIL() << "an answer after the end"; }).reset();
  read(R"({"path":"flights.csv"})");
}

}  // namespace
}  // namespace ba
