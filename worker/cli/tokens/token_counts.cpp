// SPDX-License-Identifier: Apache-2.0
#include "worker/cli/tokens/token_counts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/core/tool/json_shape.hpp"
#include "pipeline/text/message/token_estimate.hpp"
#include "pipeline/text/token/well_formed.hpp"
#include "worker/config/exact_counting.hpp"
#include "worker/llm/server_question.hpp"

namespace ba::cli {
namespace {

using Json = nlohmann::ordered_json;

TokenProfile profile_of(const TokensCountArguments& arguments, const TokenProfiles& profiles) {
  if (!arguments.model.empty()) return profiles.of(arguments.model);
  TokenProfile profile;
  profile.encoding_name = arguments.encoding;
  profile.tokenizer_file = arguments.tokenizer;
  return profile;
}

std::string written(const Json& answer) { return dump_exact(answer); }

/// The unit that an escape at `at` ("\uD83D") stands for.
std::optional<unsigned> unit_at(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  unsigned unit = 0;
  for (const char c : text.substr(at + 2, 4)) {
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower >= '0' && lower <= '9')
      unit = unit * 16 + static_cast<unsigned>(lower - '0');
    else if (lower >= 'a' && lower <= 'f')
      unit = unit * 16 + static_cast<unsigned>(lower - 'a' + 10);
    else
      return std::nullopt;
  }
  return unit;
}

bool is_high(unsigned unit) { return unit >= 0xd800 && unit <= 0xdbff; }
bool is_low(unsigned unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

/// Halves of a surrogate pair that are alone, which no JSON parser takes, as "\ufffd".
std::string with_whole_pairs(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  for (std::size_t at = 0; at < line.size();) {
    const auto unit = unit_at(line, at);
    const std::size_t step = unit ? 6 : line[at] == '\\' && at + 1 < line.size() ? 2 : 1;
    if (!unit || (!is_high(*unit) && !is_low(*unit))) {
      out += line.substr(at, step);
      at += step;
      continue;
    }
    const auto next = unit_at(line, at + 6);
    const bool pair = is_high(*unit) && next && is_low(*next);
    out += pair ? line.substr(at, 12) : std::string_view("\\ufffd");
    at += pair ? 12 : 6;
  }
  return out;
}

LineAnswer refused(std::string_view id, const std::string& why) {
  return {with_id(id, written(Json{{"error", why}})), false};
}

constexpr Milliseconds kPatience{30'000};

const llm::ModelConfig* model_of(const llm::LlmConfig& llm, const std::string& name) {
  const auto found = std::ranges::find_if(llm.models, [&](const llm::ModelConfig& model) {
    return model.name == name || model.model_id == name;
  });
  return found == llm.models.end() ? nullptr : &*found;
}

}  // namespace

Result<config::TextCounter> token_count(const TokensCountArguments& arguments,
                                        const TokenProfiles& profiles) {
  if (arguments.estimate) return config::TextCounter(estimated_tokens);
  const TokenProfile profile = profile_of(arguments, profiles);
  Result<config::TextCounter> count = config::text_counter(profile);
  if (!count || !arguments.margin) return count;
  return config::TextCounter([exactly = std::move(*count), profile](std::string_view text) {
    return with_margin(exactly(text), profile);
  });
}

LineAnswer answer_token_line(const config::TextCounter& count, std::string_view line) {
  if (!json_shape(line).within_limits())
    return refused(kNoId, "the line must have " + json_shape_limits());
  const std::string whole = with_whole_pairs(well_formed(line));
  const Json asked = parse_exact<Json>(whole);
  if (asked.is_discarded()) return refused(kNoId, "the line is not JSON");
  if (!asked.is_object()) return refused(kNoId, "a line must be an object with \"id\"");
  const std::string_view id = id_of_line(whole);
  const auto text = asked.find("text");
  if (text == asked.end()) return refused(id, "\"text\" is missing");
  if (!text->is_string()) return refused(id, "\"text\" must be a string");
  return {with_id(id, written(Json{{"count", count(text->get_ref<const std::string&>())}}))};
}

LineAnswer refused_token_line(const std::string& why) { return refused(kNoId, why); }

std::string model_id_of(const llm::LlmConfig& llm, const std::string& name) {
  if (name.empty()) return name;  // which is the default model to llm.model()
  const llm::ModelConfig* model = llm.model(name);
  return model == nullptr || model->model_id.empty() ? name : model->model_id;
}

Result<llm::CountApi> counting_api(const config::LoadedConfig& loaded, const std::string& model) {
  const llm::LlmConfig& llm = loaded.config.llm;
  const llm::ModelConfig* configured = model_of(llm, model);
  const llm::ProviderConfig* provider = configured ? llm.provider(configured->provider) : nullptr;
  const std::string nobody = "nobody can be asked about the tokens of '" + model + "': ";
  if (!provider) return invalid_argument(nobody + "under llm.models there is no such model");
  auto api = config::exact_count_api(loaded, *configured, *provider);
  if (!api) return invalid_argument(nobody + api.error().message);
  return api;
}

Result<config::TextCounter> provider_counter(const config::LoadedConfig& loaded,
                                             const std::string& model,
                                             config::TextCounter otherwise, Terminal& terminal) {
  const auto api = counting_api(loaded, model);
  if (!api) return api.error();
  const llm::LlmConfig& llm = loaded.config.llm;
  const llm::ModelConfig* configured = model_of(llm, model);
  return config::TextCounter([provider = llm.provider(configured->provider), api = *api,
                              id = configured->model_id, otherwise = std::move(otherwise),
                              &terminal](std::string_view text) {
    const auto count = llm::counted_by_provider(*provider, api, id, well_formed(text), kPatience);
    if (count) return *count;
    terminal.message(printable(count.error().message + "; counted here instead, with the margin"));
    return otherwise(text);
  });
}

}  // namespace ba::cli
