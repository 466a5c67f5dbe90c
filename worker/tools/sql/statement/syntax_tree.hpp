// SPDX-License-Identifier: Apache-2.0
#pragma once
// libpg_query's JSON of a parse tree, read once into one list: for who walks it and changes
// nothing. Values borrow from the tree, and are cheap to copy. A tree is owned by who reads it; any
// thread.

#include <cstdint>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ba::sql {

/// A part of a tree isn't of the kind that its reader expects.
class UnexpectedSyntax : public std::runtime_error {
 public:
  UnexpectedSyntax() : std::runtime_error("a part of another kind") {}
};

class SyntaxTree {
 public:
  class Value;

  enum class Fault { None, NotJson, TooDeep };

  /// JSON with at most `depth_max` open brackets; what isn't has a fault, and nothing else.
  SyntaxTree(std::string json, int depth_max);

  Fault fault() const { return fault_; }
  Value root() const;

 private:
  struct Entry {
    std::string_view key;  ///< of a member
    std::string_view raw;
    std::uint32_t first = 0;  ///< member or item; 0: none
    std::uint32_t next = 0;   ///< beside it; 0: it is the last
  };
  class Reader;

  std::unique_ptr<const std::string> json_;  ///< stays where it is when the tree is moved
  std::vector<Entry> entries_;
  Fault fault_ = Fault::None;
};

/// A value of a tree, or none. The tree outlives it, and stays where it is.
class SyntaxTree::Value {
 public:
  Value() = default;

  explicit operator bool() const { return tree_ != nullptr; }
  bool is_object() const { return begins_with('{'); }
  bool is_array() const { return begins_with('['); }

  /// The name that it has as a member.
  std::string_view key() const { return entry().key; }

  /// Of an object; none: it has none of that name, or isn't one.
  Value member(std::string_view name) const;
  /// The same; throws UnexpectedSyntax where there is none.
  Value at(std::string_view name) const;

  /// Of a string; throws UnexpectedSyntax for anything else.
  std::string text() const;
  /// Of a member; empty: there is none of that name. Throws UnexpectedSyntax where it isn't a
  /// string, or this isn't an object.
  std::string text(std::string_view name) const;

  class Iterator;
  /// The items of an array in their order, the members of an object by their names; of anything
  /// else none.
  Iterator begin() const;
  Iterator end() const;

 private:
  friend class SyntaxTree;
  Value(const SyntaxTree& tree, std::uint32_t place) : tree_(&tree), place_(place) {}
  const Entry& entry() const { return tree_->entries_[place_]; }
  bool begins_with(char c) const { return tree_ && entry().raw.starts_with(c); }
  bool is_text() const { return begins_with('"'); }

  const SyntaxTree* tree_ = nullptr;
  std::uint32_t place_ = 0;
};

class SyntaxTree::Value::Iterator {
 public:
  using value_type = Value;
  using difference_type = std::ptrdiff_t;

  Iterator() = default;
  Iterator(const SyntaxTree* tree, std::uint32_t place) : tree_(tree), place_(place) {}

  Value operator*() const { return {*tree_, place_}; }
  Iterator& operator++() {
    place_ = tree_->entries_[place_].next;
    return *this;
  }
  Iterator operator++(int) {
    Iterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Iterator& other) const { return place_ == other.place_; }

 private:
  const SyntaxTree* tree_ = nullptr;
  std::uint32_t place_ = 0;  ///< 0, the root, is behind the last
};

}  // namespace ba::sql
