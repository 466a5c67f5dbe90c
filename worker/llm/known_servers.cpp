// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/known_servers.hpp"

#include "pipeline/base/lower_case.hpp"
#include "worker/http/url.hpp"

namespace ba::llm {
namespace {

/// Without its port; empty: no URL.
std::string host_of(std::string_view url) {
  const std::string server = http::server_of(url);
  const std::size_t at = server.find("://");
  if (at == server.npos) return "";
  const std::string named = server.substr(at + 3);
  return named.substr(0, named.find(':'));
}

bool is_named(const ModelConfig& model, std::string_view part) {
  return lower_case(model.model_id).find(part) != std::string::npos;
}

constexpr std::string_view kFineTuned = "ft:";
constexpr std::string_view kFamily = "gpt-";
constexpr char kFirstThatReasons = '5';

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool is_host(std::string_view url, std::string_view host) { return host_of(url) == host; }

bool is_openai_host(std::string_view base_url) {
  const std::string host = host_of(base_url);
  return host == "openai.com" || host.ends_with(".openai.com");
}

bool is_gemini_host(std::string_view url) {
  return is_host(url, "generativelanguage.googleapis.com");
}

bool is_vertex(std::string_view url) {
  return http::server_of(url).ends_with("aiplatform.googleapis.com");
}

bool is_google(const ProviderConfig& provider, const ModelConfig& model) {
  return is_gemini_host(provider.base_url) || is_vertex(provider.base_url) ||
         is_named(model, "gemini");
}

bool is_moonshot(const ProviderConfig& provider, const ModelConfig& model) {
  return is_host(provider.base_url, "api.moonshot.ai") ||
         is_host(provider.base_url, "api.moonshot.cn") || is_named(model, "kimi");
}

bool is_openai_reasoning_model(std::string_view model_id) {
  if (model_id.starts_with(kFineTuned)) model_id.remove_prefix(kFineTuned.size());
  if (model_id.size() >= 2 && model_id[0] == 'o') return is_digit(model_id[1]);
  if (!model_id.starts_with(kFamily)) return false;
  model_id.remove_prefix(kFamily.size());
  if (model_id.empty() || !is_digit(model_id[0])) return false;
  const bool two_digits = model_id.size() >= 2 && is_digit(model_id[1]);
  return two_digits || model_id[0] >= kFirstThatReasons;
}

StructuredOutput openai_answer_form(const ClosedForm& form) {
  return {.native = form.object, .strict = form.closed && form.all_required};
}

}  // namespace ba::llm
