#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a protocol says of itself: a table, so that nobody compares its name. Values; any thread.

#include <cstdint>
#include <span>
#include <string_view>

namespace ba {

class CountForm;

struct ProtocolTraits {
  std::string_view name;        ///< in the configuration, and in a ProviderExtra's origin
  std::string_view path;        ///< of its requests, below the base URL
  std::string_view owner_url;   ///< of who made it: the base URL where none is set
  std::string_view owner_key;   ///< the environment's variable with the key for it
  std::string_view owner;       ///< gen_ai.provider.name, by OpenTelemetry's conventions
  bool quirks_in_spans = true;  ///< there, a compatible server is named by its quirks instead

  // Settings that mean something to it.
  std::span<const std::string_view> api_versions = {};  ///< that it speaks; empty: it has none
  std::int64_t output_tokens_min = 1;                   ///< the least max_output_tokens
  bool thinking = false;                                ///< `thinking`
  bool strip_think = false;                             ///< `strip_think`
  bool text_tools = false;                              ///< `tool_calling: text`
  /// Servers differ in what they take of it: quirks, max_tokens_field, resend_reasoning.
  bool servers_differ = false;

  /// What a server speaks that doesn't speak this one; empty: all of them do that claim it.
  std::string_view plainer = {};
};

/// What a request says of the form of its answer.
struct StructuredOutput {
  bool native = false;
  bool strict = false;  ///< OpenAI: the schema is in the form that strict adherence asks for
};

/// Another protocol in which a provider's model does more. A sentence: `before` its id, and
/// `behind` it.
struct BetterProtocol {
  std::string_view name;
  std::string_view before;
  std::string_view behind;
};

/// Who counts the tokens of its requests.
struct Counting {
  const CountForm& own;                     ///< for a URL that doesn't say by its end what it takes
  std::span<const CountForm* const> named;  ///< that fit, by their names in the configuration
};

}  // namespace ba
