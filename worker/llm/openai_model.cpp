// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_model.hpp"

#include <algorithm>
#include <string>

#include "worker/http/url.hpp"

namespace ba {
namespace {

constexpr std::string_view kFineTuned = "ft:";
constexpr std::string_view kFamily = "gpt-";
constexpr char kFirstThatReasons = '5';

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

bool is_openai_host(std::string_view base_url) {
  const std::string server = server_of(base_url);
  std::string_view host = server;
  host.remove_prefix(std::min(host.size(), host.find("://") + 3));
  host = host.substr(0, host.find(':'));
  return host == "openai.com" || ends_with(host, ".openai.com");
}

bool is_openai_reasoning_model(std::string_view model_id) {
  if (starts_with(model_id, kFineTuned)) model_id.remove_prefix(kFineTuned.size());
  if (model_id.size() >= 2 && model_id[0] == 'o') return is_digit(model_id[1]);
  if (!starts_with(model_id, kFamily)) return false;
  model_id.remove_prefix(kFamily.size());
  if (model_id.empty() || !is_digit(model_id[0])) return false;
  const bool two_digits = model_id.size() >= 2 && is_digit(model_id[1]);
  return two_digits || model_id[0] >= kFirstThatReasons;
}

}  // namespace ba
