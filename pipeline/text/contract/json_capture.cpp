// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/json_capture.hpp"

#include "pipeline/text/message/json_text.hpp"

namespace ba {

void JsonCapture::separate() {
  if (text_.empty()) return;
  const char last = text_.back();
  if (last != '{' && last != '[' && last != ':') text_ += ',';
}

void JsonCapture::open(char opener, char closer) {
  separate();
  text_ += opener;
  closers_ += closer;
}

void JsonCapture::close() {
  text_ += closers_.back();
  closers_.pop_back();
}

void JsonCapture::name(std::string_view name) {
  separate();
  append_json_string(text_, name);
  text_ += ':';
}

void JsonCapture::word(std::string_view text) {
  separate();
  text_ += text;
}

void JsonCapture::scalar(const JsonScalar& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    separate();
    append_json_string(text_, *text);
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    word(*flag ? "true" : "false");
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    word(std::to_string(*whole));
  } else if (const auto* large = std::get_if<std::uint64_t>(&value)) {
    word(std::to_string(*large));
  }
}

}  // namespace ba
