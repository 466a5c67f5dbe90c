#pragma once
// SPDX-License-Identifier: Apache-2.0
// A JSON object as a list of members, each value as its bytes: for changing a few members and
// leaving the rest untouched. Names are compared as written; of repeated ones the last counts, as
// in JsonView. Owns its bytes. A value, any thread.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/text/message/json_view.hpp"

namespace ba {

class RawObject {
 public:
  RawObject() = default;
  /// Of anything but an object: empty.
  explicit RawObject(JsonView object);

  /// The view lives until the next change.
  JsonView operator[](std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  bool empty() const { return members_.empty(); }

  /// In the place of the member of that name, else as the last.
  void set(std::string_view name, std::string json);
  void set_text(std::string_view name, std::string_view text);
  void erase(std::string_view name);
  /// Nothing happens when there is none, or already one of the new name.
  void rename(std::string_view from, std::string_view to);

  std::string json() const;

 private:
  using Member = std::pair<std::string, std::string>;  // the name as written, without its quotes
  const Member* find(std::string_view name) const;

  std::vector<Member> members_;
};

}  // namespace ba
