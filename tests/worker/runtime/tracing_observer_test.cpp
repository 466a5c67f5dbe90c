// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/tracing_observer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace ba::runtime {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

/// Each look is a millisecond later.
class TickingClock final : public Clock {
 public:
  SteadyTime now() const override { return {}; }
  WallTime wall() const override { return WallTime(Milliseconds(++ticks_)); }

 private:
  mutable std::int64_t ticks_ = 1'000'000;
};

class SeededRandom final : public Random {
 public:
  std::uint64_t next() override { return engine_(); }

 private:
  std::mt19937_64 engine_{11};
};

std::optional<trace::AttributeValue> attribute(const trace::Span& span, std::string_view name) {
  std::optional<trace::AttributeValue> found;
  for (const trace::SpanAttribute& one : span.attributes) {
    if (one.name != name) continue;
    EXPECT_FALSE(found) << name << " stands twice in " << span.name;
    found = one.value;
  }
  return found;
}

std::string text(const trace::Span& span, std::string_view name) {
  const auto value = attribute(span, name);
  return value && std::holds_alternative<std::string>(*value) ? std::get<std::string>(*value) : "";
}

std::int64_t number(const trace::Span& span, std::string_view name) {
  const auto value = attribute(span, name);
  return value && std::holds_alternative<std::int64_t>(*value) ? std::get<std::int64_t>(*value)
                                                               : -1;
}

class TracingObserverTest : public testing::Test {
 protected:
  TracingObserverTest() {
    llm::ProviderConfig provider;
    provider.name = "main";
    provider.base_url = "https://api.example:8443/v1";
    models_.providers.push_back(provider);
    llm::ModelConfig model;
    model.name = "sonnet";
    model.provider = "main";
    model.model_id = "claude-x";
    models_.models.push_back(model);
    options_.sampling = trace::TraceSampling::Always;
    options_.intake = {{"jobs.high", "jobs", "jobs.batch"}, "workers"};
    state_.claim.id = LedgerJobId(7);
    state_.job.tenant = TenantId("acme");
    state_.job.job_id = JobId("j");
    state_.job.conversation_id = ConversationId("c");
    state_.job.correlation_id = "corr";
    state_.job.source_event_id = "e-1";
    state_.profile.name = "analyst";
    state_.profile.model = "sonnet";
    state_.history.messages.push_back(HumanMessage{{}, "How many flights of hunter2?"});
  }

  TracingObserver& observer() {
    if (!observer_)
      observer_ = std::make_unique<TracingObserver>(
          options_, TracingPorts{clock_, random_, models_, secrets_},
          [this](trace::Span span) { spans_.push_back(std::move(span)); });
    return *observer_;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const trace::Span& span : spans_) all.push_back(span.name);
    return all;
  }

  const trace::Span& span(const std::string& name) const {
    for (const trace::Span& one : spans_)
      if (one.name == name) return one;
    ADD_FAILURE() << "no span " << name << " among " << testing::PrintToString(names());
    static const trace::Span none;
    return none;
  }

  static CallState call_of(int index = 1, const std::string& name = "query_database") {
    CallState call;
    call.position = {0, 1, index};
    call.call.id = ToolCallId("toolu_1");
    call.call.name = name;
    call.call.args_json = R"({"sql":"SELECT 'hunter2'"})";
    return call;
  }

  static ModelReply reply() {
    ModelReply answer;
    answer.message.text = "42, hunter2";
    answer.message.usage = {100, 40, 10, 20, 5};
    answer.raw_stop = "end_turn";
    answer.model = "claude-x-1";
    answer.cost_micro_usd = 250;
    answer.tries = 2;
    return answer;
  }

  JobResult result(Outcome outcome = Outcome::Completed) {
    JobResult ended;
    ended.outcome = outcome;
    if (outcome != Outcome::Completed) ended.error = JobError{"limit", "STEP_LIMIT", "x"};
    ended.started_at = WallTime(Milliseconds(500));
    ended.finished_at = WallTime(Milliseconds(2'000'000));
    ended.totals.usage = {100, 40, 10, 20, 5};
    return ended;
  }

  void whole_job(const ToolResult& tool = {}) {
    observer().job_started(state_);
    observer().model_asked(state_);
    observer().model_answered(state_, reply());
    const CallState call = call_of();
    observer().tool_started(state_, call);
    observer().tool_finished(state_, call, tool);
    observer().job_finished(state_, result());
  }

  TickingClock clock_;
  SeededRandom random_;
  llm::LlmConfig models_;
  Redaction secrets_{{"hunter2"}};
  TracingOptions options_;
  std::vector<trace::Span> spans_;
  std::unique_ptr<TracingObserver> observer_;
  ConversationState state_;
};

