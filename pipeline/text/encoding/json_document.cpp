// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/encoding/json_document.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/encoding/object_members.hpp"
#include "pipeline/text/message/json_proof.hpp"

namespace ba {
namespace {

Error limit_exceeded(const std::string& message) {
  Error error;
  error.code = ErrorCode::LimitExceeded;
  error.message = message;
  return error;
}

/// Builds the tree from the parser's events; the text is known to be JSON.
class TreeBuilder final : public nlohmann::json_sax<OrderedJson> {
 public:
  OrderedJson take() { return std::move(root_); }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t& kept) override { return put(OrderedJson(std::move(kept))); }

  bool start_object(std::size_t) override {
    OrderedJson& object = next();
    open_.push_back({&object, ObjectMembers(object)});
    return true;
  }
  bool key(string_t& name) override {
    Open& object = open_.back();
    slot_ = object.members->place(std::move(name)).value;
    return object.members->size() <= kEncodedMembersMax;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override {
    OrderedJson& array = next();
    array = OrderedJson::array();
    open_.push_back({&array, std::nullopt});
    return true;
  }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  struct Open {
    OrderedJson* container = nullptr;
    std::optional<ObjectMembers> members;  // of an object
  };

  /// Where the value goes that comes now.
  OrderedJson& next() {
    if (open_.empty()) return root_;
    if (open_.back().members) return *slot_;
    return open_.back().container->emplace_back();
  }

  template <typename T>
  bool put(T&& value) {
    next() = std::forward<T>(value);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  OrderedJson root_;
  OrderedJson* slot_ = nullptr;  // of the member whose name came last
  std::vector<Open> open_;
};

}  // namespace

Result<OrderedJson> read_json_document(std::string_view text, int depth_max) {
  if (text.size() > kEncodedBytesMax)
    return limit_exceeded("larger than " + std::to_string(kEncodedBytesMax) + " bytes");
  if (const auto problem = json_problem(text, depth_max))
    return invalid_argument("not JSON that can be read: " + *problem);
  TreeBuilder builder;
  if (!sax_exact<OrderedJson>(text, builder))
    return limit_exceeded("an object has more than " + std::to_string(kEncodedMembersMax) +
                          " members");
  return Result<OrderedJson>(boost::system::in_place_value, builder.take());
}

std::string write_json_document(const OrderedJson& value) { return dump_exact(value); }

}  // namespace ba
