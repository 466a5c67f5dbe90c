// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/file_write.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "pipeline/core/tool/tool_runtime.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/loop_executor.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba::files {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Json = nlohmann::json;

class FileWriteTool : public testing::Test {
 protected:
  FileWriteTool() {
    config.roots = {{"out", directory.path().string(), "Reports"}};
    make();
  }

  void make() {
    tool.emplace(config, std::move(PlacedFiles::open(config.roots).value()), executor);
  }

  RawToolResult write(const Json& parameters, const std::string& key = "key",
                      const std::string& artifact = "") {
    ToolInvocation invocation;
    if (!artifact.empty()) invocation.artifacts["artifact_id"] = artifact;
    invocation.parameters = parameters.dump();
    invocation.tenant = TenantId("acme");
    invocation.idempotency_key = key;
    std::optional<RawToolResult> result;
    handle = tool->run(invocation, [&](RawToolResult raw) { result = std::move(raw); });
    EXPECT_TRUE(executor.run_until([&] { return result.has_value(); }));
    return result.value_or(RawToolResult{});
  }

  std::string code(const Json& parameters, const std::string& key = "key") {
    const RawToolResult raw = write(parameters, key);
    return raw.error ? raw.error->code : "none";
  }

  std::string content(const std::string& name) const {
    std::ifstream file(directory.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// What stands in the root, but for the journal.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
      if (entry.path().filename() != ".ba-agent") names.push_back(entry.path().filename());
    return names;
  }

  LoopExecutor executor;
  TemporaryDirectory directory;
  FileWriteConfig config;
  std::optional<FileWrite> tool;
  std::unique_ptr<ToolRun> handle;
};

// ---- writing -----------------------------------------------------------------------------------

TEST_F(FileWriteTool, WritesAFileAndSaysHowMuch) {
  const RawToolResult raw = write({{"path", "a.md"}, {"content", "käse\n"}});
  EXPECT_EQ(content("a.md"), "käse\n");
  const Json data = Json::parse(raw.data);
  EXPECT_EQ(data["success"], true);
  EXPECT_EQ(data["message"], "Written: a.md");
  EXPECT_EQ(data["bytes"], 6);
  EXPECT_EQ(data["sha256"].get<std::string>().size(), 64U);
}

TEST_F(FileWriteTool, ReplacesAsAWholeAndMakesMissingFolders) {
  write({{"path", "2026/11/a.md"}, {"content", "long content"}}, "1");
  write({{"path", "out/2026/11/a.md"}, {"content", "short"}}, "2");
  EXPECT_EQ(content("2026/11/a.md"), "short");
}

TEST_F(FileWriteTool, CreateFailsWhereThereIsAFile) {
  const Json call = {{"path", "a"}, {"content", "x"}, {"mode", "create"}};
  EXPECT_EQ(code(call, "1"), "none");
  const RawToolResult again = write(call, "2");
  EXPECT_EQ(again.error->type, ToolErrorType::ValidationError);
  EXPECT_EQ(again.error->code, "FILE_EXISTS");
  EXPECT_EQ(again.error->message, "'a': there is such a file already");
}

TEST_F(FileWriteTool, SaysHowManyTextsOfAnArtifactItKeptFromBeingComputed) {
  config.artifacts = true;
  make();
  const std::string rows = R"([{"a":"=1+1","b":"-2"},{"a":"@x","b":-3}])";
  const Json call = {{"path", "a.csv"}, {"artifact_id", "artifact_1"}};
  const RawToolResult raw = write(call, "1", rows);
  EXPECT_EQ(content("a.csv"), "a,b\r\n'=1+1,-2\r\n'@x,-3\r\n");
  EXPECT_EQ(raw.note.substr(0, 43), "2 cells begin as a formula would (= + - @):");
  config.csv_formulas = true;
  make();
  EXPECT_EQ(write(call, "2", rows).note, "");
  EXPECT_EQ(content("a.csv"), "a,b\r\n=1+1,-2\r\n@x,-3\r\n");
  EXPECT_EQ(write({{"path", "b.csv"}, {"content", "=1"}}, "3").note, "");
  EXPECT_EQ(content("b.csv"), "=1") << "what the model writes itself";
}

TEST_F(FileWriteTool, WritesTheDataOfAnArtifact) {
  config.artifacts = true;
  config.file_bytes_max = 40;
  make();
  const std::string rows = R"([{"day":"Mon","n":1.10}])";
  const auto call = [](const char* path) {
    return Json{{"path", path}, {"artifact_id", "artifact_1"}};
  };
  EXPECT_FALSE(write(call("a.CSV"), "1", rows).error);
  EXPECT_EQ(content("a.CSV"), "day,n\r\nMon,1.10\r\n");
  EXPECT_FALSE(write(call("a.json"), "2", rows).error);
  EXPECT_EQ(content("a.json"), rows + "\n");
  EXPECT_FALSE(write(call("a.txt"), "3", R"("a\nb")").error);
  EXPECT_EQ(content("a.txt"), "a\nb");
  const RawToolResult large = write(call("b.txt"), "4", "\"" + std::string(41, 'x') + "\"");
  EXPECT_EQ(large.error->message,
            "the data of the artifact: it has 41 bytes, at most 40 can be written");
  EXPECT_EQ(write(call("a.json"), "2", "[1]").error->code, "KEY_REUSED");
  EXPECT_EQ(code({{"path", "c"}}), "INVALID_PARAMETERS");
  EXPECT_EQ(code({{"path", "c"}, {"content", "x"}, {"artifact_id", "artifact_1"}}),
            "INVALID_PARAMETERS");
}

// ---- once --------------------------------------------------------------------------------------

TEST_F(FileWriteTool, TheSameCallWritesOnceHoweverOftenItIsRun) {
  const Json call = {{"path", "a"}, {"content", "mine"}};
  const std::string first = write(call).data;
  directory.write("a", "somebody else's, later");
  EXPECT_EQ(write(call).data, first);
  EXPECT_EQ(content("a"), "somebody else's, later");
  EXPECT_EQ(code(call, "another call"), "none");
  EXPECT_EQ(content("a"), "mine");
}

TEST_F(FileWriteTool, ACreationThatIsRunAgainIsNoConflictWithItself) {
  const Json call = {{"path", "a"}, {"content", "x"}, {"mode", "create"}};
  const std::string first = write(call).data;
  EXPECT_EQ(write(call).data, first);
}

TEST_F(FileWriteTool, ACallThatFailedMayBeRunAgain) {
  directory.write("in the way", "x");
  const Json call = {{"path", "in the way"}, {"content", "y"}, {"mode", "create"}};
  EXPECT_EQ(code(call), "FILE_EXISTS");
  std::filesystem::remove(directory.path() / "in the way");
  EXPECT_EQ(code(call), "none");
  EXPECT_EQ(content("in the way"), "y");
}

TEST_F(FileWriteTool, AKeyThatWasUsedForSomethingElseIsRefused) {
  EXPECT_EQ(code({{"path", "a"}, {"content", "x"}}), "none");
  EXPECT_EQ(code({{"path", "a"}, {"content", "y"}}), "KEY_REUSED");
  EXPECT_EQ(code({{"path", "b"}, {"content", "x"}}), "KEY_REUSED");
  EXPECT_EQ(content("a"), "x");
}

/// A call of an artifact whose worker went, before another version or setting goes on with it.
class FileMadeOtherwise : public FileWriteTool {
 protected:
  FileMadeOtherwise() {
    config.artifacts = true;
    made_with(true);
  }

