// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/tokenizer/tokenizer_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ba {
namespace {

using Json = nlohmann::json;

/// The pattern of GPT-2 (https://github.com/openai/gpt-2/blob/master/src/encoder.py).
constexpr const char* kByteLevelPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr EnumNames<NormalForm, 4> kNormalFormNames{{{NormalForm::Nfc, "NFC"},
                                                     {NormalForm::Nfd, "NFD"},
                                                     {NormalForm::Nfkc, "NFKC"},
                                                     {NormalForm::Nfkd, "NFKD"}}};
constexpr int kNestingMax = 8;
constexpr std::size_t kStepsMax = 32;

/// A place in the file; reads what is below it, and keeps the first thing that is wrong.
class Place {
 public:
  Place(const Json& json, std::string path, std::optional<Error>& wrong)
      : json_(json), path_(std::move(path)), wrong_(wrong) {}

  void refuse(const std::string& why) const {
    if (!wrong_) wrong_ = invalid_argument((path_.empty() ? "" : path_ + ": ") + why);
  }
  void unsupported(const std::string& what, const std::string& instead) const {
    refuse("'" + what + "' is not supported; " + instead);
  }

  const Json& json() const { return json_; }
  bool there() const { return !json_.is_null(); }

  /// A member; null where there is none.
  Place at(const std::string& name) const {
    static const Json kNone;
    const auto found = json_.is_object() ? json_.find(name) : json_.end();
    return {json_.is_object() && found != json_.end() ? *found : kNone,
            path_.empty() ? name : path_ + "." + name, wrong_};
  }
  Place at(std::size_t index) const {
    return {json_[index], path_ + "[" + std::to_string(index) + "]", wrong_};
  }

  std::string text() const {
    if (json_.is_string()) return json_.get<std::string>();
    refuse("a text is expected");
    return "";
  }
  bool flag(bool otherwise) const {
    if (json_.is_boolean()) return json_.get<bool>();
    if (there()) refuse("true or false is expected");
    return otherwise;
  }
  std::size_t elements() const {
    if (json_.is_array()) return json_.size();
    refuse("a list is expected");
    return 0;
  }

 private:
  const Json& json_;
  const std::string path_;
  std::optional<Error>& wrong_;
};

std::vector<AddedToken> read_added_tokens(const Place& place) {
  std::vector<AddedToken> tokens;
  if (!place.there()) return tokens;
  for (std::size_t i = 0; i < place.elements(); ++i) {
    const Place one = place.at(i);
    AddedToken token;
    token.content = one.at("content").text();
    token.single_word = one.at("single_word").flag(false);
    token.lstrip = one.at("lstrip").flag(false);
    token.rstrip = one.at("rstrip").flag(false);
    token.normalized = one.at("normalized").flag(!one.at("special").flag(false));
    if (!token.content.empty()) tokens.push_back(std::move(token));
  }
  return tokens;
}

void read_normalizer(const Place& place, int depth, std::vector<NormalForm>& forms) {
  if (!place.there()) return;
  if (depth > kNestingMax) return place.refuse("is nested too deeply");
  const std::string type = place.at("type").text();
  if (type == "Sequence") {
    const Place all = place.at("normalizers");
    for (std::size_t i = 0; i < all.elements(); ++i) read_normalizer(all.at(i), depth + 1, forms);
  } else if (const auto form = value_of(kNormalFormNames, type)) {
    forms.push_back(*form);
  } else {
    place.at("type").unsupported(type, "NFC, NFD, NFKC, NFKD and sequences of them are");
  }
}

void add_cut(const Place& place, Result<TextPattern> pattern, CutBehavior behavior,
             std::vector<CutStep>& steps, bool inverted = false) {
  if (!pattern) return place.refuse(pattern.error().message);
  steps.emplace_back(PatternCut{std::move(*pattern), behavior, inverted});
}

void read_split(const Place& place, std::vector<CutStep>& steps) {
  const std::string named = place.at("behavior").text();
  const auto behavior = value_of(kCutBehaviorNames, named);
  if (!behavior) return place.at("behavior").refuse("'" + named + "' is not known");
  const bool inverted = place.at("invert").flag(false);
  const Place pattern = place.at("pattern");
  const Place regex = pattern.at("Regex");
  if (regex.there())
    add_cut(regex, TextPattern::compiled(regex.text()), *behavior, steps, inverted);
  else
    add_cut(pattern, TextPattern::literal(pattern.at("String").text()), *behavior, steps, inverted);
}

bool writes_letters(const std::vector<CutStep>& steps) {
  return std::ranges::any_of(
      steps, [](const CutStep& step) { return std::holds_alternative<BytesAsLetters>(step); });
}

void read_byte_level(const Place& place, std::vector<CutStep>& steps) {
  if (writes_letters(steps)) return place.refuse("there is a ByteLevel before it");
  if (place.at("add_prefix_space").flag(true)) steps.emplace_back(BlankFirst());
  if (place.at("use_regex").flag(true))
    add_cut(place, TextPattern::compiled(kByteLevelPattern), CutBehavior::Isolated, steps);
  steps.emplace_back(BytesAsLetters());
}

void read_pre_tokenizer(const Place& place, int depth, std::vector<CutStep>& steps) {
  if (!place.there()) return;
  if (depth > kNestingMax) return place.refuse("is nested too deeply");
  if (steps.size() >= kStepsMax)
    return place.refuse("there are more than " + std::to_string(kStepsMax) + " steps");
  const std::string type = place.at("type").text();
  if (type == "Sequence") {
    const Place all = place.at("pretokenizers");
    for (std::size_t i = 0; i < all.elements(); ++i)
      read_pre_tokenizer(all.at(i), depth + 1, steps);
  } else if (type == "ByteLevel") {
    read_byte_level(place, steps);
  } else if (type == "Split") {
    read_split(place, steps);
  } else if (type == "Digits") {
    const bool each = place.at("individual_digits").flag(false);
    add_cut(place, TextPattern::compiled("\\p{N}"),
            each ? CutBehavior::Isolated : CutBehavior::Contiguous, steps);
  } else {
    place.at("type").unsupported(type, "ByteLevel, Split, Digits and sequences of them are");
  }
}

VocabularyMerges::Vocabulary read_vocabulary(const Place& place) {
  VocabularyMerges::Vocabulary vocabulary;
  if (!place.json().is_object() || place.json().empty()) {
    place.refuse("an object with tokens is expected");
    return vocabulary;
  }
  for (const auto& [token, id] : place.json().items()) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() > UINT32_MAX)
      place.at(token).refuse("a number from 0 on is expected");
    else
      vocabulary.emplace(token, id.get<TokenId>());
  }
  return vocabulary;
}

