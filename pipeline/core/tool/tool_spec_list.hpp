#pragma once
// SPDX-License-Identifier: Apache-2.0
// The tools that a model is offered: a list that nobody changes, so that jobs share it. Thousands
// of jobs run at once, and their agent's tools take tens of kilobytes. Values; a list may be read
// on any thread, ToolSpecLists belongs to one.

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline/core/tool/tool.hpp"

namespace ba {

/// A copy is the same list.
class ToolSpecList final {
 public:
  ToolSpecList() = default;
  ToolSpecList(std::vector<ToolSpec> tools);
  ToolSpecList(std::initializer_list<ToolSpec> tools)
      : ToolSpecList(std::vector<ToolSpec>(tools)) {}

  const std::vector<ToolSpec>& all() const;
  operator const std::vector<ToolSpec>&() const { return all(); }

  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }
  std::size_t size() const { return all().size(); }
  bool empty() const { return all().empty(); }
  const ToolSpec& operator[](std::size_t place) const { return all()[place]; }
  const ToolSpec& front() const { return all().front(); }
  const ToolSpec& back() const { return all().back(); }

  /// Those that `keep` keeps; the same list where it keeps all.
  template <typename Keep>
  ToolSpecList where(Keep keep) const {
    std::vector<ToolSpec> kept;
    for (const ToolSpec& tool : *this)
      if (keep(tool)) kept.push_back(tool);
    return kept.size() == size() ? *this : ToolSpecList(std::move(kept));
  }

  /// Whether they are one list. Equal ones may be two.
  bool is(const ToolSpecList& other) const { return tools_ == other.tools_; }

  friend bool operator==(const ToolSpecList& a, const ToolSpecList& b) {
    return a.is(b) || a.all() == b.all();
  }

 private:
  friend class ToolSpecLists;

  std::shared_ptr<const std::vector<ToolSpec>> tools_;  ///< null: none
};

/// Knows the lists that somebody holds, so that equal ones are held once.
class ToolSpecLists final {
 public:
  /// An equal list that is held already, else this one.
  ToolSpecList held_once(ToolSpecList tools);

  std::size_t known() const { return known_.size(); }  ///< some may be held no more

 private:
  void forget_unheld();

  static constexpr std::size_t kFew = 64;

  std::unordered_multimap<std::size_t, std::weak_ptr<const std::vector<ToolSpec>>> known_;
  std::size_t look_at_ = kFew;  ///< so many known: those that nobody holds are forgotten
};

}  // namespace ba
