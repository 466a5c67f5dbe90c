#pragma once
// SPDX-License-Identifier: Apache-2.0
// JSON text to a tree and back, for documents of any width: objects of a million members are read
// in linear time. Pure functions, any thread.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "pipeline/base/error.hpp"

namespace ba {

/// The tree of JSON that the encodings write and read: members in the order in which they came.
/// Declared only: who looks inside includes <nlohmann/json.hpp>. A value.
using OrderedJson = nlohmann::ordered_json;

// What the readers of encoded text bear; beyond it they answer LimitExceeded and name the limit.
// All of them read in time proportional to the text.

/// Levels of nesting, as everywhere (JsonView::kDepthMax).
inline constexpr int kEncodedDepthMax = 64;
inline constexpr std::size_t kEncodedBytesMax = std::size_t{256} << 20;
inline constexpr std::size_t kEncodedMembersMax = 1'000'000;  ///< of one object
/// Bytes of members' names in all rows of all tables: a header's names count in each row, and so
/// does a member that lenient reading adds for a cell that isn't there.
inline constexpr std::size_t kTableNameBytesMax = std::size_t{1} << 30;

/// Of a text that is too large, or no UTF-8; none of a good one.
std::optional<Error> encoded_text_defect(std::string_view text);

/// One JSON value (RFC 8259) within these limits. Every number stays as it is written
/// (base/exact_json.hpp); of members of the same name the last counts, in the place of the first.
Result<OrderedJson> read_json_document(std::string_view text, int depth_max = kEncodedDepthMax);

/// Compact, members in their order, nothing escaped that needn't be.
std::string write_json_document(const OrderedJson& value);

/// Fills one object without looking each new name up among all earlier ones: from a handful of
/// members on it keeps an index. The object outlives it and is changed by nobody else meanwhile.
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
