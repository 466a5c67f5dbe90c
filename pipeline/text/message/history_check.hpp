#pragma once
// SPDX-License-Identifier: Apache-2.0
// validate_history() of a history that grows: a message that was found valid isn't looked at again.
// The verdicts and their texts are the same. Values; one owner, any thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pipeline/text/message/validate.hpp"

namespace ba {

/// The ids of a history's first messages, as places: the texts stay in the messages.
class MessageIds {
 public:
  /// `messages` begins with those that were added.
  bool contains(std::span<const Message* const> messages, const std::string& id) const;
  /// The one behind those that were added; its id is another one.
  void add(std::span<const Message* const> messages);

 private:
  std::size_t slot_of(const std::string& id) const;
  void put(std::span<const Message* const> messages, std::size_t place);

  std::vector<std::uint32_t> slots_;  ///< places from 1 on, by the hashes of ids; 0: free
  std::size_t size_ = 0;
};

class HistoryCheck {
 public:
  /// `messages` begins with those that were found valid, as they were, wherever they lie now. Fewer
  /// than those are looked at anew.
  Result<void> check(std::span<const Message* const> messages, HistoryEnd end);

  /// The first so many were found valid.
  std::size_t valid() const { return valid_; }

  /// How many messages were looked at, in all.
  std::uint64_t looked_at() const { return looked_at_; }

 private:
  Result<void> add(std::span<const Message* const> messages);
  Result<void> follow(std::span<const Message* const> messages);
  Result<void> take_answer(std::span<const Message* const> messages, const ToolMessage& answer);
  Result<void> check_answered(std::span<const Message* const> messages) const;

  MessageIds ids_;
  std::size_t valid_ = 0;
  std::optional<std::size_t> asker_;  ///< the last AIMessage
  std::size_t answered_ = 0;          ///< of its calls
  std::uint64_t looked_at_ = 0;
};

}  // namespace ba
