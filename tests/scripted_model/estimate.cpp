// SPDX-License-Identifier: Apache-2.0
#include "tests/scripted_model/estimate.hpp"

#include <algorithm>

namespace ba::scripted {

namespace {

constexpr std::int64_t kCacheableTokensMin = 1024;
constexpr std::int64_t kOpenAiCacheGrain = 128;

std::int64_t tokens_of(std::size_t bytes) { return static_cast<std::int64_t>((bytes + 3) / 4); }

void split_input(const Request& request, std::int64_t total, ReplyUsage& usage) {
  const std::int64_t before = tokens_of(static_cast<std::size_t>(request.cached_bytes));
  const bool repeats = before >= kCacheableTokensMin;
  usage.input_tokens = total;
  if (request.protocol != Protocol::Anthropic) {
    if (repeats) usage.cache_read_tokens = before - before % kOpenAiCacheGrain;
  } else if (request.cache_marks > 0 && total >= kCacheableTokensMin) {
    if (repeats) usage.cache_read_tokens = before;
    usage.cache_write_tokens = total - usage.cache_read_tokens;
  }
  usage.input_tokens -= usage.cache_read_tokens + usage.cache_write_tokens;
}

}  // namespace

ReplyUsage estimate_usage(const Request& request, const Reply& reply, const ScriptUsage& fixed) {
  ReplyUsage usage;
  split_input(request, tokens_of(static_cast<std::size_t>(request.input_bytes)), usage);
  std::size_t written = reply.text.size() + reply.thinking.size();
  for (const ReplyCall& call : reply.calls) written += call.name.size() + call.arguments.size();
  usage.output_tokens = std::max<std::int64_t>(1, tokens_of(written));
  usage.thinking_tokens = tokens_of(reply.thinking.size());
  usage.input_tokens = fixed.input_tokens.value_or(usage.input_tokens);
  usage.cache_read_tokens = fixed.cache_read_tokens.value_or(usage.cache_read_tokens);
  usage.cache_write_tokens = fixed.cache_write_tokens.value_or(usage.cache_write_tokens);
  usage.output_tokens = fixed.output_tokens.value_or(usage.output_tokens);
  usage.thinking_tokens = fixed.thinking_tokens.value_or(usage.thinking_tokens);
  return usage;
}

}  // namespace ba::scripted
