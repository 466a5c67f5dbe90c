#pragma once
// SPDX-License-Identifier: Apache-2.0
// Members that the protocol doesn't know, kept for the way back. Of a stream they come in pieces:
// texts grow, lists of numbered objects (OpenRouter's `reasoning_details`) are put together by the
// number, of anything else the last piece stays. Values.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/text/message/json_view.hpp"

namespace ba::llm {

class ForeignMembers {
 public:
  void add(std::string_view key, JsonView value);
  bool empty() const { return members_.empty(); }
  std::string json() const;     ///< {"key":value,…}
  std::string members() const;  ///< the same without braces

 private:
  struct Part {
    std::string key;
    bool grows = false;
    std::string value;  ///< the text where it grows, else JSON
  };

  /// One object of a list.
  struct Item {
    std::string json;  ///< as it came; empty once a second piece has come
    std::string type;  ///< JSON
    std::vector<Part> parts;
    std::map<std::string, std::size_t> places;  ///< in parts, by key
  };

  enum class Kind { Text, List, Other };
  struct Member {
    std::string key;
    Kind kind = Kind::Other;
    std::string value;  ///< the text, or JSON
    std::vector<Item> items;
    std::map<std::string, std::size_t> newest;  ///< in items, by their number
  };

  static void add_item(Member& member, JsonView item);
  static void add_parts(Item& item, JsonView piece);
  static std::string value_of(const Member& member);
  static std::string json_of(const Item& item);

  std::vector<Member> members_;
  std::map<std::string, std::size_t> places_;  ///< in members_, by key
};

}  // namespace ba::llm
