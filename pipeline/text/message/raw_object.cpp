// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/message/raw_object.hpp"

#include <algorithm>

#include "pipeline/text/message/json_text.hpp"

namespace ba {

RawObject::RawObject(JsonView object) {
  object.for_each_member([this](std::string_view name, JsonView value) {
    members_.emplace_back(std::string(name), std::string(value.raw()));
  });
}

JsonView RawObject::operator[](std::string_view name) const {
  const Member* member = find(name);
  return member == nullptr ? JsonView() : JsonView::of_proven(member->second);
}

void RawObject::set(std::string_view name, std::string json) {
  const auto last = std::find_if(members_.rbegin(), members_.rend(),
                                 [name](const Member& member) { return member.first == name; });
  if (last != members_.rend())
    last->second = std::move(json);
  else
    members_.emplace_back(std::string(name), std::move(json));
}

void RawObject::set_text(std::string_view name, std::string_view text) {
  std::string json;
  append_json_string(json, text);
  set(name, std::move(json));
}

void RawObject::erase(std::string_view name) {
  std::erase_if(members_, [name](const Member& member) { return member.first == name; });
}

void RawObject::rename(std::string_view from, std::string_view to) {
  if (!has(from) || has(to)) return;
  for (Member& member : members_)
    if (member.first == from) member.first = to;
}

std::string RawObject::json() const {
  std::string out = "{";
  for (const auto& [name, value] : members_) {
    if (out.size() > 1) out += ',';
    out += '"';
    out += name;
    out += "\":";
    out += value;
  }
  return out + "}";
}

const RawObject::Member* RawObject::find(std::string_view name) const {
  const auto found = std::find_if(members_.rbegin(), members_.rend(),
                                  [name](const Member& member) { return member.first == name; });
  return found == members_.rend() ? nullptr : &*found;
}

}  // namespace ba
