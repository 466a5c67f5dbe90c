// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/encoding/json_document.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/base/exact_json.hpp"
#include "pipeline/text/message/json_proof.hpp"
#include "pipeline/text/message/utf8.hpp"

namespace ba {
namespace {

constexpr std::size_t kFew = 16;

using Member = std::pair<const std::string, OrderedJson>;

/// As the sequence that they are: the operators of an object look names up.
std::vector<Member>& members_of(OrderedJson& object) {
  return object.get_ref<OrderedJson::object_t&>();
}

Error limit_exceeded(const std::string& message) {
  return make_error(ErrorCode::LimitExceeded, message);
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

ObjectMembers::ObjectMembers(OrderedJson& object) : object_(&object) {
  object = OrderedJson::object();
}

std::size_t ObjectMembers::size() const { return object_->size(); }

ObjectMembers::Place ObjectMembers::place(std::string name) {
  if (OrderedJson* known = find(name)) return {known, false};
  std::vector<Member>& members = members_of(*object_);
  if (members.size() == kFew)
    for (std::size_t i = 0; i < members.size(); ++i) index_.emplace(members[i].first, i);
  if (members.size() >= kFew) index_.emplace(name, members.size());
  members.emplace_back(std::move(name), OrderedJson());
  return {&members.back().second, true};
}

OrderedJson* ObjectMembers::find(const std::string& name) {
  std::vector<Member>& members = members_of(*object_);
  if (!index_.empty()) {
    const auto known = index_.find(name);
    return known == index_.end() ? nullptr : &members[known->second].second;
  }
  for (auto& [key, value] : members)
    if (key == name) return &value;
  return nullptr;
}

std::optional<Error> encoded_text_defect(std::string_view text) {
  if (text.size() > kEncodedBytesMax)
    return limit_exceeded("larger than " + std::to_string(kEncodedBytesMax) + " bytes");
  if (const auto defect = utf8_defect(text))
    return invalid_argument(describe_utf8_defect(text, *defect));
  return std::nullopt;
}

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
