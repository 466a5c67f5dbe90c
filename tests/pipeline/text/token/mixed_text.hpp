#pragma once
// SPDX-License-Identifier: Apache-2.0
// Random texts of all that matters where text is cut into pieces: letters of each kind and number
// of bytes, marks, digits, spaces, contractions. They follow from the seed.

#include <algorithm>
#include <iterator>
#include <random>
#include <string>

namespace ba {

class MixedText {
 public:
  explicit MixedText(unsigned seed) : dice_(seed) {}

  unsigned below(unsigned limit) { return static_cast<unsigned>(dice_() % limit); }

  /// Of ASCII alone.
  std::string ascii(unsigned parts) { return of(parts, kAscii, std::size(kAscii)); }
  /// Runs of one script, and changes between them.
  std::string any(unsigned parts) {
    std::string text;
    while (parts > 0) {
      const unsigned run = std::min(parts, 1 + below(6));
      parts -= run;
      switch (below(4)) {
        case 0:
          text += ascii(run);
          break;
        case 1:
          text += of(run, kBeyond, std::size(kBeyond));
          break;
        default:
          text += letters_of_one_script(run);
      }
    }
    return text;
  }

  static void append(std::string& text, char32_t c) {
    const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
    if (c < 0x80) return put(c);
    if (c < 0x800) {
      put(0xc0 | c >> 6);
    } else {
      if (c < 0x10000) {
        put(0xe0 | c >> 12);
      } else {
        put(0xf0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3f));
      }
      put(0x80 | (c >> 6 & 0x3f));
    }
    put(0x80 | (c & 0x3f));
  }

 private:
  static constexpr const char* kAscii[] = {"a",   "b",   "the", "word",  "internationally",
                                           "A",   "AB",  "XML", "Cd",    "camelCase",
                                           "I",   "'",   "'s",  "'S",    "'ll",
                                           "'LL", "'re", "'t",  "'dx",   "'l",
                                           "1",   "22",  "333", "44444", "7777777",
                                           " ",   " ",   " ",   "  ",    "    ",
                                           "\t",  "\n",  "\n",  "\r\n",  "\n\n",
                                           "\v",  ".",   ",",   "!",     "/",
                                           "//",  "(",   ")",   "{",     "};",
                                           "_",   "--",  "==",  "\x7f",  "\x1c"};
  static constexpr const char* kBeyond[] = {
      "\u00e9",     "\u00c9",     "\u00df",     "\u017f",     "'\u017f",    "\u01c5",
      "\u02b0",     "\u0301",     "\u0308",     "a\u0301",    "\u20ac",     "\u00bd",
      "\u0663",     "\u2167",     "\u0967",     "\U0001d7ce", "\u0085",     "\u00a0",
      "\u2028",     "\u3000",     "\u200b",     "\u200d",     "\ufeff",     "\ufffd",
      "\u3002",     "\uff0c",     "\u2026",     "\U0001f642", "\U0001f469", "\U0001f3fd",
      "\U00010400", "\U00010428", "\U0001d49c", "\U00020000", "\u1c90",     "\u10d0",
      "\u093f",     "\u0e31",     "\u064b",     "\ufe0f",     "\u0410",     "\uac00"};
  struct Letters {
    char32_t first;
    unsigned count;
  };
  static constexpr Letters kScripts[] = {
      {0x4e00, 2048}, {0x4e00, 40}, {0x3041, 80},   {0xac00, 512}, {0x430, 32},
      {0x410, 64},    {0x627, 36},  {0x905, 72},    {0xe01, 46},   {0x3b1, 24},
      {0x1f600, 80},  {0xc0, 23},   {0x20000, 500}, {0x10400, 80}, {0x5d0, 27}};

  std::string of(unsigned parts, const char* const* choices, std::size_t count) {
    std::string text;
    for (; parts > 0; --parts) text += choices[below(static_cast<unsigned>(count))];
    return text;
  }
  std::string letters_of_one_script(unsigned run) {
    const Letters script = kScripts[below(static_cast<unsigned>(std::size(kScripts)))];
    std::string text;
    if (below(3) == 0) text += ' ';
    for (; run > 0; --run) append(text, script.first + below(script.count));
    return text;
  }

  std::mt19937 dice_;  // NOLINT: the same texts each time
};

}  // namespace ba
