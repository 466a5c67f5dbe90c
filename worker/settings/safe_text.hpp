#pragma once
// SPDX-License-Identifier: Apache-2.0
// What may be shown of a text that somebody wrote as a setting. Nothing is shown because it doesn't
// look like a password; a URL is shown where all of it is understood, and of any other its scheme.
// Pure functions.

#include <string>
#include <vector>

namespace ba::settings {

/// The text with kMaskedSecret in place of what may be a part of a password or key.
std::string safe_text(const std::string& text);

/// What the log must not repeat of it: secrets by their form, and of a URL that isn't understood
/// all that follows the scheme, whole and in pieces.
std::vector<std::string> hidden_parts(const std::string& text);

}  // namespace ba::settings
