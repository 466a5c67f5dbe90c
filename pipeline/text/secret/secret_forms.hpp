#pragma once
// SPDX-License-Identifier: Apache-2.0
// Finds what is secret in a text by its form alone: passwords inside URLs, values behind names like
// `password`, `api_key` or `Authorization` (libpq's form, JSON, YAML, queries, headers), bearer
// tokens and keys of well-known shape. Rather masks a word too many than one too few; only what
// this program itself says of a setting, word for word, is left ("api_key: unknown key; …"). Pure;
// any thread; a text without such a form costs one pass and no memory.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

/// [begin, end) of a text.
struct SecretSpan {
  std::size_t begin = 0;
  std::size_t end = 0;

  friend bool operator==(const SecretSpan&, const SecretSpan&) = default;
};

/// In order, without overlaps, none empty.
std::vector<SecretSpan> secret_spans(std::string_view text);

/// The text with `mask` in place of each span.
std::string masked(std::string_view text, const std::vector<SecretSpan>& spans,
                   std::string_view mask);

/// Whether something of this name is a secret as a whole: "api_key", "x-api-key", "sasl.password",
/// "accessToken", "Authorization", …
bool secret_name(std::string_view name);

}  // namespace ba