TEST_F(TracingObserverTest, AJobIsATreeOfSpans) {
  whole_job();
  EXPECT_THAT(names(), ElementsAre("chat claude-x", "execute_tool query_database",
                                   "invoke_agent analyst", "process jobs"));
  const trace::Span& job = span("process jobs");
  const trace::Span& agent = span("invoke_agent analyst");
  EXPECT_EQ(job.parent_id, "");
  EXPECT_EQ(agent.parent_id, job.span_id);
  EXPECT_EQ(span("chat claude-x").parent_id, agent.span_id);
  EXPECT_EQ(span("execute_tool query_database").parent_id, agent.span_id);
  for (const trace::Span& one : spans_) {
    EXPECT_EQ(one.trace_id, job.trace_id);
    EXPECT_LT(one.start, one.end) << one.name;
    EXPECT_EQ(text(one, "gen_ai.conversation.id"), "c");
  }
  EXPECT_EQ(job.kind, trace::SpanKind::Consumer);
  EXPECT_EQ(span("chat claude-x").kind, trace::SpanKind::Client);
  EXPECT_EQ(agent.kind, trace::SpanKind::Internal);
  EXPECT_EQ(observer().jobs(), 0U);
}

/// OpenTelemetry semantic conventions, messaging (kafka) 1.44.
TEST_F(TracingObserverTest, TheJobsSpanSpeaksOfMessaging) {
  whole_job();
  const trace::Span& job = span("process jobs");
  EXPECT_EQ(text(job, "messaging.system"), "kafka");
  EXPECT_EQ(text(job, "messaging.operation.name"), "process");
  EXPECT_EQ(text(job, "messaging.operation.type"), "process");
  EXPECT_EQ(text(job, "messaging.destination.name"), "jobs");
  EXPECT_EQ(text(job, "messaging.consumer.group.name"), "workers");
  EXPECT_EQ(text(job, "messaging.message.id"), "e-1");
  EXPECT_EQ(text(job, "messaging.message.conversation_id"), "corr");
  EXPECT_EQ(text(job, "ba.outcome"), "completed");
  EXPECT_EQ(number(job, "ba.cost_micro_usd"), 0);
  EXPECT_FALSE(job.failed);
}

TEST_F(TracingObserverTest, AJobsSpanHasNoCostWhereNoneIsKnown) {
  JobResult ended = result();
  ended.totals.cost_known = false;
  observer().job_started(state_);
  observer().job_finished(state_, ended);
  EXPECT_FALSE(attribute(span("process jobs"), "ba.cost_micro_usd"));
}

/// The same, GenAI: input includes what was read from and written to a cache.
TEST_F(TracingObserverTest, ACallsSpanSpeaksOfGenAi) {
  whole_job();
  const trace::Span& chat = span("chat claude-x");
  EXPECT_EQ(text(chat, "gen_ai.operation.name"), "chat");
  EXPECT_EQ(text(chat, "gen_ai.provider.name"), "anthropic");
  EXPECT_EQ(text(chat, "gen_ai.request.model"), "claude-x");
  EXPECT_EQ(text(chat, "gen_ai.response.model"), "claude-x-1");
  EXPECT_EQ(number(chat, "gen_ai.request.max_tokens"), 8192);
  EXPECT_EQ(number(chat, "gen_ai.usage.input_tokens"), 150);
  EXPECT_EQ(number(chat, "gen_ai.usage.output_tokens"), 20);
  EXPECT_EQ(number(chat, "gen_ai.usage.cache_read.input_tokens"), 40);
  EXPECT_EQ(number(chat, "gen_ai.usage.cache_write.input_tokens"), 10);
  EXPECT_EQ(attribute(chat, "gen_ai.response.finish_reasons"),
            trace::AttributeValue(std::vector<std::string>{"end_turn"}));
  EXPECT_EQ(text(chat, "server.address"), "api.example");
  EXPECT_EQ(number(chat, "server.port"), 8443);
  EXPECT_EQ(number(chat, "http.request.resend_count"), 1);
  EXPECT_EQ(number(chat, "ba.cost_micro_usd"), 250);
}

TEST_F(TracingObserverTest, AToolsSpanAlsoHasTheDocumentsNames) {
  ToolResult good;
  good.duration = Milliseconds(17);
  good.telemetry.skill = "report";
  good.telemetry.activation_id = "skill-01";
  whole_job(good);
  const trace::Span& tool = span("execute_tool query_database");
  EXPECT_EQ(text(tool, "gen_ai.operation.name"), "execute_tool");
  EXPECT_EQ(text(tool, "gen_ai.tool.name"), "query_database");
  EXPECT_EQ(text(tool, "gen_ai.tool.call.id"), "toolu_1");
  EXPECT_EQ(text(tool, "gen_ai.tool.type"), "function");
  EXPECT_EQ(text(tool, "tool.name"), "query_database");
  EXPECT_EQ(attribute(tool, "tool.success"), trace::AttributeValue(true));
  EXPECT_EQ(number(tool, "tool.duration_ms"), 17);
  EXPECT_EQ(text(tool, "ba.skill"), "report");
  EXPECT_EQ(text(tool, "ba.skill.activation_id"), "skill-01");
  EXPECT_FALSE(attribute(tool, "tool.error"));
}

