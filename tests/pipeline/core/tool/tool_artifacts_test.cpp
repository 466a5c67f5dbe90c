// SPDX-License-Identifier: Apache-2.0
// Which results become artifacts, what a model then reads, and how a later call is given them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/core/tool/artifact.hpp"
#include "pipeline/core/tool/tool_runtime.hpp"
#include "pipeline/text/semantic/semantic_key.hpp"
#include "tests/support/fake_artifact_store.hpp"
#include "tests/support/fake_tool.hpp"
#include "tests/support/fixed_random.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba {
namespace {

using Answer = FakeTool::Answer;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string json_text(std::size_t bytes) { return "\"" + std::string(bytes - 2, 'x') + "\""; }

/// The block that stands below, to the letter.
std::string block(const std::string& id, const std::string& summary) {
  return "Data stored as artifact: " + id +
         "\n\nLarge dataset available for subsequent tool access.\n\nTo access this data, "
         "reference the artifact_id in your next tool call.\nThe system will securely retrieve the "
         "data for you.\n\nData summary: " +
         summary;
}

class ToolArtifacts : public testing::Test {
 protected:
  ToolArtifacts() {
    descriptor.name = "query";
    descriptor.effect = EffectClass::Pure;
    request.call.id = ToolCallId("call_1");
    request.call.name = "query";
    request.tenant = TenantId("acme");
    request.job = LedgerJobId(12);
    request.position = {0, 2, 1};
  }

  ToolResult run(std::deque<Answer> answers, std::optional<OutputLevel> level = std::nullopt) {
    record.answers = std::move(answers);
    request.agent_level = level;
    if (level == OutputLevel::Full) ask_for_full();
    if (!runtime) {
      EXPECT_TRUE(registry.add(std::make_unique<FakeTool>(time, descriptor, record)));
      runtime.emplace(registry, config, time, time, random);
      runtime->keep_artifacts({store, bytes_max});
    }
    std::optional<ToolResult> result;
    handle = runtime->run(request, [&](ToolResult value) { result = std::move(value); });
    EXPECT_FALSE(result) << "answered from inside run()";
    time.run();
    EXPECT_TRUE(result);
    return result.value_or(ToolResult{});
  }

  /// The call itself does.
  void ask_for_full() { request.call.args_json = R"({"output_level":"full"})"; }

  std::string id_of(const std::string& data) const {
    return artifact_id(request.tenant, sha256_hex_of(data));
  }

