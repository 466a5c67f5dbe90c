// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_usage.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "worker/llm/reply_checks.hpp"

namespace ba {
namespace {

/// The first of these that is a count above zero, else whether there was one at all.
std::optional<std::int64_t> first_count(std::initializer_list<JsonView> candidates) {
  std::optional<std::int64_t> found;
  for (const JsonView candidate : candidates) {
    const auto count = token_count(candidate);
    if (count && *count > 0) return count;
    if (count) found = count;
  }
  return found;
}

}  // namespace

bool read_openai_usage(JsonView report, Usage& usage) {
  const auto prompt = first_count({report["prompt_tokens"], report["input_tokens"]});
  const auto completion = first_count({report["completion_tokens"], report["output_tokens"]});
  const auto total = token_count(report["total_tokens"]);
  if (!prompt || (!completion && !total)) return false;
  const JsonView chat_input = report["prompt_tokens_details"];
  const JsonView responses_input = report["input_tokens_details"];
  const auto read_report =
      first_count({chat_input["cached_tokens"], responses_input["cached_tokens"],
                   report["prompt_cache_hit_tokens"], report["cached_tokens"],
                   report["cache_read_input_tokens"]});
  const auto written_report =
      first_count({chat_input["cache_write_tokens"], responses_input["cache_write_tokens"],
                   report["cache_creation_input_tokens"]});
  const std::int64_t read = read_report.value_or(0);
  const std::int64_t written = written_report.value_or(0);
  const auto thinking =
      first_count({report["completion_tokens_details"]["reasoning_tokens"],
                   report["output_tokens_details"]["reasoning_tokens"], report["reasoning_tokens"]})
          .value_or(0);
  std::int64_t input = *prompt;
  std::int64_t output = completion.value_or(0);
  const std::int64_t rest = total.value_or(0) - input - output;
  if (rest > 0 && rest == read + written && rest != thinking)
    input += rest;  // of a server that counts what was cached apart
  else if (rest > 0)
    output += rest;
  const bool said_before = !read_report && !written_report && input == usage.total_input();
  if (input > 0 && !said_before) {
    usage.cache_read_tokens = std::min(read, input);
    usage.cache_write_tokens = std::min(written, input - usage.cache_read_tokens);
    usage.input_tokens = input - usage.cache_read_tokens - usage.cache_write_tokens;
  }
  if (output > 0) {
    usage.output_tokens = output;
    usage.thinking_tokens = std::min(thinking, output);
  }
  return true;
}

}  // namespace ba