TEST_F(TracingObserverTest, AFailedCallsSpanHasItsErrorWithoutItsWords) {
  ToolResult bad;
  bad.state = ToolCallState::Failed;
  bad.error = ToolError{ToolErrorType::Timeout, "TIMEOUT", "the query of Jane Doe"};
  whole_job(bad);
  const trace::Span& tool = span("execute_tool query_database");
  EXPECT_TRUE(tool.failed);
  EXPECT_EQ(text(tool, "error.type"), "timeout");
  EXPECT_EQ(text(tool, "tool.error"), "TIMEOUT");
  EXPECT_EQ(attribute(tool, "tool.success"), trace::AttributeValue(false));
}

TEST_F(TracingObserverTest, AnUnknownOutcomeIsItsOwnError) {
  ToolResult unknown;
  unknown.state = ToolCallState::Unknown;
  whole_job(unknown);
  EXPECT_EQ(text(span("execute_tool query_database"), "tool.error"), "outcome_unknown");
}

TEST_F(TracingObserverTest, GoesOnInTheTraceOfTheJobsHeader) {
  state_.job.traceparent = kParent;
  state_.job.tracestate = "v=1";
  whole_job();
  const trace::Span& job = span("process jobs");
  EXPECT_EQ(job.trace_id, "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(job.parent_id, "b7ad6b7169203331");
  EXPECT_TRUE(job.remote_parent);
  EXPECT_EQ(job.trace_state, "v=1");
  EXPECT_FALSE(span("invoke_agent analyst").remote_parent);
}

/// The worker that finishes a job tells its span; what the first one did stands below the same.
TEST_F(TracingObserverTest, AJobThatIsTakenOverStaysOneTree) {
  observer().job_started(state_);
  observer().model_asked(state_);
  observer().model_answered(state_, reply());
  observer_.reset();  // killed
  state_.claim.attempt = 2;
  observer().job_started(state_);
  observer().model_asked(state_);
  observer().model_answered(state_, reply());
  observer().job_finished(state_, result());
  EXPECT_THAT(names(), ElementsAre("chat claude-x", "chat claude-x", "invoke_agent analyst",
                                   "process jobs"));
  EXPECT_EQ(spans_[0].trace_id, spans_[3].trace_id);
  EXPECT_EQ(spans_[0].parent_id, spans_[2].span_id);
  EXPECT_EQ(spans_[1].parent_id, spans_[2].span_id);
  EXPECT_NE(spans_[0].span_id, spans_[1].span_id);
  EXPECT_EQ(number(spans_[0], "ba.attempt"), 1);
  EXPECT_EQ(number(spans_[1], "ba.attempt"), 2);
}

TEST_F(TracingObserverTest, ASubAgentStandsBelowTheCallThatAskedForIt) {
  observer().job_started(state_);
  const CallState task = call_of(1, "task");
  observer().tool_started(state_, task);
  ConversationState sub = state_;
  sub.claim.id = LedgerJobId(8);
  sub.job.job_id = JobId("sub-agent:x");
  sub.profile.name = "explorer";
  sub.claim.asked_by = AskingCall{state_.claim.id, task.position};
  observer().job_started(sub);
  observer().model_asked(sub);
  observer().model_answered(sub, reply());
  observer().job_finished(sub, result());
  observer().tool_finished(state_, task, {});
  observer().job_finished(state_, result());
  EXPECT_THAT(names(), ElementsAre("chat claude-x", "invoke_agent explorer", "execute_tool task",
                                   "invoke_agent analyst", "process jobs"));
  EXPECT_EQ(spans_[0].parent_id, spans_[1].span_id);
  EXPECT_EQ(spans_[1].parent_id, spans_[2].span_id);
  EXPECT_EQ(spans_[1].trace_id, spans_[4].trace_id);
}

TEST_F(TracingObserverTest, WhatIsNotSampledIsNotTold) {
  options_.sampling = trace::TraceSampling::Never;
  whole_job();
  EXPECT_THAT(spans_, IsEmpty());
}

TEST_F(TracingObserverTest, ATraceIsToldWholeOrNotAtAll) {
  options_.sampling = trace::TraceSampling::High;
  int told = 0;
  for (int i = 0; i < 100; ++i) {
    spans_.clear();
    state_.claim.id = LedgerJobId(100 + i);
    state_.job.job_id = JobId("j" + std::to_string(i));
    whole_job();
    EXPECT_TRUE(spans_.empty() || spans_.size() == 4) << spans_.size();
    told += !spans_.empty();
  }
  EXPECT_GT(told, 30);
  EXPECT_LT(told, 70);
}

TEST_F(TracingObserverTest, HoldsNoContentUnlessItIsToldTo) {
  whole_job();
  for (const trace::Span& one : spans_)
    for (const trace::SpanAttribute& attribute : one.attributes)
      if (const auto* value = std::get_if<std::string>(&attribute.value)) {
        EXPECT_THAT(*value, Not(HasSubstr("flights"))) << attribute.name;
        EXPECT_THAT(*value, Not(HasSubstr("SELECT"))) << attribute.name;
        EXPECT_THAT(*value, Not(HasSubstr("42"))) << attribute.name;
      }
}

TEST_F(TracingObserverTest, ContentIsInTheConventionsFormAndHoldsNoSecret) {
  options_.content = true;
  ToolResult good;
  good.observation = "42 rows, hunter2";
  whole_job(good);
  const trace::Span& chat = span("chat claude-x");
  EXPECT_EQ(text(chat, "gen_ai.input.messages"),
            R"([{"role":"user","parts":[{"type":"text","content":"How many flights of ***?"}]}])");
  EXPECT_EQ(text(chat, "gen_ai.output.messages"),
            R"([{"role":"assistant","parts":[{"type":"text","content":"42, ***"}],)"
            R"("finish_reason":"end_turn"}])");
  const trace::Span& tool = span("execute_tool query_database");
  EXPECT_EQ(text(tool, "gen_ai.tool.call.arguments"), R"({"sql":"SELECT '***'"})");
  EXPECT_EQ(text(tool, "gen_ai.tool.call.result"), "42 rows, ***");
}

TEST_F(TracingObserverTest, WhatAJobWasInTheMiddleOfIsToldAsGivenUp) {
  observer().job_started(state_);
  observer().tool_started(state_, call_of());
  observer().model_asked(state_);
  observer().job_handed_back(state_);
  EXPECT_THAT(names(), ElementsAre("chat claude-x", "execute_tool query_database"));
  for (const trace::Span& one : spans_) {
    EXPECT_TRUE(one.failed);
    EXPECT_EQ(text(one, "error.type"), "cancelled");
  }
  EXPECT_EQ(observer().jobs(), 0U);
}

TEST_F(TracingObserverTest, AnEarlyEndIsTheSpansFailure) {
  observer().job_started(state_);
  observer().job_finished(state_, result(Outcome::StepLimit));
  const trace::Span& job = span("process jobs");
  EXPECT_TRUE(job.failed);
  EXPECT_EQ(job.failure, "STEP_LIMIT");
  EXPECT_EQ(text(job, "error.type"), "step_limit");
}

TEST_F(TracingObserverTest, AFailedCallOfTheModelIsTold) {
  observer().job_started(state_);
  observer().model_asked(state_);
  ModelFailure failure;
  failure.error.code = ErrorCode::Timeout;
  failure.tries = 3;
  observer().model_failed(state_, failure);
  ASSERT_THAT(spans_, SizeIs(1));
  EXPECT_TRUE(spans_[0].failed);
  EXPECT_EQ(text(spans_[0], "error.type"), to_string(ErrorCode::Timeout));
  EXPECT_EQ(number(spans_[0], "http.request.resend_count"), 2);
}

TEST_F(TracingObserverTest, SubAgentsThatWereHaltedUnheardAreForgotten) {
  observer().job_started(state_);
  ConversationState sub = state_;
  sub.claim.id = LedgerJobId(8);
  sub.claim.asked_by = AskingCall{state_.claim.id, {0, 1, 1}};
  observer().job_started(sub);
  state_.bill.sub_agents = 1;
  observer().job_finished(state_, result(Outcome::Cancelled));
  EXPECT_EQ(observer().jobs(), 0U);
  observer().job_started(state_);
  observer().forget();
  EXPECT_EQ(observer().jobs(), 0U);
}

TEST_F(TracingObserverTest, ACompressedHistoryIsSaidOfTheCallsThatFollow) {
  observer().job_started(state_);
  observer().history_compressed(state_, {});
  observer().model_asked(state_);
  observer().model_answered(state_, reply());
  EXPECT_EQ(attribute(spans_[0], "gen_ai.conversation.compacted"), trace::AttributeValue(true));
}

}  // namespace
}  // namespace ba::runtime
