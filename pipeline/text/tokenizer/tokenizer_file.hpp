#pragma once
// SPDX-License-Identifier: Apache-2.0
// A Hugging Face `tokenizer.json` with byte-pair encoding over bytes, as GPT-2's, Llama 3's,
// Qwen's, DeepSeek's and GLM's are: read whole, and what isn't known is refused, so that a count is
// the package's or none. Source: https://huggingface.co/docs/tokenizers, version 1.0 of the file.

#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/text/semantic/normal_text.hpp"
#include "pipeline/text/tokenizer/added_tokens.hpp"
#include "pipeline/text/tokenizer/text_cut.hpp"
#include "pipeline/text/tokenizer/vocabulary_merges.hpp"

namespace ba {

struct TokenizerFile {
  std::vector<AddedToken> added_tokens;
  std::vector<NormalForm> normal_forms;  ///< one after the other
  std::vector<CutStep> cut_steps;
  VocabularyMerges model;
};

/// `json` is the file's text. Fails with the place and what is wrong or not supported there:
/// "model.type: 'Unigram' is not supported; BPE is". What adds tokens around a text
/// (`post_processor`) and what cuts or fills it (`truncation`, `padding`) isn't looked at.
Result<TokenizerFile> read_tokenizer_file(std::string_view json);

}  // namespace ba
