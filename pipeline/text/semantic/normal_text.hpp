#pragma once
// SPDX-License-Identifier: Apache-2.0
// Texts that read the same, written the same, and what kinds of characters they are made of
// (Unicode). Pure; any thread.

#include <string>
#include <string_view>

namespace ba {

/// The four of UAX #15.
enum class NormalForm { Nfc, Nfd, Nfkc, Nfkd };

/// Text that is no UTF-8 stays as it is.
std::string normal_form(std::string_view text, NormalForm form);
std::string nfc(std::string_view text);

/// NFC with each run of white space (Unicode White_Space) as one blank, and none at either end.
std::string folded_text(std::string_view text);

/// Letters and digits of any script, and hyphens. False for text that is no UTF-8.
bool only_letters_digits_hyphens(std::string_view text);

/// No letter of it has another lower case.
bool is_lower_case(std::string_view text);

/// A file's path in its one way of writing: NFC, without "." segments, doubled or trailing slashes,
/// and with each ".." taken together with the segment before it, which is the same file where no
/// segment is a link. A ".." that nothing stands before stays: such a path leads out of its root,
/// and is refused by whoever opens it.
std::string normal_path(std::string_view path);

}  // namespace ba
