// SPDX-License-Identifier: Apache-2.0
#include "pipeline/token/token_profile.hpp"

#include <algorithm>

namespace ba {
namespace {

struct Family {
  const char* name;
  int margin_percent;
};
constexpr Family kFamilies[] = {{"claude", 115},  {"gpt", 100},     {"gemini", 120},
                                {"glm", 125},     {"qwen", 120},    {"llama", 120},
                                {"mistral", 120}, {"deepseek", 120}};

/// Names that don't begin with their family's, and those of OpenAI's newer vocabulary. The first
/// that fits counts.
struct Pattern {
  const char* part;
  const char* family;
  TokenEncoding encoding;
};
constexpr auto kOld = TokenEncoding::Cl100kBase;
constexpr auto kNew = TokenEncoding::O200kBase;
constexpr Pattern kPatterns[] = {
    {"gpt-4o", "gpt", kNew},      {"gpt-4.1", "gpt", kNew},       {"gpt-4.5", "gpt", kNew},
    {"gpt-3.5", "gpt", kOld},     {"gpt-35", "gpt", kOld},        {"gpt-4", "gpt", kOld},
    {"gpt-oss", "gpt", kNew},     {"gpt-", "gpt", kNew},          {"chatgpt-4o", "gpt", kNew},
    {"mixtral", "mistral", kOld}, {"ministral", "mistral", kOld}, {"codestral", "mistral", kOld}};

/// "o3", "o4-mini": a letter o and a digit begin the name.
bool is_o_series(std::string_view model) {
  return model.size() >= 2 && model[0] == 'o' && model[1] >= '1' && model[1] <= '9' &&
         (model.size() == 2 || model[2] == '-');
}

TokenProfile of_family(std::string_view name, TokenEncoding encoding) {
  const auto* found =
      std::ranges::find_if(kFamilies, [&](const Family& family) { return name == family.name; });
  return {std::string(name), encoding, found->margin_percent};
}

}  // namespace

TokenProfile token_profile(std::string_view model) {
  std::string lower(model);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (is_o_series(lower)) return of_family("gpt", kNew);
  for (const Pattern& pattern : kPatterns)
    if (lower.find(pattern.part) != std::string::npos)
      return of_family(pattern.family, pattern.encoding);
  for (const Family& family : kFamilies)
    if (lower.find(family.name) != std::string::npos) return of_family(family.name, kOld);
  return {"custom", kOld, 120};
}

}  // namespace ba
