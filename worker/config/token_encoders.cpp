// SPDX-License-Identifier: Apache-2.0
#include "worker/config/token_encoders.hpp"

#include <algorithm>
#include <filesystem>

#include "pipeline/base/joined.hpp"
#include "worker/http/url.hpp"
#include "worker/llm/count_form.hpp"
#include "worker/settings/micro_usd.hpp"
#include "worker/settings/section_reader.hpp"
#include "worker/settings/small_file.hpp"
#include "worker/settings/yaml_reader.hpp"

namespace ba::config {
namespace {

using settings::SectionReader;
using Kind = SettingProblem::Kind;

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kMarginMax = 100 * kMillion;

void read_family(SectionReader& in, const std::string& name, TokenProfile& profile) {
  profile = TokenProfiles().of(name);
  std::string family = profile.family;
  in.read("model_family", family);
  if (family == profile.family) return;
  std::vector<std::string> known(kModelFamilies.begin(), kModelFamilies.end());
  if (std::ranges::find(known, family) == known.end())
    return in.error("model_family", Kind::NotAChoice,
                    "\"" + family + "\" is none of " + joined(known));
  profile = profile_of_family(family);
}

void read_margin(SectionReader& in, TokenProfile& profile) {
  std::string text = settings::micro_usd_text(profile.margin_millionths);
  in.read("safety_margin", text);
  const auto margin = settings::parse_micro_usd(text);
  if (text.starts_with("-") || (margin && *margin < kMillion))
    return in.error("safety_margin", Kind::NotAllowed, text + ": safety_margin must be >= 1.0");
  if (!margin || *margin > kMarginMax)
    return in.error("safety_margin", Kind::NotAllowed,
                    "\"" + text +
                        "\" must be a number from 1.0 to 100 with at most six "
                        "decimal places: safety_margin must be >= 1.0");
  profile.margin_millionths = *margin;
}

void read_encoding(SectionReader& in, TokenEncoders& encoders, TokenProfile& profile) {
  const std::filesystem::path folder = std::filesystem::path(encoders.file).parent_path();
  const std::size_t shown = encoders.findings.settings.size();
  in.read("encoding_name", profile.encoding_name);
  in.section("encoder_params", [&](SectionReader& params) {
    std::string file;
    params.read("tokenizer_file", file);
    if (!file.empty()) profile.tokenizer_file = (folder / file).string();
  });
  const bool has_file =
      !profile.tokenizer_file.empty() || in.is_wrong("encoder_params.tokenizer_file");
  if (has_file || value_of(kTokenEncodingNames, profile.encoding_name)) return;
  in.warning("encoding_name",
             "\"" + profile.encoding_name +
                 "\" is not known (cl100k_base and o200k_base are; encoder_params.tokenizer_file "
                 "names a tokenizer.json): cl100k_base counts instead");
  profile.encoding_name = name_of(kTokenEncodingNames, TokenEncoding::Cl100kBase);
  encoders.findings.settings[shown].value_json = ba::settings::quoted(profile.encoding_name);
}

/// A URL may hold what is nobody's business.
std::string shown(const std::string& api) {
  return api.find_first_of(":/@?#") == api.npos ? api : http::shown_url(api);
}

void read_exact_counting(SectionReader& in, TokenProfile& profile) {
  in.read("use_exact_counting", profile.use_exact_counting);
  std::string api = profile.exact_counting_api;
  in.read("exact_counting_api", api);
  if (!llm::is_count_api(api))
    return in.error("exact_counting_api", Kind::NotAllowed,
                    "\"" + shown(api) +
                        "\" is none of anthropic, openai, gemini, and no URL "
                        "(http(s)://host[:port]/path, without user and query)");
  profile.exact_counting_api = api;
  if (!api.empty() && !profile.use_exact_counting)
    in.warning("exact_counting_api", "\"" + shown(api) +
                                         "\" is asked for `tokens count --provider` alone: "
                                         "use_exact_counting: true has workers ask it, too");
}

}  // namespace

TokenEncoders read_token_encoders(std::string_view yaml, const std::string& file) {
  TokenEncoders encoders;
  encoders.file = file;
  const auto tree = settings::parse_yaml(yaml, file, "one section (\"encoders:\")");
  if (const auto* refusal = std::get_if<settings::Refusal>(&tree)) {
    encoders.findings.unreadable(refusal->why, refusal->place);
    return encoders;
  }
  SectionReader root(&std::get<settings::Node>(tree), {}, encoders.findings);
  root.entries("encoders", [&](const std::string& name, SectionReader& in) {
    TokenProfile profile;
    read_family(in, name, profile);
    read_encoding(in, encoders, profile);
    read_margin(in, profile);
    read_exact_counting(in, profile);
    encoders.profiles.add(name, profile);
  });
  root.finish();
  return encoders;
}

TokenEncoders load_token_encoders(const Environment& environment) {
  std::vector<std::string> places{"config/token_encoders.yaml", "config/token_encoders.yml"};
  if (const auto home = environment.get("HOME"))
    places.push_back(*home + "/.ba-agent/token_encoders.yaml");
  for (const std::string& place : places) {
    const Result<std::string> text = settings::read_small_file(place);
    if (text) return read_token_encoders(*text, place);
    if (text.error().code == ErrorCode::NotFound) continue;
    TokenEncoders encoders;
    encoders.file = place;
    encoders.findings.unreadable(text.error().message);
    return encoders;
  }
  return read_token_encoders("", "");
}

}  // namespace ba::config
