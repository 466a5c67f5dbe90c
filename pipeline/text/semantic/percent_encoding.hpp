#pragma once
// SPDX-License-Identifier: Apache-2.0
// Percent-encoding of texts in URLs (RFC 3986, section 2). Pure; any thread.

#include <string>
#include <string_view>

namespace ba {

/// Section 2.3: the characters that mean the same escaped and not.
bool is_unreserved(char c);

/// "%2F".
std::string escaped(char c);

/// All but the unreserved characters escaped.
std::string percent_encoded(std::string_view text);

}  // namespace ba