  void made_with(bool formulas) {
    config.csv_formulas = formulas;
    make();
  }

  RawToolResult call(const std::string& rows = kRows) {
    return write({{"path", "a.csv"}, {"artifact_id", "artifact_1"}}, "key", rows);
  }

  std::filesystem::path journal(const char* ending) const {
    return directory.path() / ".ba-agent" / (sha256_hex_of("acme\nkey") + ending);
  }

  /// As a worker that knew a call by its content alone left it.
  void noted_by_an_older_worker(const std::string& state, const std::string& made,
                                const std::string& path = "a.csv") {
    std::ofstream(journal(".state")) << state << sha256_hex_of(sha256_hex_of(made) + path);
    if (state == "ready") std::ofstream(journal(".new"), std::ios::binary) << made;
  }

  static constexpr const char* kRows = R"([{"a":"=1+1"}])";
  static constexpr const char* kFormula = "a\r\n=1+1\r\n";
};

TEST_F(FileMadeOtherwise, IsTheSameCallAndTellsWhatStandsThere) {
  const RawToolResult first = call();
  made_with(false);
  const RawToolResult again = call();
  ASSERT_FALSE(again.error) << again.error->message;
  EXPECT_EQ(again.data, first.data);
  EXPECT_EQ(again.note, "") << "nothing was written with an apostrophe";
  EXPECT_EQ(content("a.csv"), kFormula);
}

TEST_F(FileMadeOtherwise, PreparedByAWorkerThatWentIsPlacedAsItIs) {
  const RawToolResult first = call();
  std::filesystem::rename(directory.path() / "a.csv", journal(".new"));
  std::fstream(journal(".state"), std::ios::in | std::ios::out) << "ready";
  made_with(false);
  EXPECT_EQ(call().data, first.data);
  EXPECT_EQ(content("a.csv"), kFormula);
  EXPECT_EQ(call().data, first.data) << "its note stays";
}

TEST_F(FileMadeOtherwise, ByAnOlderWorkerIsKnownByEitherWayOfMakingIt) {
  for (const char* state : {"ready", "done."}) {
    made_with(false);
    noted_by_an_older_worker(state, kFormula);
    const RawToolResult raw = call();
    ASSERT_FALSE(raw.error) << raw.error->message;
    EXPECT_EQ(Json::parse(raw.data)["sha256"], sha256_hex_of(kFormula));
    EXPECT_EQ(content("a.csv"), kFormula);
  }
}

TEST_F(FileMadeOtherwise, AnOlderWorkerKnowsTheNoteOfAFileThatItMakesAlike) {
  call();
  std::ifstream state(journal(".state"));
  const std::string note{std::istreambuf_iterator<char>(state), {}};
  const std::string known = sha256_hex_of(sha256_hex_of(kFormula) + "a.csv");
  EXPECT_LE(note.size(), 256U) << "what it reads";
  EXPECT_TRUE(note.ends_with(known)) << "what it compares";
  EXPECT_EQ(note.substr(5, known.size()), known) << "what it writes over it";
}

TEST_F(FileMadeOtherwise, WhatCannotBeToldFromAnotherCallIsRefusedWithWhatToDo) {
  noted_by_an_older_worker("done.", "made in a way that nobody knows");
  const RawToolResult raw = call();
  ASSERT_TRUE(raw.error);
  EXPECT_EQ(raw.error->code, "KEY_REUSED");
  EXPECT_THAT(raw.error->message, HasSubstr("an earlier version made the file in another way"));
  EXPECT_THAT(raw.error->message, HasSubstr("write it by a new call"));
  noted_by_an_older_worker("done.", kFormula, "b.csv");
  EXPECT_EQ(call().error.value_or(ToolError{}).code, "KEY_REUSED");
}

TEST_F(FileMadeOtherwise, AnotherArtifactOrPathIsAnotherCall) {
  call();
  EXPECT_EQ(call(R"([{"a":"=1+2"}])").error.value_or(ToolError{}).code, "KEY_REUSED");
  const Json elsewhere = {{"path", "b.csv"}, {"artifact_id", "artifact_1"}};
  EXPECT_EQ(write(elsewhere, "key", kRows).error.value_or(ToolError{}).code, "KEY_REUSED");
  EXPECT_EQ(files(), std::vector<std::string>{"a.csv"});
}

TEST_F(FileWriteTool, KeysOfTwoTenantsAreTwo) {
  ToolInvocation invocation;
  invocation.idempotency_key = "key";
  for (const char* tenant : {"acme", "globex"}) {
    invocation.tenant = TenantId(tenant);
    invocation.parameters = Json{{"path", "a"}, {"content", tenant}}.dump();
    bool done = false;
    handle = tool->run(invocation, [&](const RawToolResult& raw) { done = !raw.error; });
    EXPECT_TRUE(executor.run_until([&] { return done; }));
  }
  EXPECT_EQ(content("a"), "globex");
}

TEST_F(FileWriteTool, WhoIsKilledAnywhereLeavesWholeFilesAndEachCallHappensOnce) {
  constexpr int kFiles = 60;
  const auto text = [](int number) { return std::string(3000, 'a' + number % 26); };
  int cut = 0;
  for (int round = 0; round < 6; ++round) {
    TemporaryDirectory place;
    const PlacedFiles files =
        std::move(PlacedFiles::open({{"out", place.path().string(), ""}}).value());
    const auto put = [&](int number) {
      const std::string name = std::to_string(number);
      const std::string whole = text(number);
      return files.place({name, whole, Placement::Replace, name}, [] { return false; });
    };
    const pid_t child = ::fork();
    if (child == 0) {
      for (int number = 0; number < kFiles; ++number)
        if (!put(number)) ::_exit(1);
      ::_exit(0);
    }
    std::this_thread::sleep_for(Milliseconds(round * 9));  // the first is killed at once
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    for (int number = 0; number < kFiles; ++number) {
      const auto name = place.path() / std::to_string(number);
      const bool there = std::filesystem::exists(name);
      cut += there ? 0 : 1;
      if (there) {
        std::ifstream file(name);
        ASSERT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text(number));
        std::ofstream(name) << "later";
      }
      ASSERT_TRUE(put(number));
      std::ifstream file(name);
      ASSERT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
                there ? "later" : text(number))
          << "round " << round << ", file " << number;
    }
  }
  EXPECT_GT(cut, 0) << "nobody was killed in the midst of it";
}

