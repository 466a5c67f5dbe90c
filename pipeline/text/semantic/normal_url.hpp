#pragma once
// SPDX-License-Identifier: Apache-2.0
// A URL in its one way of writing (RFC 3986, section 6). Pure; any thread. Not by Boost.URL, which
// refuses what models write (letters beyond ASCII, braces, a broken escape) and keeps own ports.

#include <string>
#include <string_view>

namespace ba {

/// RFC 3986, section 2.3: the characters that mean the same escaped and not.
bool is_unreserved(char c);

/// "%2F".
std::string escaped(char c);

/// Percent-encoding: all but the unreserved characters escaped.
std::string percent_encoded(std::string_view text);

/// Scheme and host in lower case, escapes that need not be undone and the others in upper case, dot
/// segments removed, the scheme's own port and an empty path left out or filled in, no fragment
/// (which no server sees). The query stays as it is but for its escapes. What is no URL with a
/// scheme stays as it is, in NFC.
std::string normal_url(std::string_view url);

}  // namespace ba
