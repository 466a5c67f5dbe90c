#pragma once
// SPDX-License-Identifier: Apache-2.0
// Identifiers as distinct types, so that one can't be passed for another. Values.

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace ba {

/// A text identifier. Validated where it enters (contract/), not here.
template <typename Tag>
struct TextId {
  std::string value;

  TextId() = default;
  explicit TextId(std::string text) : value(std::move(text)) {}
  bool empty() const { return value.empty(); }
  friend auto operator<=>(const TextId&, const TextId&) = default;
};

/// A number the ledger gave out; 0 means "none yet".
template <typename Tag>
struct NumberId {
  std::int64_t value = 0;

  NumberId() = default;
  explicit constexpr NumberId(std::int64_t number) : value(number) {}
  friend auto operator<=>(const NumberId&, const NumberId&) = default;
};

using TenantId = TextId<struct TenantTag>;
using JobId = TextId<struct JobTag>;                    ///< the business id, unique per tenant
using ConversationId = TextId<struct ConversationTag>;  ///< unique per tenant
using MessageId = TextId<struct MessageTag>;
using ToolCallId = TextId<struct ToolCallTag>;  ///< always the model's own
using ResultId = TextId<struct ResultTag>;      ///< deterministic: hash of tenant, job id, kind

using LedgerJobId = NumberId<struct LedgerJobTag>;                    ///< row of a job
using LedgerConversationId = NumberId<struct LedgerConversationTag>;  ///< row of a conversation
using IncarnationId = NumberId<struct IncarnationTag>;                ///< one start of one worker

}  // namespace ba

template <typename Tag>
struct std::hash<ba::TextId<Tag>> {
  std::size_t operator()(const ba::TextId<Tag>& id) const noexcept {
    return std::hash<std::string>{}(id.value);
  }
};

template <typename Tag>
struct std::hash<ba::NumberId<Tag>> {
  std::size_t operator()(const ba::NumberId<Tag>& id) const noexcept {
    return std::hash<std::int64_t>{}(id.value);
  }
};
