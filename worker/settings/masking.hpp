#pragma once
// SPDX-License-Identifier: Apache-2.0
// What may be shown of a text that somebody wrote as a setting, what the log must not repeat of it,
// and masks that are read back. Nothing is shown because it doesn't look like a password; a URL is
// shown where all of it is understood, and of any other its scheme. Pure functions.

#include <string>
#include <vector>

namespace ba::settings {

/// What stands in place of a secret wherever settings are shown.
inline constexpr const char* kMaskedSecret = "********";

/// A text (a URL, a list of them, a connection string) with its passwords and keys masked.
std::string mask_secrets(const std::string& text);

/// What mask_secrets() masks.
std::vector<std::string> secrets_in(const std::string& text);

/// The text with kMaskedSecret in place of what may be a part of a password or key.
std::string safe_text(const std::string& text);

/// What the log must not repeat of it: secrets by their form, and of a URL that isn't understood
/// all that follows the scheme, whole and in pieces.
std::vector<std::string> hidden_parts(const std::string& text);

/// The text is what settings or messages show in the place of a secret. Read back, it is no value.
bool is_mask(const std::string& text);

/// A mask stands where the text's password or key would: in a URL, behind "password=".
bool holds_mask(const std::string& text);

/// What to do about it. `file_key` can name a file that holds the secret; empty: no key can.
std::string mask_left(const std::string& file_key);

}  // namespace ba::settings
