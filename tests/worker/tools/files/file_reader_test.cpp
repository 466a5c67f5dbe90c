// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/file_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pipeline/core/tool/tool_runtime.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/loop_executor.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba::files {
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
            R"([{"carrier":"UA","n":1},{"carrier":"AA","n":2}])");
  EXPECT_EQ(read(R"({"path":"flights.csv"})").note, "");
  const RawToolResult part = read(R"({"path":"data/flights.csv","offset":1,"limit":1})");
  EXPECT_EQ(part.data, R"([{"carrier":"AA","n":2}])");
  EXPECT_EQ(part.note, "1 of 2 rows, from offset 1 on.");
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

TEST_F(FileReaderTool, AFileWithoutTextIsNamedForWhatItIs) {
  const std::string page(4096, 'x');
  const std::pair<std::string, std::string> files[] = {
      {std::string("PK\x03\x04\x14\0", 6) + page, "an Excel workbook"},
      {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + page, "an old Excel workbook"},
      {"PAR1\x15\x04" + page + "PAR1", "a Parquet file"},
      {std::string("ARROW1\0\0", 8) + page, "an Arrow (Feather) file"},
      {std::string("SQLite format 3\0", 16) + page, "a SQLite database"},
      {"%PDF-1.7\n" + page, "a PDF document"},
      {"\x1F\x8B\x08" + page, "a gzip archive"}};
  for (const auto& [bytes, kind] : files) {
    directory.write("sales.bin", bytes);
    const RawToolResult result = read(R"({"path":"sales.bin"})");
    ASSERT_TRUE(result.error) << kind;
    EXPECT_EQ(result.error->code, "FILE_NOT_TEXT");
    EXPECT_THAT(result.error->message, testing::StartsWith("sales.bin is " + kind));
  }
}

TEST_F(FileReaderTool, ATextMayBeginAsABinaryFileDoes) {
  for (const char* text : {"PAR1,n\n1,2\n", "ORC\n", "BZh,x\n1,2\n", "ARROW1"}) {
    directory.write("sales.csv", text);
    EXPECT_FALSE(read(R"({"path":"sales.csv"})").error) << text;
  }
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

/// As a job calls it.
class FileReaderOfAJob : public FileReaderTool {
 protected:
  FileReaderOfAJob() {
    config.threads = 1;
    config.file_bytes_max = std::int64_t{2} << 30;
    runtime_config_.retry.max_retries = 0;
  }

  ToolResult call(const std::string& path, Milliseconds timeout) {
    ToolRegistry registry;
    auto reader = std::make_unique<Limited>(*tool, timeout);
    EXPECT_TRUE(registry.add(std::move(reader)));
    ToolRuntime runtime(registry, runtime_config_, clock_, executor, random_);
    ToolRequest request;
    request.call.name = "file_reader";
    request.call.args_json = R"({"path":")" + path + "\"}";
    request.tenant = TenantId("acme");
    std::optional<ToolResult> result;
    const auto run = runtime.run(request, [&](ToolResult value) { result = std::move(value); });
    EXPECT_TRUE(executor.run_until([&] { return result.has_value(); }));
    return result.value_or(ToolResult{});
  }

 private:
  /// The same tool, with another time-out.
  class Limited final : public Tool {
   public:
    Limited(Tool& tool, Milliseconds timeout) : tool_(tool), descriptor_(tool.descriptor()) {
      descriptor_.timeout = timeout;
    }
    const ToolDescriptor& descriptor() const override { return descriptor_; }
    std::unique_ptr<ToolRun> run(ToolInvocation invocation,
                                 std::function<void(RawToolResult)> done) override {
      return tool_.run(std::move(invocation), std::move(done));
    }

   private:
    Tool& tool_;
    ToolDescriptor descriptor_;
  };

  ToolRuntimeConfig runtime_config_;
  const VirtualExecutor clock_;
  FixedRandom random_;
};