/// "a b", or ["a", "b"].
void read_merge(const Place& place, VocabularyMerges& model) {
  std::string left;
  std::string right;
  if (place.json().is_array() && place.json().size() == 2) {
    left = place.at(std::size_t{0}).text();
    right = place.at(std::size_t{1}).text();
  } else {
    const std::string both = place.text();
    if (both.starts_with("#version")) return;
    const std::size_t blank = both.find(' ');
    if (blank == std::string::npos || both.find(' ', blank + 1) != std::string::npos)
      return place.refuse("two tokens with a blank between them are expected");
    left = both.substr(0, blank);
    right = both.substr(blank + 1);
  }
  const Result<void> added = model.add_merge(left, right);
  if (!added) place.refuse(added.error().message);
}

void refuse_other_models(const Place& place) {
  const Place type = place.at("type");
  // Old files of BPE name no type.
  if (type.there() && type.text() != "BPE") type.unsupported(type.text(), "BPE is");
  for (const char* affix : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (const Place at = place.at(affix); at.there() && !at.text().empty())
      at.unsupported(at.text(), "byte-level vocabularies have none");
  if (place.at("byte_fallback").flag(false))
    place.at("byte_fallback").unsupported("true", "byte-level vocabularies need none");
  const Json& dropout = place.at("dropout").json();
  if (dropout.is_number() && dropout.get<double>() > 0)
    place.at("dropout").unsupported(dropout.dump(), "counts would differ from time to time");
}

VocabularyMerges read_model(const Place& place) {
  refuse_other_models(place);
  VocabularyMerges::Vocabulary vocabulary = read_vocabulary(place.at("vocab"));
  UnknownLetters unknown;
  unknown.fused = place.at("fuse_unk").flag(false);
  if (const Place token = place.at("unk_token"); token.there()) {
    const auto found = vocabulary.find(token.text());
    if (found == vocabulary.end())
      token.refuse("'" + token.text() + "' is not in the vocabulary");
    else
      unknown.token = found->second;
  }
  VocabularyMerges model(std::move(vocabulary), unknown, place.at("ignore_merges").flag(false));
  const Place merges = place.at("merges");
  for (std::size_t i = 0; i < merges.elements(); ++i) read_merge(merges.at(i), model);
  return model;
}

}  // namespace

Result<TokenizerFile> read_tokenizer_file(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return invalid_argument("is not a JSON object");
  std::optional<Error> wrong;
  const Place file(json, "", wrong);
  std::vector<NormalForm> forms;
  std::vector<CutStep> steps;
  refuse_other_models(file.at("model"));
  read_normalizer(file.at("normalizer"), 0, forms);
  read_pre_tokenizer(file.at("pre_tokenizer"), 0, steps);
  if (!writes_letters(steps))
    file.at("pre_tokenizer")
        .refuse("ByteLevel is expected: only byte-level vocabularies are supported");
  if (wrong) return *wrong;
  TokenizerFile read{read_added_tokens(file.at("added_tokens")), std::move(forms), std::move(steps),
                     read_model(file.at("model"))};
  if (wrong) return *wrong;
  return read;
}

}  // namespace ba
