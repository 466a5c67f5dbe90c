// SPDX-License-Identifier: Apache-2.0
#include "worker/llm/openai_chat/foreign_members.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "worker/llm/message_parts.hpp"

namespace ba::llm {
namespace {

/// What of a numbered object grows with each piece; anything else is said again, or once.
constexpr std::array<std::string_view, 5> kGrowing{"text", "summary", "data", "content",
                                                   "thinking"};

bool can_grow(std::string_view key) { return std::ranges::find(kGrowing, key) != kGrowing.end(); }

bool list_of_objects(JsonView value) {
  if (!value.is(JsonKind::Array)) return false;
  bool objects = true;
  value.for_each_element([&](JsonView item) { objects = objects && item.is(JsonKind::Object); });
  return objects;
}

}  // namespace

void ForeignMembers::add(std::string_view key, JsonView value) {
  const auto [place, is_new] = places_.try_emplace(std::string(key), members_.size());
  if (is_new) members_.emplace_back().key = key;
  Member& member = members_[place->second];
  if (value.is(JsonKind::String) && (is_new || member.kind == Kind::Text)) {
    member.kind = Kind::Text;
    return value.append_text(member.value);
  }
  if (list_of_objects(value) && (is_new || member.kind == Kind::List)) {
    member.kind = Kind::List;
    return value.for_each_element([&](JsonView item) { add_item(member, item); });
  }
  member.kind = Kind::Other;
  member.value = value.raw();
  member.items.clear();
}

/// Pieces of an object follow each other, so the newest of its number is the one.
void ForeignMembers::add_item(Member& member, JsonView item) {
  const std::string index(item["index"].raw());
  const std::string type(item["type"].raw());
  const auto known = index.empty() ? member.newest.end() : member.newest.find(index);
  if (known != member.newest.end()) {
    Item& first = member.items[known->second];
    if (type.empty() || first.type.empty() || first.type == type) return add_parts(first, item);
  }
  if (!index.empty()) member.newest[index] = member.items.size();
  member.items.push_back({std::string(item.raw()), type, {}, {}});
}

void ForeignMembers::add_parts(Item& item, JsonView piece) {
  if (!item.json.empty()) {
    const std::string first = std::exchange(item.json, {});
    add_parts(item, JsonView::of_proven(first));
  }
  piece.for_each_member([&](std::string_view key, JsonView value) {
    const bool grows = value.is(JsonKind::String) && can_grow(key);
    const auto [place, is_new] = item.places.try_emplace(std::string(key), item.parts.size());
    if (is_new) item.parts.push_back({std::string(key), false, "null"});
    Part& part = item.parts[place->second];
    if (value.absent()) return;
    if (grows && part.grows) return value.append_text(part.value);
    part.grows = grows;
    part.value = grows ? value.text() : std::string(value.raw());
  });
}

std::string ForeignMembers::json_of(const Item& item) {
  if (!item.json.empty()) return item.json;
  std::string out = "{";
  for (const Part& part : item.parts)
    append_member(out, part.key, part.grows ? json_string(part.value) : part.value);
  return out + "}";
}

std::string ForeignMembers::value_of(const Member& member) {
  if (member.kind == Kind::Other) return member.value;
  if (member.kind == Kind::Text) return json_string(member.value);
  std::string out;
  for (const Item& item : member.items) out += (out.empty() ? "" : ",") + json_of(item);
  return "[" + out + "]";
}

std::string ForeignMembers::members() const {
  std::string out;
  for (const Member& member : members_)
    out += (out.empty() ? "\"" : ",\"") + member.key + "\":" + value_of(member);
  return out;
}

std::string ForeignMembers::json() const { return "{" + members() + "}"; }

}  // namespace ba::llm
