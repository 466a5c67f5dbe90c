#pragma once
// SPDX-License-Identifier: Apache-2.0
// The characters of XML 1.0 that the encoding shares between writing and reading; see xml.hpp.
// Pure functions, any thread.

#include <optional>
#include <string>
#include <string_view>

namespace ba {

/// `[A-Za-z_][A-Za-z0-9_.-]*`, not beginning with "xml" in any case.
bool is_plain_xml_name(std::string_view text);

/// Whether XML 1.0 has every character of it (§2.2).
bool fits_xml(std::string_view text);

/// With backslashes doubled and what XML can't hold as \uXXXX.
std::string xml_escaped(std::string_view text);
std::optional<std::string> xml_unescaped(std::string_view text);

/// Text with its entities resolved and line ends as "\n"; none: an entity that isn't one of
/// &lt; &gt; &amp; &quot; &apos; &#N; &#xN;.
std::optional<std::string> xml_text_of(std::string_view raw);

}  // namespace ba