TEST_F(FileReaderOfAJob, ACallWhoseTimeIsOverStopsReadingAndSaysSo) {
  tool.emplace(config, std::move(FileRoots::open(config.roots).value()), executor);
  directory.write("large.txt", "x");
  std::filesystem::resize_file(directory.path() / "large.txt", std::uintmax_t{1} << 30);
  const ToolResult late = call("large.txt", Milliseconds(1));
  EXPECT_EQ(late.error.value_or(ToolError{}).type, ToolErrorType::Timeout) << late.observation;
  EXPECT_EQ(late.error->message, "Tool execution timed out after 1ms");
  EXPECT_EQ(late.state, ToolCallState::Failed) << "reading has no effect";
  EXPECT_EQ(call("flights.csv", Milliseconds(20'000)).state, ToolCallState::Succeeded)
      << "its only thread is free again";
}

// ---- artifacts ---------------------------------------------------------------------------------

class ArtifactReader : public FileReaderTool {
 protected:
  ArtifactReader() {
    config.artifacts = true;
    tool.emplace(config, std::move(FileRoots::open(config.roots).value()), executor);
  }
  RawToolResult read_artifact(const std::string& data, const std::string& more = "") {
    ToolInvocation invocation;
    invocation.parameters = R"({"artifact_id":"artifact_x")" + more + "}";
    invocation.artifacts["artifact_id"] = data;
    if (given) invocation.artifact_parts["artifact_id"] = *std::exchange(given, std::nullopt);
    std::optional<RawToolResult> result;
    handle = tool->run(invocation, [&](RawToolResult raw) { result = std::move(raw); });
    EXPECT_TRUE(executor.run_until([&] { return result.has_value(); }));
    return result.value_or(RawToolResult{});
  }
  std::optional<ItemRange> given;  ///< what the data of the next call is a part of

  std::vector<std::string> properties() {
    std::vector<std::string> names;
    const auto schema = nlohmann::ordered_json::parse(tool->descriptor().parameters_schema);
    for (const auto& item : schema["properties"].items()) names.push_back(item.key());
    return names;
  }
};

TEST_F(ArtifactReader, ReadsAnArrayByRangeAndSample) {
  EXPECT_EQ(read_artifact("[1,2,3,4]", R"(,"offset":1,"limit":2)").data, "[2,3]");
  EXPECT_EQ(read_artifact("[1,2,3,4]", R"(,"sample":2)").data, "[1,3]");
}

/// Of one in chunks the tool may be given those of the range alone.
TEST_F(ArtifactReader, ReadsAPartByThePlacesInTheWhole) {
  const auto read = [this](const std::string& data, ItemRange part, const std::string& more) {
    given = {part};
    return read_artifact(data, more);
  };
  const RawToolResult rows = read(R"([{"n":90000},{"n":90001},{"n":90002}])", {90'000, 3, 100'000},
                                  R"(,"offset":90001,"limit":2)");
  EXPECT_EQ(rows.data, R"([{"n":90001},{"n":90002}])");
  EXPECT_EQ(rows.note, "2 of 100000 rows, from offset 90001 on.");
  EXPECT_EQ(
      read(R"([{"n":90000},{"n":90001}])", {90'000, 2, 100'000}, R"(,"json_path":"$[90001].n")")
          .data,
      "90001");
  EXPECT_EQ(read("[]", {10, 0, 10}, R"(,"offset":10)").note,
            "None of 10 items, from offset 10 on.");
}

TEST_F(ArtifactReader, AsksForTheRangeThatItReads) {
  const auto range = [this](const std::string& more) {
    return tool->artifact_range(R"({"artifact_id":"artifact_x")" + more + "}");
  };
  EXPECT_EQ(range(R"(,"offset":90000,"limit":50)"), (ItemRange{90'000, 50, 0}));
  EXPECT_EQ(range(R"(,"offset":5)"), (ItemRange{5, 100'000, 0}));
  EXPECT_EQ(range(R"(,"json_path":"$[12].name")"), (ItemRange{12, 1, 0}));
  EXPECT_EQ(range(R"(,"json_path":"$[*].name")"), std::nullopt);
  EXPECT_EQ(range(R"(,"json_path":"$[-1]")"), std::nullopt);
  EXPECT_EQ(range(R"(,"sample":5)"), std::nullopt);
  EXPECT_EQ(range(R"(,"format":"csv")"), std::nullopt);
}

TEST_F(ArtifactReader, ReachesEveryRowOfALargeOneByItsFields) {
  std::string data = "[";
  for (int i = 0; i < 30'000; ++i)
    data += (i > 0 ? ",{\"n\":" : "{\"n\":") + std::to_string(i) + ",\"pad\":\"" +
            std::string(50, 'x') + "\"}";
  data += "]";
  EXPECT_EQ(read_artifact(data, R"(,"offset":29999)").data.substr(0, 12), R"([{"n":29999,)");
  EXPECT_EQ(read_artifact(data, R"(,"json_path":"$[-1].n")").data, "29999");
  const std::string all = read_artifact(data, R"(,"json_path":"$[*].n")").data;
  EXPECT_TRUE(all.starts_with("[0,1,2,")) << all.substr(0, 100);
  EXPECT_TRUE(all.ends_with(",29998,29999]"));
  EXPECT_EQ(read_artifact(data, R"(,"json_path":"$[30000]")").error.value().message,
            "json_path '$[30000]' leads nowhere: no item 30000; there is an array of 30000 items");
}

TEST_F(ArtifactReader, ReadsThePlaceOfAJsonPath) {
  const std::string data = R"({"columns":["n"],"rows":[{"n":1},{"n":2}]})";
  EXPECT_EQ(read_artifact(data, R"(,"json_path":"$.rows[*].n")").data, "[1,2]");
  EXPECT_EQ(read_artifact(data, R"(,"json_path":"$.rows[1]")").data, R"({"n":2})");
  const RawToolResult nowhere = read_artifact(data, R"(,"json_path":"$.row")");
  EXPECT_EQ(nowhere.error->type, ToolErrorType::NotFound);
  EXPECT_EQ(nowhere.error->code, "PATH_NOT_FOUND");
  EXPECT_EQ(read_artifact(data, R"(,"json_path":"row")").error->type,
            ToolErrorType::ValidationError);
}

TEST_F(ArtifactReader, ReadsATextByLinesOrAsCsvOrJson) {
  EXPECT_EQ(read_artifact(R"("a\nb\nc")", R"(,"offset":2)").data,
            R"({"total_lines":3,"offset":2,"lines":["c"]})");
  EXPECT_EQ(read_artifact(R"("x,y\n1,2\n")", R"(,"format":"csv")").data, R"([{"x":1,"y":2}])");
  EXPECT_EQ(read_artifact(R"("[7]")", R"(,"format":"json")").data, "[7]");
  EXPECT_EQ(read_artifact(R"("{\"a\":1}\n{\"a\":2}\n")", R"(,"format":"jsonl")").data,
            R"([{"a":1},{"a":2}])");
  EXPECT_EQ(read_artifact("[1,2]", R"(,"format":"jsonl")").data, "[1,2]");
}

TEST_F(ArtifactReader, ReadsLinesOfJsonWhereThatIsAsked) {
  EXPECT_EQ(read_artifact(R"({"a":1})", R"(,"format":"text")").data,
            R"({"total_lines":3,"lines":["{","  \"a\": 1","}"]})");
}

TEST_F(ArtifactReader, WantsAFileOrAnArtifact) {
  for (const char* parameters : {"{}", R"({"path":"flights.csv","artifact_id":"artifact_x"})"}) {
    EXPECT_EQ(read(parameters).error->code, "INVALID_PARAMETERS") << parameters;
    EXPECT_EQ(tool->refusal(parameters)->code, "INVALID_PARAMETERS") << parameters;
  }
  EXPECT_EQ(tool->refusal(R"({"artifact_id":"artifact_x"})"), std::nullopt);
}

TEST_F(ArtifactReader, OffersWhatIsConfigured) {
  EXPECT_THAT(properties(), testing::Contains("path"));
  EXPECT_THAT(properties(), testing::Contains("artifact_id"));
  config.roots.clear();
  tool.emplace(config, std::move(FileRoots::open({}).value()), executor);
  EXPECT_THAT(properties(), testing::Not(testing::Contains("path")));
  EXPECT_THAT(tool->descriptor().description, testing::Not(testing::HasSubstr("Files:")));
  tool.emplace(config, std::move(FileRoots::open({}).value()), executor,
               FileReader::Offer::Everything);
  EXPECT_THAT(properties(), testing::Contains("path"));
}

}  // namespace
}  // namespace ba::files
