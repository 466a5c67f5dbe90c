// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/token/token_profile.hpp"

#include <algorithm>

#include "pipeline/base/lower_case.hpp"

namespace ba {
namespace {

constexpr std::pair<const char*, std::int64_t> kMargins[] = {
    {"claude", 1'150'000}, {"gpt", 1'000'000}, {"gemini", 1'200'000}, {"glm", 1'250'000}};
constexpr std::int64_t kOtherMargin = 1'200'000;

/// Parts of names, of the first that fits: names that have another family's in them, or not their
/// own's, and those of OpenAI's newer vocabulary.
struct Pattern {
  const char* part;
  const char* family;
  TokenEncoding encoding;
};
constexpr auto kOld = TokenEncoding::Cl100kBase;
constexpr auto kNew = TokenEncoding::O200kBase;
constexpr Pattern kPatterns[] = {{"deepseek-r1", "deepseek", kOld},
                                 {"deepseek-v3", "deepseek", kOld},
                                 {"claude-3", "claude", kOld},
                                 {"claude-2", "claude", kOld},
                                 {"gpt-4o", "gpt", kNew},
                                 {"gpt4o", "gpt", kNew},
                                 {"gpt-4.1", "gpt", kNew},
                                 {"gpt-4.5", "gpt", kNew},
                                 {"gpt-3.5", "gpt", kOld},
                                 {"gpt-35", "gpt", kOld},
                                 {"gpt-4", "gpt", kOld},
                                 {"gpt-oss", "gpt", kNew},
                                 {"gpt-", "gpt", kNew},
                                 {"gemini-2", "gemini", kOld},
                                 {"gemini-1.5", "gemini", kOld},
                                 {"gemini-1", "gemini", kOld},
                                 {"glm-4", "glm", kOld},
                                 {"glm-3", "glm", kOld},
                                 {"qwen-2.5", "qwen", kOld},
                                 {"qwen-2", "qwen", kOld},
                                 {"qwen-1.5", "qwen", kOld},
                                 {"llama-3.1", "llama", kOld},
                                 {"llama-3", "llama", kOld},
                                 {"llama-2", "llama", kOld},
                                 {"mistral-large", "mistral", kOld},
                                 {"mistral-7b", "mistral", kOld},
                                 {"mixtral", "mistral", kOld},
                                 {"ministral", "mistral", kOld},
                                 {"codestral", "mistral", kOld},
                                 {"magistral", "mistral", kOld},
                                 {"devstral", "mistral", kOld},
                                 {"pixtral", "mistral", kOld}};

/// "o3", "openai/o4-mini": a letter o and a digit begin the name.
bool is_o_series(std::string_view model) {
  model.remove_prefix(model.rfind('/') + 1);
  return model.size() >= 2 && model[0] == 'o' && model[1] >= '1' && model[1] <= '9' &&
         (model.size() == 2 || model[2] == '-');
}

/// Whether the whole name is the pattern, in which each "*" stands for any text.
bool fits(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  name.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  while (true) {
    const std::string_view part = pattern.substr(0, pattern.find('*'));
    if (part.size() == pattern.size()) return name.ends_with(part);
    const std::size_t at = name.find(part);
    if (at == std::string_view::npos) return false;
    name.remove_prefix(at + part.size());
    pattern.remove_prefix(part.size() + 1);
  }
}

/// A pattern with a star stands for a name or for what follows who offers it: claude-* fits
/// anthropic/claude-opus-4 and us.anthropic.claude-opus-4.
bool applies(std::string_view model, std::string_view pattern) {
  if (pattern.find('*') == std::string_view::npos) return model.find(pattern) != model.npos;
  while (!fits(model, pattern)) {
    const std::size_t end = model.find_first_of("/.:");
    if (end == model.npos) return false;
    model.remove_prefix(end + 1);
  }
  return true;
}

TokenProfile of_family(std::string_view family, TokenEncoding encoding) {
  TokenProfile profile;
  profile.family = family;
  profile.encoding_name = name_of(kTokenEncodingNames, encoding);
  profile.margin_millionths = kOtherMargin;
  for (const auto& [name, margin] : kMargins)
    if (family == name) profile.margin_millionths = margin;
  return profile;
}

}  // namespace

TokenProfile profile_of_family(std::string_view family) { return of_family(family, kOld); }

void TokenProfiles::add(std::string name_or_pattern, TokenProfile profile) {
  added_.emplace_back(lower_case(name_or_pattern), std::move(profile));
  std::ranges::stable_sort(added_, std::ranges::greater{},
                           [](const auto& one) { return one.first.size(); });
}

std::optional<TokenProfile> TokenProfiles::known(std::string_view name) const {
  const std::string model = lower_case(name);
  for (const auto& [exact, profile] : added_)
    if (model == exact) return profile;
  for (const auto& [pattern, profile] : added_)
    if (applies(model, pattern)) return profile;
  if (is_o_series(model)) return of_family("gpt", kNew);
  for (const Pattern& pattern : kPatterns)
    if (model.find(pattern.part) != std::string::npos)
      return of_family(pattern.family, pattern.encoding);
  for (const char* family : kModelFamilies)
    if (model.find(family) != std::string::npos) return of_family(family, kOld);
  return std::nullopt;
}

TokenProfile TokenProfiles::of(std::string_view model) const {
  return known(model).value_or(of_family("custom", kOld));
}

bool TokenProfiles::knows(std::string_view model) const { return known(model).has_value(); }

}  // namespace ba
