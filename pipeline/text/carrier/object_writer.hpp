#pragma once
// SPDX-License-Identifier: Apache-2.0
// Writes one JSON object into a text, member by member; closed when it is destroyed. One thread.

#include <string>
#include <string_view>

#include "pipeline/text/message/json_text.hpp"

namespace ba {

class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;
  ~ObjectWriter() { out_ += '}'; }

  /// Where the value is to be appended.
  std::string& member(std::string_view name) {
    separate();
    append_json_string(out_, name);
    out_ += ':';
    return out_;
  }
  void text(std::string_view name, std::string_view value) {
    append_json_string(member(name), value);
  }
  void text_if_any(std::string_view name, std::string_view value) {
    if (!value.empty()) text(name, value);
  }
  void raw(std::string_view name, std::string_view json) { member(name) += json; }
  /// `"name":value,…`, or nothing.
  void members(std::string_view json) {
    if (json.empty()) return;
    separate();
    out_ += json;
  }

 private:
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }

  std::string& out_;
  bool first_ = true;
};

/// Where the next element of an array that is being written begins: "[" stands before the first.
inline std::string& next_element(std::string& array) {
  if (array.size() > 1) array += ',';
  return array;
}

}  // namespace ba
