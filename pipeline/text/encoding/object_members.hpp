#pragma once
// SPDX-License-Identifier: Apache-2.0
// Fills one object without looking each new name up among all earlier ones: from a handful of
// members on it keeps an index. The object outlives it and is changed by nobody else meanwhile.
// Any thread.

#include <cstddef>
#include <string>
#include <unordered_map>

#include "pipeline/text/encoding/ordered_json.hpp"

namespace ba {

class ObjectMembers {
 public:
  /// `object` becomes an empty object.
  explicit ObjectMembers(OrderedJson& object);

  struct Place {
    OrderedJson* value = nullptr;  ///< of the member; valid until the next one is placed
    bool fresh = true;             ///< false: there was a member of that name, and this is it
  };

  Place place(std::string name);

  std::size_t size() const;

 private:
  OrderedJson* find(const std::string& name);

  OrderedJson* object_;
  std::unordered_map<std::string, std::size_t> index_;  // empty while there are few members
};

}  // namespace ba
