// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/secret_screen.hpp"

#include <gtest/gtest.h>

#include "tests/support/fake_tool.hpp"
#include "tests/support/virtual_executor.hpp"

namespace ba::runtime {
namespace {

constexpr const char* kSecret = "pa\"ss/word-1234";
constexpr const char* kInJson = R"(pa\"ss/word-1234)";

const Redaction kSecrets{{kSecret}};

/// Answers at once; the port's "never from inside" doesn't matter to what is tested here.
class OneAnswer final : public ModelClient {
 public:
  explicit OneAnswer(ModelOutcome outcome) : outcome_(std::move(outcome)) {}
  std::unique_ptr<ModelCall> ask(const ModelRequest&, ModelListener listener) override {
    listener.done(outcome_);
    return nullptr;
  }

 private:
  ModelOutcome outcome_;
};

ModelOutcome asked(ModelOutcome outcome) {
  OneAnswer inner(std::move(outcome));
  ModelOutcome answer;
  const auto call =
      screened(inner, kSecrets)->ask({}, {[&](ModelOutcome got) { answer = got; }, {}});
  return answer;
}

TEST(SecretScreen, NoPartOfAReplyKeepsASecret) {
  const std::string with = std::string("it is ") + kSecret + ".";
  ModelReply reply;
  reply.message.text = with;
  reply.message.thinking = with;
  ToolCall call;
  call.id = ToolCallId(with);
  call.name = with;
  call.args_json = std::string(R"({"q":")") + kInJson + R"("})";
  call.invalid_args = with;
  call.args_error = with;
  reply.message.tool_calls = {call};
  reply.message.extra = ProviderExtra{"anthropic/main", std::string("[\"") + kInJson + "\"]"};
  reply.raw_stop = reply.model = reply.provider_request_id = with;

  const ModelOutcome outcome = asked(reply);
  const auto& clean = std::get<ModelReply>(outcome);
  const std::string without = "it is ***.";
  EXPECT_EQ(clean.message.text, without);
  EXPECT_EQ(clean.message.thinking, without);
  const ToolCall& cleaned = clean.message.tool_calls.at(0);
  EXPECT_EQ(cleaned.id.value, without);
  EXPECT_EQ(cleaned.name, without);
  EXPECT_EQ(cleaned.args_json, R"({"q":"***"})");
  EXPECT_EQ(cleaned.invalid_args, without);
  EXPECT_EQ(cleaned.args_error, without);
  EXPECT_FALSE(clean.message.extra);
  EXPECT_EQ(clean.raw_stop, without);
  EXPECT_EQ(clean.model, without);
  EXPECT_EQ(clean.provider_request_id, without);
}

TEST(SecretScreen, AFailureIsNamedWithoutTheSecret) {
  ModelFailure failure;
  failure.error.message = std::string("Incorrect API key provided: ") + kSecret;
  failure.error.detail = std::string("x-api-key: ") + kSecret;
  const ModelOutcome outcome = asked(failure);
  const Error& error = std::get<ModelFailure>(outcome).error;
  EXPECT_EQ(error.message, "Incorrect API key provided: ***");
  EXPECT_EQ(error.detail, "x-api-key: ***");
}

TEST(SecretScreen, ContentThatOnlyLooksLikeASecretStays) {
  ModelReply reply;
  reply.message.text = "Set password=hunter2 in postgresql://u:hunter2@h/d.";
  const ModelOutcome outcome = asked(reply);
  EXPECT_EQ(std::get<ModelReply>(outcome).message.text, reply.message.text);
}

TEST(SecretScreen, DataAndErrorsOfAToolAreClean) {
  VirtualExecutor executor;
  FakeTool::Record record;
  RawToolResult found;
  found.data = std::string("[\"") + kInJson + "\"]";
  RawToolResult failed;
  failed.error = ToolError{ToolErrorType::DependencyError, "REFUSED", std::string("as ") + kSecret};
  failed.error_context = std::string("thrown: ") + kSecret;
  record.answers = {{found}, {failed}};
  ToolDescriptor descriptor;
  descriptor.name = "leaky";
  const auto tool = screened(std::make_unique<FakeTool>(executor, descriptor, record), kSecrets);
  EXPECT_EQ(tool->descriptor(), descriptor);

  std::vector<RawToolResult> results;
  for (int i = 0; i < 2; ++i) {
    const auto run =
        tool->run({}, [&](RawToolResult result) { results.push_back(std::move(result)); });
    executor.run();
  }
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].data, "[\"***\"]");
  EXPECT_EQ(results[1].error->message, "as ***");
  EXPECT_EQ(results[1].error_context, "thrown: ***");
  EXPECT_EQ(tool->status_source(), nullptr);
}

TEST(SecretScreen, WhatAToolPutsAwayWhileItRunsIsCleanToo) {
  class Sink final : public ChunkSink {
   public:
    std::int64_t bytes_max() const override { return 7; }
    void put(DataChunk chunk, Completion<std::string>) override { put_ = std::move(chunk); }
    DataChunk put_;
  };
  VirtualExecutor executor;
  FakeTool::Record record;
  FakeTool::Answer answer;
  answer.result.chunked.emplace().beginning = std::string("[\"") + kInJson + "\"]";
  record.answers = {answer};
  const auto tool =
      screened(std::make_unique<FakeTool>(executor, ToolDescriptor{}, record), kSecrets);
  ToolInvocation invocation;
  const auto sink = std::make_shared<Sink>();
  invocation.chunks = sink;
  std::optional<RawToolResult> result;
  const auto run = tool->run(invocation, [&](RawToolResult raw) { result = std::move(raw); });
  executor.run();
  EXPECT_EQ(result.value().chunked.value().beginning, "[\"***\"]");
  const auto given = record.invocations.at(0).chunks;
  std::string item = std::string("\"") + kInJson + "\"";
  given->clean(item);
  EXPECT_EQ(item, "\"***\"");
  EXPECT_EQ(given->bytes_max(), 7);
  given->put({3, 0, 1, item}, nullptr);
  EXPECT_EQ(sink->put_.index, 3);
}

/// Instead of answering.
class Thrower final : public Tool {
 public:
  const ToolDescriptor& descriptor() const override { return descriptor_; }
  std::unique_ptr<ToolRun> run(ToolInvocation, std::function<void(RawToolResult)>) override {
    throw std::runtime_error(std::string("thrown: ") + kSecret);
  }

