// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/tokenizer/file_counter.hpp"

#include <algorithm>

#include "pipeline/text/token/well_formed.hpp"

namespace ba {
namespace {

std::string normalized(std::string text, const std::vector<NormalForm>& forms) {
  for (const NormalForm form : forms) text = normal_form(text, form);
  return text;
}

AddedTokens written(const std::vector<AddedToken>& tokens) {
  std::vector<AddedToken> chosen = tokens;
  std::erase_if(chosen, [](const AddedToken& token) { return token.normalized; });
  return AddedTokens(std::move(chosen));
}

AddedTokens normalized(const TokenizerFile& file) {
  std::vector<AddedToken> chosen = file.added_tokens;
  std::erase_if(chosen, [](const AddedToken& token) { return !token.normalized; });
  for (AddedToken& token : chosen)
    token.content = normalized(std::move(token.content), file.normal_forms);
  return AddedTokens(std::move(chosen));
}

}  // namespace

FileCounter::FileCounter(TokenizerFile file)
    : normal_forms_(file.normal_forms),
      cut_steps_(std::move(file.cut_steps)),
      model_(std::move(file.model)),
      as_written_(written(file.added_tokens)),
      as_normalized_(normalized(file)) {}

std::int64_t FileCounter::count(std::string_view text) {
  std::string repaired;
  if (!is_well_formed(text)) text = repaired = well_formed(text);
  const AddedTokensFound found = as_written_.find(text);
  std::int64_t all = static_cast<std::int64_t>(found.count);
  for (const std::string_view part : found.between) all += between_added(part);
  return all;
}

std::int64_t FileCounter::between_added(std::string_view text) {
  const std::string form = normalized(std::string(text), normal_forms_);
  const AddedTokensFound found = as_normalized_.find(form);
  std::int64_t all = static_cast<std::int64_t>(found.count);
  for (const std::string_view part : found.between)
    for_each_piece(part, cut_steps_, [&](const std::string& piece) { all += of_piece(piece); });
  return all;
}

std::int64_t FileCounter::of_piece(const std::string& piece) {
  if (const auto found = known_.find(piece); found != known_.end()) return found->second;
  const auto count = static_cast<std::int64_t>(model_.count(piece));
  if (piece.size() > kPieceBytesMax) return count;
  if (known_.size() == kKnownMax) known_.clear();
  known_.emplace(piece, count);
  return count;
}

}  // namespace ba