  VirtualExecutor time;
  FixedRandom random;
  FakeArtifactStore store{time, time};
  std::int64_t bytes_max = 4 << 20;
  ToolDescriptor descriptor;
  FakeTool::Record record;
  ToolRegistry registry;
  ToolRuntimeConfig config;
  ToolRequest request;
  std::optional<ToolRuntime> runtime;
  std::unique_ptr<ToolRun> handle;
};

// ---- which results -----------------------------------------------------------------------------

TEST_F(ToolArtifacts, AResultOfOneMebibyteIsStoredAndOneByteLessIsNot) {
  const std::string data = json_text(1 << 20);
  const ToolResult large = run({FakeTool::ok(data)}, OutputLevel::Brief);
  EXPECT_EQ(large.artifact_id, id_of(data));
  EXPECT_EQ(large.data_hash, sha256_hex_of(data));
  EXPECT_EQ(store.artifacts.size(), 1u);
  const ToolResult small = run({FakeTool::ok(json_text((1 << 20) - 1))}, OutputLevel::Standard);
  EXPECT_EQ(small.artifact_id, "");
  EXPECT_EQ(store.artifacts.size(), 1u);
}

TEST_F(ToolArtifacts, TheSizeThatCountsIsThatOfTheCompactJson) {
  const std::string spaced =
      "[\"" + std::string((1 << 20) - 10, 'x') + "\"" + std::string(100, ' ') + "]";
  EXPECT_EQ(run({FakeTool::ok(spaced)}, OutputLevel::Brief).artifact_id, "");
}

TEST_F(ToolArtifacts, EveryResultThatACallAskedForAtFullIsStored) {
  const ToolResult result = run({FakeTool::ok("[1]")}, OutputLevel::Full);
  EXPECT_EQ(result.artifact_id, id_of("[1]"));
}

TEST_F(ToolArtifacts, WhatIsWholeInTheTextIsNotStoredASecondTime) {
  descriptor.reader = true;
  const ToolResult result = run({FakeTool::ok(R"([{"a":1},{"a":2}])")});
  EXPECT_EQ(result.output_level, OutputLevel::Full);
  EXPECT_EQ(result.artifact_id, "");
  EXPECT_EQ(result.observation, "[2]{a}:\n  1\n  2");
  EXPECT_TRUE(store.artifacts.empty());
}

TEST_F(ToolArtifacts, WhatIsShownInPartIsStored) {
  descriptor.reader = true;
  config.inline_full_max_bytes = 20;
  config.preview_bytes = 16;
  Answer rows = FakeTool::ok(R"([{"a":1},{"a":2},{"a":3},{"a":4},{"a":5},{"a":6}])");
  rows.result.note = "Only the first 6 rows.";
  const ToolResult result = run({rows});
  EXPECT_EQ(result.observation,
            "[2]{a}:\n  1\n  2\n… 4 more rows\nOnly the first 6 rows.\n\n" +
                block(id_of(rows.result.data), "List with 6 items. First item keys: ['a']"));
  EXPECT_TRUE(result.in_part);
  EXPECT_EQ(store.artifacts.at({"acme", result.artifact_id}).data, rows.result.data)
      << "the note is no part of it";
}

// ---- what a tool has put away ------------------------------------------------------------------

class PutAway : public ToolArtifacts {
 protected:
  PutAway() {
    descriptor.reader = true;
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(put(
          {i, 2 * i, 2,
           R"({"a":)" + std::to_string(2 * i) + R"(},{"a":)" + std::to_string(2 * i + 1) + "}"}));
  }
  bool put(DataChunk chunk) {
    bool done = false;
    store.put({"u1", request.tenant, std::move(chunk)},
              [&](const Result<void>& answer) { done = bool(answer); });
    time.run();
    return done;
  }
  Answer rows(int chunks = 3) {
    Answer answer;
    answer.result.chunked = ChunkedData{
        "u1", chunks, R"([{"a":0},{"a":1},{"a":2}])", 6, std::ssize(whole), sha256_hex_of(whole)};
    answer.result.note = "Only the first 6 rows.";
    return answer;
  }
  const std::string whole = R"([{"a":0},{"a":1},{"a":2},{"a":3},{"a":4},{"a":5}])";
};

TEST_F(PutAway, TheModelReadsTheFirstRowsHowManyThereAreAndWhereAllOfThemAre) {
  config.preview_bytes = 16;
  const ToolResult result = run({rows()});
  EXPECT_EQ(result.observation,
            "[2]{a}:\n  0\n  1\n… 4 more rows\nOnly the first 6 rows.\n\n" +
                block(id_of(whole), "List with 6 items. First item keys: ['a']"));
  EXPECT_TRUE(result.in_part);
  EXPECT_EQ(result.data_size_bytes, std::ssize(whole));
  EXPECT_EQ(result.data_hash, sha256_hex_of(whole));
  EXPECT_EQ(store.artifacts.at({"acme", result.artifact_id}).data, whole);
}

TEST_F(PutAway, ItIsInPartThoughAllThatIsAtHandFits) {
  const ToolResult result = run({rows()});
  EXPECT_THAT(result.observation, StartsWith("[3]{a}:\n  0\n  1\n  2\n… 3 more rows\n"));
}

TEST_F(PutAway, BriefAndStandardCountTheRowsThatThereAre) {
  request.call.args_json = R"({"output_level":"brief"})";
  EXPECT_THAT(run({rows()}).observation, StartsWith("Found 6 items\n"));
  request.call.args_json = R"({"output_level":"standard"})";
  const ToolResult standard = run({rows()});
  EXPECT_THAT(standard.observation, StartsWith("Found 6 items:\n"));
  EXPECT_THAT(standard.observation, HasSubstr("... and 3 more"));
  EXPECT_EQ(standard.artifact_id, id_of(whole)) << "at every level";
}

TEST_F(PutAway, ARepeatedRunGivesTheSameArtifact) {
  const ToolResult first = run({rows()});
  store.uploads["u2"] = store.uploads.at("u1");
  Answer again = rows();
  again.result.chunked->upload = "u2";
  EXPECT_EQ(run({again}).artifact_id, first.artifact_id);
  EXPECT_EQ(store.artifacts.size(), 1u);
}

TEST_F(PutAway, WhatIsMissingIsToldAndNothingIsNamed) {
  const ToolResult result = run({rows(4)});
  EXPECT_EQ(result.artifact_id, "");
  EXPECT_THAT(result.observation, HasSubstr("The full data could not be stored: "));
  EXPECT_TRUE(store.artifacts.empty());
}

TEST_F(PutAway, ARunNamesItsChunksAsItsOwn) {
  run({FakeTool::ok("1")});
  const auto sink = record.invocations.at(0).chunks;
  ASSERT_TRUE(sink);
  EXPECT_EQ(sink->bytes_max(), bytes_max);
  std::string upload;
  sink->put({0, 0, 1, "7"}, [&](const Result<std::string>& answer) { upload = answer.value(); });
  time.run();
  EXPECT_EQ(store.uploads.at(upload).tenant, "acme");
  EXPECT_EQ(upload.size(), 32u);
}

TEST_F(ToolArtifacts, AMebibyteIsStoredThoughItsTextIsWhole) {
  descriptor.reader = true;
  config.inline_full_max_bytes = 2 << 20;
  EXPECT_EQ(run({FakeTool::ok(json_text((1 << 20) - 1))}).artifact_id, "");
  const std::string data = json_text(1 << 20);
  EXPECT_EQ(run({FakeTool::ok(data)}).artifact_id, id_of(data));
}

TEST_F(ToolArtifacts, APersonReadsAllOfAResultAtLevelFullWhereNoneIsKept) {
  config.observation_bytes_max = 4096;
  ToolRuntime keeps_none(registry, config, time, time, random);
  ASSERT_TRUE(registry.add(std::make_unique<FakeTool>(time, descriptor, record)));
  const auto length = [&](OutputLevel level) {
    record.answers = {FakeTool::ok(json_text(10'000))};
    request.agent_level = level;
    request.call.args_json = R"({"output_level":")" + std::string(to_string(level)) + "\"}";
    std::size_t bytes = 0;
    handle = keeps_none.run(request, [&](const ToolResult& r) { bytes = r.observation.size(); });
    time.run();
    return bytes;
  };
  EXPECT_LT(length(OutputLevel::Full), 5000u);
  request.uncut = true;
  EXPECT_GE(length(OutputLevel::Full), 9998u);
  EXPECT_LT(length(OutputLevel::Standard), 1000u) << "as a model reads it";
}

TEST_F(ToolArtifacts, TheArtifactIsThatOfTheCallAndItsTenant) {
  run({FakeTool::ok("[1]")}, OutputLevel::Full);
  const FakeArtifactStore::Reference reference{{"acme", id_of("[1]")}, 12, {0, 2, 1}};
  EXPECT_EQ(store.references, (std::set{reference}));
  EXPECT_NE(artifact_id(TenantId("acme"), "h"), artifact_id(TenantId("globex"), "h"));
}

TEST(ArtifactId, IsThirtyTwoHexDigitsOfContentAndTenant) {
  const std::string hash = sha256_hex_of("[1]");
  const std::string id = artifact_id(TenantId("acme"), hash);
  EXPECT_THAT(id, testing::MatchesRegex("artifact_[0-9a-f]{32}"));
  EXPECT_TRUE(well_formed_artifact_id(id));
  EXPECT_EQ(artifact_id(TenantId("acme"), hash), id) << "the same content, whoever made it";
  EXPECT_NE(artifact_id(TenantId("acme"), sha256_hex_of("[2]")), id);
  EXPECT_NE(artifact_id(TenantId("globex"), hash), id);
  EXPECT_THAT(id, Not(HasSubstr(hash.substr(0, 32)))) << "the bare hash of the content";
}

// ---- what a model reads ------------------------------------------------------------------------

TEST_F(ToolArtifacts, AtBriefAndStandardTheLevelsOwnTextStandsFirst) {
  const std::string data = json_text(1 << 20);
  const std::string summary = std::string(200, 'x') + "…";
  EXPECT_EQ(run({FakeTool::ok(data)}, OutputLevel::Brief).observation,
            std::string(100, 'x') + "…\n\n" + block(id_of(data), summary));
  EXPECT_EQ(run({FakeTool::ok(data)}, OutputLevel::Standard).observation,
            std::string(500, 'x') + "…\n\n" + block(id_of(data), summary));
}

TEST_F(ToolArtifacts, AtFullASmallResultIsGivenInlineToo) {
  const ToolResult result = run({FakeTool::ok(R"([{"a":1}])")}, OutputLevel::Full);
  EXPECT_EQ(result.observation,
            "[\n  {\n    \"a\": 1\n  }\n]\n\n" +
                block(id_of(R"([{"a":1}])"), "List with 1 items. First item keys: ['a']"));
}

TEST_F(ToolArtifacts, AtFullUpTo16KibibytesAreInlineAndNotAByteMore) {
  const std::string fits = json_text(16384);
  EXPECT_THAT(run({FakeTool::ok(fits)}, OutputLevel::Full).observation, HasSubstr(fits));
  const std::string too_large = json_text(16385);
  EXPECT_EQ(run({FakeTool::ok(too_large)}, OutputLevel::Full).observation,
            "\"" + std::string(4095, 'x') + "\n… 12289 more characters\n\n" +
                block(id_of(too_large), std::string(200, 'x') + "…"));
}

TEST_F(ToolArtifacts, TheStablePrefixStandsBeforeItAll) {
  config.stable_prefix = true;
  EXPECT_THAT(run({FakeTool::ok(json_text(20000))}, OutputLevel::Full).observation,
              StartsWith("<tool_result name=\"query\">\n\"xxx"));
}

TEST_F(ToolArtifacts, WithoutAStoreNothingChanges) {
  runtime.emplace(registry, config, time, time, random);
  ASSERT_TRUE(registry.add(std::make_unique<FakeTool>(time, descriptor, record)));
  const ToolResult result = run({FakeTool::ok(json_text(20000))}, OutputLevel::Full);
  EXPECT_EQ(result.artifact_id, "");
  EXPECT_EQ(result.observation, json_text(20000));
}

TEST_F(ToolArtifacts, WithoutAStoreTooALargeResultThatNobodyAskedForIsShownInPart) {
  descriptor.reader = true;
  runtime.emplace(registry, config, time, time, random);
  ASSERT_TRUE(registry.add(std::make_unique<FakeTool>(time, descriptor, record)));
  EXPECT_EQ(run({FakeTool::ok(json_text(20000))}).observation,
            std::string(4096, 'x') + "\n… 15902 more characters");
}

TEST_F(ToolArtifacts, AResultThatCannotBeStoredIsReadAsItIsAndSaysSo) {
  store.reachable = false;
  const ToolResult result = run({FakeTool::ok(json_text(20000))}, OutputLevel::Full);
  EXPECT_EQ(result.state, ToolCallState::Succeeded);
  EXPECT_EQ(result.artifact_id, "");
  EXPECT_EQ(
      result.observation,
      "\"" + std::string(4095, 'x') +
          "\n… 15904 more characters\n\nThe full data could not be stored: where results are kept "
          "can't be reached at the moment");
}

TEST_F(ToolArtifacts, AResultBeyondTheLimitIsNotStoredAndSaysSo) {
  const ToolResult result = run({FakeTool::ok(json_text(5 << 20))}, OutputLevel::Brief);
  EXPECT_EQ(result.observation,
            std::string(100, 'x') +
                "…\n\nThe full data could not be stored: it has 5242880 bytes, at most 4194304 are "
                "kept; ask for less");
  EXPECT_TRUE(store.artifacts.empty());
}

TEST_F(ToolArtifacts, ACallThatIsCancelledWhileItsResultIsStoredSaysNothing) {
  ASSERT_TRUE(registry.add(std::make_unique<FakeTool>(time, descriptor, record)));
  runtime.emplace(registry, config, time, time, random);
  runtime->keep_artifacts({store, bytes_max});
  record.answers = {FakeTool::ok("[1]", Milliseconds(1))};
  ask_for_full();
  store.delay = Milliseconds(50);
  handle = runtime->run(request, [&](const ToolResult&) { FAIL() << "it was cancelled"; });
  time.run_for(Milliseconds(10));
  handle.reset();
  time.run();
}

// ---- what came before a timeout ----------------------------------------------------------------

TEST_F(ToolArtifacts, WhatAToolDeliveredBeforeItsTimeoutIsNamedAfterTheLastLine) {
  config.retry.max_retries = 0;
  Answer late = FakeTool::failed(ToolErrorType::Timeout, "TIMEOUT", "Too slow");
  late.result.data = "[1, 2]";
  const ToolResult result = run({late});
  EXPECT_EQ(result.state, ToolCallState::Failed);
  EXPECT_EQ(result.artifact_id, id_of("[1,2]"));
  EXPECT_EQ(result.data_size_bytes, 5);
  EXPECT_THAT(result.observation,
              EndsWith("\n\nTool Call ID: call_1\nData stored as artifact: " + id_of("[1,2]")));
}

TEST_F(ToolArtifacts, SoItIsOfACallWhoseOutcomeIsUnknown) {
  descriptor.effect = EffectClass::Once;
  Answer late = FakeTool::failed(ToolErrorType::Timeout, "TIMEOUT", "Too slow");
  late.result.data = "[1]";
  late.result.outcome_unknown = true;
  const ToolResult result = run({late});
  EXPECT_EQ(result.state, ToolCallState::Unknown);
  EXPECT_THAT(result.observation, EndsWith("\nData stored as artifact: " + id_of("[1]")));
}

TEST_F(ToolArtifacts, AnErrorWithoutDataNamesNoArtifact) {
  config.retry.max_retries = 0;
  EXPECT_THAT(run({FakeTool::failed(ToolErrorType::Timeout)}).observation,
              Not(HasSubstr("artifact")));
}

// ---- an agent none of whose tools reads artifacts ----------------------------------------------

class NobodyReadsArtifacts : public ToolArtifacts {
 protected:
  NobodyReadsArtifacts() { request.reads_artifacts = false; }

  static std::string line(std::size_t bytes) {
    return "\n\nThis is a part of a result of " + std::to_string(bytes) +
           " bytes; the rest can't be read: none of your tools reads stored results. Ask for less, "
           "or for another part.";
  }
};

TEST_F(NobodyReadsArtifacts, WhatIsShownInPartIsNotStoredAndSaysThatTheRestIsOutOfReach) {
  descriptor.reader = true;
  const ToolResult result = run({FakeTool::ok(json_text(20000))});
  EXPECT_EQ(result.observation, std::string(4096, 'x') + "\n… 15902 more characters" + line(20000));
  EXPECT_EQ(result.artifact_id, "");
  EXPECT_TRUE(result.in_part);
  EXPECT_TRUE(store.artifacts.empty());
}

TEST_F(NobodyReadsArtifacts, SoItIsOfALargeResultAtBriefAndStandard) {
  const std::string data = json_text(1 << 20);
  EXPECT_EQ(run({FakeTool::ok(data)}).observation, std::string(500, 'x') + "…" + line(1 << 20));
  request.tool_level = OutputLevel::Brief;
  EXPECT_EQ(run({FakeTool::ok(data)}).observation, std::string(100, 'x') + "…" + line(1 << 20));
  EXPECT_TRUE(store.artifacts.empty());
}

TEST_F(NobodyReadsArtifacts, WhatIsWholeInTheTextHasNoSuchLine) {
  descriptor.reader = true;
  EXPECT_EQ(run({FakeTool::ok(R"([{"a":1}])")}).observation, "[1]{a}:\n  1");
  EXPECT_EQ(run({FakeTool::ok("\"short\"")}).observation, "short");
}

TEST_F(NobodyReadsArtifacts, WhatTheCallAskedForAtFullIsGivenWholeAndKeptForPeople) {
  const std::string data = json_text(20000);
  const ToolResult result = run({FakeTool::ok(data)}, OutputLevel::Full);
  EXPECT_EQ(result.observation, data);
  EXPECT_EQ(result.artifact_id, id_of(data));
  EXPECT_EQ(store.artifacts.size(), 1u);
}

TEST_F(NobodyReadsArtifacts, WhatCameBeforeATimeoutIsNotStored) {
  config.retry.max_retries = 0;
  Answer late = FakeTool::failed(ToolErrorType::Timeout, "TIMEOUT", "Too slow");
  late.result.data = "[1, 2]";
  const ToolResult result = run({late});
  EXPECT_THAT(result.observation, EndsWith("\n\nTool Call ID: call_1"));
  EXPECT_TRUE(store.artifacts.empty());
}

// ---- artifacts as parameters -------------------------------------------------------------------

class ArtifactParameter : public ToolArtifacts {
 protected:
  ArtifactParameter() {
    descriptor.parameters_schema = R"({"properties":{"data":{"type":"string","x-artifact":true}}})";
    const std::string content = "[1,2,3]";
    id = id_of(content);
    store.artifacts[{"acme", id}] = {content, time.now(), time.now()};
    store.references.insert({{"acme", id}, 12, {0, 1, 0}});
  }
  ToolResult ask(const std::string& named) {
    request.call.args_json = R"({"data":")" + named + "\"}";
    return run({FakeTool::ok("1")});
  }
  std::string id;
};

TEST_F(ArtifactParameter, TheToolIsHandedTheContent) {
  EXPECT_EQ(ask(id).state, ToolCallState::Succeeded);
  ASSERT_EQ(record.invocations.size(), 1u);
  EXPECT_EQ(record.invocations[0].artifacts.at("data"), "[1,2,3]");
}

/// Two calls of 2 MiB each where there is room for one.
TEST_F(ArtifactParameter, LargeOnesAreGivenAsFarAsThereIsRoom) {
  const std::string content = json_text(2 << 20);
  id = id_of(content);
  store.artifacts[{"acme", id}] = {content, time.now(), time.now()};
  store.references.insert({{"acme", id}, 12, {0, 1, 0}});
  ask(id);  // makes the runtime
  runtime->keep_artifacts({store, bytes_max, 3 << 20});
  record.invocations.clear();
  Answer slow = FakeTool::ok("1");
  slow.delay = Milliseconds(1000);
  record.answers = {slow};
  std::vector<ToolResult> results;
  const auto start = [&] {
    return runtime->run(request, [&](ToolResult result) { results.push_back(std::move(result)); });
  };
  const auto first = start();
  const auto second = start();
  time.run_for(Milliseconds(500));
  ASSERT_EQ(record.invocations.size(), 1u) << "the second waits for room";
  EXPECT_EQ(record.invocations[0].artifacts.at("data").text().size(), content.size());
  time.run_for(Milliseconds(2000));
  EXPECT_EQ(results.size(), 2u);
  EXPECT_EQ(results.at(1).state, ToolCallState::Succeeded);
  const auto third = start();
  time.run_for(Milliseconds(100));
  request.timeout = Milliseconds(300);
  const auto impatient = start();
  time.run_for(Milliseconds(3000));
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results.at(2).error.value().code, "ARTIFACTS_IN_USE");
  EXPECT_EQ(results.at(3).state, ToolCallState::Succeeded);
}

TEST_F(ArtifactParameter, ACallThatNamesNoneRunsAsItIs) {
  request.call.args_json = "{}";
  EXPECT_EQ(run({FakeTool::ok("1")}).state, ToolCallState::Succeeded);
  EXPECT_TRUE(record.invocations.at(0).artifacts.empty());
}

TEST_F(ArtifactParameter, KnowingAnIdGrantsNothing) {
  request.job = LedgerJobId(13);  // of another conversation
  const ToolResult result = ask(id);
  EXPECT_EQ(result.error->type, ToolErrorType::NotFound);
  EXPECT_EQ(result.error->code, "ARTIFACT_NOT_FOUND");
  EXPECT_TRUE(record.invocations.empty());
}

TEST_F(ArtifactParameter, AnotherTenantsIsNotThere) {
  request.tenant = TenantId("globex");
  EXPECT_EQ(ask(id).error->code, "ARTIFACT_NOT_FOUND");
  EXPECT_TRUE(record.invocations.empty());
}

TEST_F(ArtifactParameter, WhatIsNoIdIsRefusedWithoutAskingTheStore) {
  store.reachable = false;
  for (const char* wrong :
       {"", "artifact_", "artifact_0123", "../etc/passwd",
        "artifact_0123456789ABCDEF0123456789abcdef", "artifact_0123456789abcdef0123456789abcdef/..",
        "ARTIFACT_0123456789abcdef0123456789abcdef"}) {
    const ToolResult result = ask(wrong);
    EXPECT_EQ(result.error->type, ToolErrorType::InvalidParameters) << wrong;
    EXPECT_EQ(result.error->code, "INVALID_ARTIFACT_ID") << wrong;
  }
}

TEST_F(ArtifactParameter, AStoreOutOfReachIsAnErrorThatPasses) {
  store.reachable = false;
  const ToolResult result = ask(id);
  EXPECT_EQ(result.error->type, ToolErrorType::TransientError);
  EXPECT_EQ(result.error->code, "ARTIFACT_UNREADABLE");
  EXPECT_EQ(result.error->message.find("out of reach"), std::string::npos)
      << "the store's own words name its address";
}

TEST_F(ArtifactParameter, ADamagedOneIsAnErrorThatStays) {
  store.reachable = false;
  store.failure = ErrorCode::Corrupt;
  const ToolResult result = ask(id);
  EXPECT_EQ(result.error->type, ToolErrorType::DependencyError);
  EXPECT_EQ(result.error->code, "ARTIFACT_DAMAGED");
  EXPECT_EQ(result.error->message.find("out of reach"), std::string::npos);
}

TEST_F(ArtifactParameter, ADeclarationThatCannotBeIsRefusedWithTheTool) {
  for (const char* schema : {R"({"properties":{"data":{"type":"string","x-artifact":"yes"}}})",
                             R"({"properties":{"data":{"type":"integer","x-artifact":true}}})",
                             R"({"properties":{"data":{"x-artifact":true}}})"}) {
    descriptor.parameters_schema = schema;
    const auto added = registry.add(std::make_unique<FakeTool>(time, descriptor, record));
    ASSERT_FALSE(added) << schema;
    EXPECT_THAT(added.error().message, HasSubstr("x-artifact of 'data'"));
  }
}

}  // namespace
}  // namespace ba