 private:
  ToolDescriptor descriptor_;
};

TEST(SecretScreen, WhatAToolThrowsIsCleanToo) {
  const auto tool = screened(std::make_unique<Thrower>(), kSecrets);
  try {
    static_cast<void>(tool->run({}, [](const RawToolResult&) {}));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_EQ(std::string(error.what()), "thrown: ***");
  }
}

TEST(SecretScreen, WhatAToolSaysOfAnEarlierCallIsCleanToo) {
  VirtualExecutor executor;
  FakeTool::Record record;
  record.statuses = {FakeTool::happened(std::string("[\"") + kInJson + "\"]")};
  ToolDescriptor descriptor;
  descriptor.name = "leaky";
  descriptor.effect = EffectClass::Reconcilable;
  const auto tool = screened(std::make_unique<FakeTool>(executor, descriptor, record), kSecrets);
  ASSERT_NE(tool->status_source(), nullptr);
  std::optional<EffectStatus> status;
  const auto run =
      tool->status_source()->status({}, [&](EffectStatus answer) { status = std::move(answer); });
  executor.run();
  ASSERT_TRUE(status);
  EXPECT_EQ(status->verdict, EffectStatus::Verdict::Happened);
  EXPECT_EQ(status->result.data, "[\"***\"]");
}

}  // namespace
}  // namespace ba::runtime
