#pragma once
// SPDX-License-Identifier: Apache-2.0
// The text of a JSON value, put together again from what a SAX reader reports of it: compact, names
// in order, fractions as they were spelt. For values that are kept as they came. One thread.

#include <string>
#include <string_view>

#include "pipeline/text/contract/proto_scalar.hpp"

namespace ba {

class JsonCapture {
 public:
  void open_object() { open('{', '}'); }
  void open_array() { open('[', ']'); }
  void close();
  void name(std::string_view name);
  void null() { word("null"); }
  void scalar(const JsonScalar& value);
  void number(std::string_view spelling) { word(spelling); }

  bool whole() const { return closers_.empty(); }  ///< all that was opened is closed
  const std::string& text() const { return text_; }

 private:
  void open(char opener, char closer);
  void word(std::string_view text);
  void separate();

  std::string text_;
  std::string closers_;  ///< of what is open, innermost last
};

}  // namespace ba