TEST_F(FileWriteTool, TwoRunsOfACallAtTheSameTimeAreOne) {
  const PlacedFiles files = std::move(PlacedFiles::open(config.roots).value());
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int number = 0; number < 15; ++number) {
        const std::string name = "f" + std::to_string(number);
        if (!files.place({name, "x", Placement::Create, name}, [] { return false; })) ++failed;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0) << "a creation met itself";
}

TEST_F(FileWriteTool, ForgetsOldKeys) {
  write({{"path", "a"}, {"content", "x"}});
  const PlacedFiles files = std::move(PlacedFiles::open(config.roots).value());
  EXPECT_EQ(files.forget(Milliseconds(3'600'000)), 0);
  EXPECT_EQ(files.forget(Milliseconds(-2000)), 1);
  EXPECT_EQ(content("a"), "x");
}

// ---- bad input ---------------------------------------------------------------------------------

TEST_F(FileWriteTool, NeverLeavesTheRoot) {
  TemporaryDirectory outside;
  std::filesystem::create_directory_symlink(outside.path(), directory.path() / "link");
  std::filesystem::create_symlink(outside.path() / "file", directory.path() / "dangling");
  for (const char* path : {"../a", "/etc/a", "a/../../b", "link/a", "dangling", ".", "", "a/..",
                           ".ba-agent/x", ".hidden", "a/.b/c"}) {
    const std::string got = code({{"path", path}, {"content", "x"}}, path);
    EXPECT_TRUE(got == "FILE_NOT_ALLOWED" || got == "INVALID_PATH") << path << ": " << got;
  }
  EXPECT_EQ(code({{"path", std::string("a\0b", 3)}, {"content", "x"}}), "FILE_NOT_ALLOWED");
  EXPECT_TRUE(std::filesystem::is_empty(outside.path()));
}

