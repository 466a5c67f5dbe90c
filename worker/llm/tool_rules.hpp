#pragma once
// SPDX-License-Identifier: Apache-2.0
// What each provider takes as a tool: a table. What isn't as it says is refused by the provider,
// with the whole request. Values; any thread.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "worker/llm/llm_config.hpp"

namespace ba::llm {

struct ToolRules {
  enum class Names { Any, Word, LetterFirst };  ///< [a-zA-Z0-9_-]+; the first no digit or hyphen
  enum class Patterns { Any, Anchored };        ///< Anchored: of the form ^…$ alone
  enum class Lists { Kept, Split, Nullable };   ///< of types: Split into anyOf, or "nullable"

  bool as_is = false;         ///< schemas are only read by the model
  std::string_view who;       ///< "OpenAI"
  std::size_t tools_max = 0;  ///< of a request; 0: no limit is known
  Names names = Names::Word;
  std::size_t name_bytes_max = 64;
  bool plain_top = true;        ///< the top is an object without anyOf, oneOf, allOf, not, enum
  bool property_words = false;  ///< names of properties are [a-zA-Z0-9_.-]{1,64}
  bool items_needed = true;     ///< an array says of what
  bool text_enums = false;      ///< values of enum are texts, none empty; const is not known
  bool lone_any_of = false;     ///< nothing stands beside anyOf; no allOf, oneOf, not
  bool known_required = false;  ///< "required" names what stands in "properties", which isn't empty
  int repeats_max = 0;          ///< of bounds on lengths, larger ones are left out; 0: any
  bool typed = false;           ///< each schema says its type
  bool typed_branches = false;  ///< with anyOf, the type stands in its branches
  Patterns patterns = Patterns::Any;
  Lists type_lists = Lists::Kept;
  std::span<const std::string_view> keywords = {};  ///< all that are known; empty: any
  std::span<const std::string_view> formats = {};   ///< likewise; empty: any
};

/// Of the model's provider, as its protocol says: by host and quirks, and for compatible servers by
/// the model's id. Always the same object for the same rules.
const ToolRules& tool_rules(const ProviderConfig& provider, const ModelConfig& model);

/// The table's rows that protocols choose from.
namespace tool_rows {
extern const ToolRules kOpenai;
extern const ToolRules kAnthropic;
extern const ToolRules kGemini;
extern const ToolRules kText;  ///< a model that calls tools in its text

/// Null: of none.
const ToolRules* of_quirks(LlmQuirks quirks);

/// Of a server that nobody knows: what all of them take, or Moonshot where the model is one.
const ToolRules& unknown(const ProviderConfig& provider, const ModelConfig& model);
}  // namespace tool_rows

/// Every row, for who wants to look at them.
std::span<const ToolRules* const> all_tool_rules();

/// Why the name is none for this provider; empty: it is one.
std::string name_fault(std::string_view name, const ToolRules& rules);

/// [a-zA-Z0-9_.-]{1,64}
bool is_property_word(std::string_view name);

}  // namespace ba::llm
