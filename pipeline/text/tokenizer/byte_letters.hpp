#pragma once
// SPDX-License-Identifier: Apache-2.0
// The letters that byte-level vocabularies write bytes with: printable ones for themselves, the
// others for the characters from U+0100 on. Source: bytes_to_unicode of
// https://github.com/openai/gpt-2/blob/master/src/encoder.py. Pure; any thread.

#include <string>
#include <string_view>

namespace ba {

/// The letter of each byte, one behind the other, in UTF-8.
std::string byte_letters(std::string_view bytes);

}  // namespace ba
