// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/served_context.hpp"

#include <algorithm>
#include <charconv>

namespace ba {
namespace {

/// Without num_ctx, unless OLLAMA_CONTEXT_LENGTH or a large graphics card make it more.
constexpr std::int64_t kOllamaDefault = 4096;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The value of "num_ctx" in a Modelfile's parameters: one a line, name and value.
std::optional<std::int64_t> num_ctx_of(std::string_view parameters) {
  constexpr std::string_view kName = "num_ctx";
  while (!parameters.empty()) {
    const std::string_view line = parameters.substr(0, parameters.find('\n'));
    parameters.remove_prefix(std::min(parameters.size(), line.size() + 1));
    const std::size_t digit = line.find_first_of("0123456789");
    if (line.substr(0, kName.size()) != kName || digit == line.npos) continue;
    std::int64_t value = 0;
    const auto read = std::from_chars(line.data() + digit, line.data() + line.size(), value);
    if (read.ec == std::errc()) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ServedContext> context_of_props(JsonView props) {
  const auto tokens = props["default_generation_settings"]["n_ctx"].integer();
  if (!tokens || *tokens <= 0) return std::nullopt;
  return ServedContext{*tokens, "/props"};
}

bool same_ollama_model(std::string_view listed, std::string_view model_id) {
  if (listed == model_id) return true;
  return listed.size() > model_id.size() && listed.substr(0, model_id.size()) == model_id &&
         listed.substr(model_id.size()) == ":latest";
}

std::optional<ServedContext> context_of_loaded(JsonView ps, std::string_view model_id) {
  std::optional<ServedContext> found;
  ps["models"].for_each_element([&](JsonView model) {
    const auto tokens = model["context_length"].integer();
    if (!tokens || *tokens <= 0 || !same_ollama_model(model["name"].text(), model_id)) return;
    found = ServedContext{*tokens, "/api/ps"};
  });
  return found;
}

ServedContext context_of_show(JsonView show) {
  if (const auto tokens = num_ctx_of(show["parameters"].text()))
    return {*tokens, "num_ctx in /api/show"};
  ServedContext context{kOllamaDefault, "Ollama's default, no num_ctx in /api/show"};
  show["model_info"].for_each_member([&](std::string_view key, JsonView value) {
    const std::int64_t trained = value.integer().value_or(0);
    if (!ends_with(key, ".context_length") || trained <= 0 || trained >= context.tokens) return;
    context = {trained, "context_length in /api/show"};
  });
  return context;
}

}  // namespace ba
