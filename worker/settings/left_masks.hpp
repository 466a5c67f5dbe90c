#pragma once
// SPDX-License-Identifier: Apache-2.0
// A printed configuration has masks in the place of its secrets. Read back, they are no values.
// Pure functions.

#include <string>

namespace ba::settings {

/// The text is what settings or messages show in the place of a secret.
bool is_mask(const std::string& text);

/// A mask stands where the text's password or key would: in a URL, behind "password=".
bool holds_mask(const std::string& text);

/// What to do about it. `file_key` can name a file that holds the secret; empty: no key can.
std::string mask_left(const std::string& file_key);

}  // namespace ba::settings