TEST_F(FileWriteTool, MakesNoNameThatWouldBeARiddle) {
  for (const char* path : {"a\nb", "\x1b[2J", "a/", "a/.", "a/./.", "a\x7f", "a\t/b"})
    EXPECT_EQ(code({{"path", path}, {"content", "x"}}, path), "INVALID_PATH") << path;
  EXPECT_EQ(tool->refusal(R"({"path":"a/","content":""})")->code, "INVALID_PATH");
  EXPECT_EQ(files(), std::vector<std::string>{});
}

TEST_F(FileWriteTool, WritesOverNothingButFiles) {
  std::filesystem::create_directory(directory.path() / "folder");
  ASSERT_EQ(::mkfifo((directory.path() / "pipe").c_str(), 0600), 0);
  for (const char* path : {"folder", "pipe"})
    EXPECT_EQ(code({{"path", path}, {"content", "x"}}, path), "FILE_NOT_ALLOWED") << path;
  directory.write("file", "x");
  EXPECT_EQ(code({{"path", "file/below"}, {"content", "x"}}), "PLACE_NOT_FOUND");
}

TEST_F(FileWriteTool, ALinkThatIsSwappedInMeanwhileLeadsNowhere) {
  TemporaryDirectory outside;
  std::atomic<bool> stop{false};
  std::thread swapper([&] {
    const auto folder = directory.path() / "f";
    while (!stop) {
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
      std::filesystem::create_directory_symlink(outside.path(), folder, ignored);
      std::filesystem::remove(folder, ignored);
      std::filesystem::create_directory(folder, ignored);
    }
  });
  const PlacedFiles files = std::move(PlacedFiles::open(config.roots).value());
  for (int i = 0; i < 150; ++i)
    static_cast<void>(
        files.place({"f/x", "x", Placement::Replace, std::to_string(i)}, [] { return false; }));
  stop = true;
  swapper.join();
  EXPECT_TRUE(std::filesystem::is_empty(outside.path()));
}

