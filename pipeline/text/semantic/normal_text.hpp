#pragma once
// SPDX-License-Identifier: Apache-2.0
// Texts that read the same, written the same. Pure; any thread.

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

}  // namespace ba
