// SPDX-License-Identifier: Apache-2.0
#include "worker/config/text_counter.hpp"

#include <memory>
#include <utility>

#include "pipeline/text/tokenizer/file_counter.hpp"
#include "worker/config/config.hpp"
#include "worker/settings/small_file.hpp"

namespace ba::config {
namespace {

constexpr std::size_t kTokenizerBytesMax = std::size_t{64} << 20;

Result<TextCounter> counter_of_file(const std::string& name) {
  const Result<std::string> text = settings::read_file(name, kTokenizerBytesMax);
  if (!text) return text.error();
  Result<TokenizerFile> file = read_tokenizer_file(*text);
  if (!file) return invalid_argument(name + ": " + file.error().message);
  const auto counter = std::make_shared<FileCounter>(std::move(*file));
  return TextCounter([counter](std::string_view one) { return counter->count(one); });
}

}  // namespace

Result<TextCounter> text_counter(const TokenProfile& profile) {
  if (!profile.tokenizer_file.empty()) return counter_of_file(profile.tokenizer_file);
  const auto encoding = value_of(kTokenEncodingNames, profile.encoding_name);
  if (!encoding)
    return invalid_argument("no encoding is named \"" + profile.encoding_name +
                            "\": use cl100k_base, o200k_base or a tokenizer_file");
  const auto counter = std::make_shared<TokenCounter>(*encoding);
  return TextCounter([counter](std::string_view one) { return counter->count(one); });
}

Result<std::map<std::string, TextCounter>> text_counters(const LoadedConfig& loaded) {
  std::map<std::string, TextCounter> counters;
  std::map<std::pair<std::string, std::string>, TextCounter> of_tokenizers;
  for (const llm::ModelConfig& model : loaded.config.llm.models) {
    const TokenProfile profile = loaded.token_encoders.profiles.of(model.model_id);
    TextCounter& counter = of_tokenizers[{profile.encoding_name, profile.tokenizer_file}];
    if (!counter) {
      Result<TextCounter> made = text_counter(profile);
      if (!made)
        return invalid_argument("the tokenizer of llm.models." + model.name + ": " +
                                made.error().message);
      counter = std::move(*made);
    }
    counters[model.name] = counter;
  }
  return counters;
}

}  // namespace ba::config