TEST_F(FileWriteTool, HasALimitOnSize) {
  config.file_bytes_max = 10;
  make();
  const RawToolResult raw = write({{"path", "a"}, {"content", std::string(11, 'x')}});
  EXPECT_EQ(raw.error->type, ToolErrorType::InvalidParameters);
  EXPECT_EQ(raw.error->message, "content: it has 11 bytes, at most 10 can be written");
  EXPECT_EQ(code({{"path", "a"}, {"content", std::string(10, 'x')}}), "none");
}

TEST_F(FileWriteTool, AFullDiskLeavesTheOldFileAndNothingElse) {
  directory.write("a", "old");
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{4096, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const RawToolResult raw = write({{"path", "a"}, {"content", std::string(100'000, 'x')}});
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, before);
  ASSERT_TRUE(raw.error);
  EXPECT_EQ(raw.error->type, ToolErrorType::ResourceError);
  EXPECT_EQ(raw.error->code, "DISK_FULL");
  EXPECT_FALSE(raw.outcome_unknown);
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(files().size(), 1U);
  EXPECT_EQ(code({{"path", "a"}, {"content", "new"}}), "none") << "with room, the same call works";
}

TEST_F(FileWriteTool, NamesNoRealPath) {
  for (const Json& call : {Json{{"path", "../a"}, {"content", "x"}},
                           Json{{"path", "a"}, {"content", "x"}, {"mode", "create"}}}) {
    const RawToolResult raw = write(call, call.dump());
    const std::string told = raw.data + (raw.error ? raw.error->message : "");
    EXPECT_THAT(told, Not(HasSubstr(directory.path().string())));
  }
  EXPECT_THAT(tool->descriptor().description, Not(HasSubstr(directory.path().string())));
  EXPECT_THAT(tool->descriptor().description, HasSubstr(" A path begins "));
}

TEST_F(FileWriteTool, AnExplanationSaysWhatWouldBeRefusedWithoutWriting) {
  EXPECT_EQ(tool->refusal(R"({"path":"../a","content":""})")->code, "FILE_NOT_ALLOWED");
  EXPECT_EQ(tool->refusal(R"({"path":"a","content":""})"), std::nullopt);
  EXPECT_THAT(files(), IsEmpty());
}

/// Another process that is at the call whose state file this is.
class AnotherRun {
 public:
  explicit AnotherRun(const std::filesystem::path& state) {
    std::ofstream(state, std::ios::app);
    child_ = ::fork();
    if (child_ == 0) {
      ::execlp("flock", "flock", "--no-fork", state.c_str(), "sleep", "600", nullptr);
      ::_exit(127);
    }
    const int file = ::open(state.c_str(), O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 6000 && ::flock(file, LOCK_EX | LOCK_NB) == 0; ++i) {
      ::flock(file, LOCK_UN);
      std::this_thread::sleep_for(Milliseconds(10));
    }
    ::close(file);
  }
  ~AnotherRun() { end(); }
  AnotherRun(const AnotherRun&) = delete;
  AnotherRun& operator=(const AnotherRun&) = delete;

  void end() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  pid_t child_ = 0;
};

TEST_F(FileWriteTool, ACancelledCallThatWaitsForAnotherRunEnds) {
  const PlacedFiles files = std::move(PlacedFiles::open(config.roots).value());
  ASSERT_TRUE(files.place({"a", "x", Placement::Replace, "k"}, [] { return false; }));
  const AnotherRun other(
      std::filesystem::directory_iterator(directory.path() / ".ba-agent")->path());
  const auto ended = files.place({"a", "x", Placement::Replace, "k"}, [] { return true; });
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::Cancelled);
}

/// As a job calls it.
class FileWriteOfAJob : public FileWriteTool {
 protected:
  FileWriteOfAJob() {
    config.threads = 1;
    auto made = std::make_unique<FileWrite>(
        config, std::move(PlacedFiles::open(config.roots).value()), executor);
    descriptor_ = &made->descriptor();
    EXPECT_TRUE(registry_.add(std::move(made)));
  }

  static ToolRuntimeConfig without_retries() {
    ToolRuntimeConfig config;
    config.retry.max_retries = 0;
    return config;
  }

  ToolResult call(const std::string& path, Milliseconds timeout) {
    descriptor_->timeout = timeout;
    ToolRequest request;
    request.call.name = "file_write";
    request.call.args_json = Json{{"path", path}, {"content", "late"}}.dump();
    request.permission = PermissionLevel::Admin;
    request.tenant = TenantId("acme");
    request.idempotency_key = "key of " + path;
    std::optional<ToolResult> result;
    const auto run = runtime_.run(request, [&](ToolResult value) { result = std::move(value); });
    EXPECT_TRUE(executor.run_until([&] { return result.has_value(); }));
    return result.value_or(ToolResult{});
  }

  ToolDescriptor* descriptor_ = nullptr;  ///< the registry's
  const VirtualExecutor clock_;
  FixedRandom random_;
  ToolRegistry registry_;
  ToolRuntime runtime_{registry_, without_retries(), clock_, executor, random_};
};

TEST_F(FileWriteOfAJob, ACallWhoseTimeIsOverWhileItWaitsForAnotherRunWritesNothingLater) {
  AnotherRun other(directory.path() / ".ba-agent" / (sha256_hex_of("acme\nkey of a") + ".state"));
  const ToolResult late = call("a", Milliseconds(1000));
  EXPECT_EQ(late.error.value_or(ToolError{}).code, "TIMEOUT") << late.observation;
  EXPECT_EQ(late.state, ToolCallState::Unknown) << "the other run may write it";
  other.end();
  EXPECT_EQ(call("b", Milliseconds(20'000)).state, ToolCallState::Succeeded) << "a thread is free";
  EXPECT_EQ(files(), std::vector<std::string>{"b"});
  EXPECT_EQ(call("a", Milliseconds(20'000)).state, ToolCallState::Succeeded) << "the key is, too";
}

TEST_F(FileWriteTool, IsKeyedForAdminsAndNeverCached) {
  EXPECT_EQ(tool->descriptor().effect, EffectClass::Keyed);
  EXPECT_EQ(tool->descriptor().permission, PermissionLevel::Admin);
  EXPECT_FALSE(tool->descriptor().may_be_cached);
}

TEST(FileWriteRoots, OneThatCannotBeWrittenIsNamedWithTheReason) {
  for (const char* path : {"/proc", "/no/such/place", "/etc/passwd"}) {
    const auto opened = PlacedFiles::open({{"out", path, ""}});
    ASSERT_FALSE(opened) << path;
    EXPECT_THAT(opened.error().message, HasSubstr(std::string("file root 'out': ") + path));
  }
}

}  // namespace
}  // namespace ba::files
