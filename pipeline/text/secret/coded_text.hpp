#pragma once
// SPDX-License-Identifier: Apache-2.0
// A text whose codes are resolved, those of a URL (%40) and of JSON (\", \u00e4), step by step as
// texts stand within texts, and where each of its bytes stood at first. The first text is borrowed.
// A value; any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ba {

class CodedText {
 public:
  explicit CodedText(std::string_view text) : given_(text) {}

  /// Resolves each code once. False: there was none.
  bool resolve();

  std::string_view text() const { return places_.empty() ? given_ : std::string_view(text_); }

  /// Where the byte at `at` of text(), or its end, stands in the text that was given.
  std::size_t place(std::size_t at) const { return places_.empty() ? at : places_[at]; }

 private:
  std::string_view given_;
  std::string text_;
  std::vector<std::size_t> places_;  ///< of each byte and of the end; empty: nothing is resolved
};

}  // namespace ba
