#pragma once
// SPDX-License-Identifier: Apache-2.0
// Tool call ids and names as providers accept them. An id is always the model's own, and goes back
// to its author as it is. Others get it in a form that they take, the same in every request.

#include <string>
#include <string_view>
#include <unordered_map>

#include "worker/llm/llm_config.hpp"

namespace ba::llm {

/// What an id of somebody else's must look like.
enum class IdRule {
  Word,                 ///< [a-zA-Z0-9_-]{1,64} (Anthropic, OpenAI's Responses)
  ShortWord,            ///< the same of at most 40 (chat completions, which may stand before any)
  NineLettersOrDigits,  ///< Mistral, and templates of its models
};

/// Of chat completions; by the provider's quirks.
IdRule chat_id_rule(LlmQuirks quirks);

bool fits(std::string_view id, IdRule rule);

/// The id where it fits, else a text that fits: in hexadecimal behind a marker, one-to-one, or
/// where that is too long, of its hash.
std::string wire_tool_id(std::string_view id, IdRule rule);

/// The ids of one request, in its order: which of them its receiver wrote itself, and which stood
/// there before. Some servers number the calls of each reply anew; who wants words wants each of
/// them once in a conversation.
class WireToolIds {
 public:
  explicit WireToolIds(IdRule rule) : rule_(rule) {}

  /// Of a call, before its use. `own`: the receiver is the author.
  void add(const std::string& id, bool own);
  /// Of the newest call with that id.
  std::string wire(const std::string& id) const;

  /// About how much memory they take.
  std::size_t bytes() const { return uses_.size() * kBytesOfUse + text_bytes_; }

 private:
  static constexpr std::size_t kBytesOfUse = 144;  ///< a node with two strings, without their texts

  struct Use {
    int times = 0;
    std::string wire;
  };

  IdRule rule_;
  std::unordered_map<std::string, Use> uses_;
  std::size_t text_bytes_ = 0;  ///< of ids and their words
};

/// The name of a call in a history: what [a-zA-Z0-9_-]{1,64} doesn't take is '_' or cut. Only names
/// of tools that don't exist are changed, so nothing needs to undo it.
std::string wire_tool_name(std::string_view name);

}  // namespace ba::llm
