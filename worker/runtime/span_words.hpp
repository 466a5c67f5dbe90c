#pragma once
// SPDX-License-Identifier: Apache-2.0
// What spans say, by OpenTelemetry's conventions for messaging and GenAI (attributes that were
// renamed stand under both names). Functions without state; control thread.

#include <cstddef>
#include <span>
#include <string>

#include "pipeline/core/conversation/state.hpp"
#include "pipeline/core/model/model_client.hpp"
#include "pipeline/text/message/message.hpp"
#include "worker/kafka/kafka_options.hpp"
#include "worker/llm/llm_config.hpp"
#include "worker/trace/span_queue.hpp"

namespace ba::runtime {

/// Where jobs come from.
struct TracedIntake {
  JobTopics topics;
  std::string group;
};

/// Tenant, job, conversation, agent; each span of a job has them.
void say_whose(trace::Span& span, const ConversationState& state);

void say_job(trace::Span& span, const ConversationState& state, const TracedIntake& intake);
void say_agent(trace::Span& span, const ConversationState& state, const llm::LlmConfig& models);
void say_outcome(trace::Span& span, const JobResult& result);
void say_usage(trace::Span& span, const Usage& usage);

void say_call(trace::Span& span, const ConversationState& state, const llm::LlmConfig& models);
void say_reply(trace::Span& span, const ModelReply& reply);
void say_failure(trace::Span& span, const ModelFailure& failure);

void say_tool(trace::Span& span, const CallState& call);
/// The error's message only where `content` is captured: it may quote what the tool was given.
void say_tool_result(trace::Span& span, const ToolResult& result, bool content);

// Messages as OpenTelemetry's GenAI conventions write them (gen_ai.input.messages and the like),
// for traces that are to hold content. Pure functions.

/// A JSON array of the newest messages that fit, in order; texts of more than a quarter of the
/// bound are cut. Thinking is left out.
std::string messages_content(std::span<const Message> messages, std::size_t bytes_max);

/// A JSON array of the one reply.
std::string reply_content(const AiMessage& reply, const std::string& finish_reason,
                          std::size_t bytes_max);

}  // namespace ba::runtime
