// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/encoding/object_members.hpp"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace ba {
namespace {

constexpr std::size_t kFew = 16;

using Member = std::pair<const std::string, OrderedJson>;

/// As the sequence that they are: the operators of an object look names up.
std::vector<Member>& members_of(OrderedJson& object) {
  return object.get_ref<OrderedJson::object_t&>();
}

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

}  // namespace ba
