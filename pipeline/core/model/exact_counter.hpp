#pragma once
// SPDX-License-Identifier: Apache-2.0
// Asking a model's provider how many tokens it takes a request for, as a port. It is free, and
// never worth a wait: who asks has an estimate of its own. The adapter is in worker/llm. Control
// thread only.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "pipeline/base/enum_names.hpp"
#include "pipeline/core/model/model_client.hpp"

namespace ba {

enum class CountOutcome {
  Counted,  ///< by the provider, now
  Known,    ///< of the same request, from before
  Failed,   ///< it didn't answer in time, or not with a count
  Paused,   ///< not asked: it failed a moment ago
};
inline constexpr EnumNames<CountOutcome, 4> kCountOutcomeNames{{{CountOutcome::Counted, "counted"},
                                                                {CountOutcome::Known, "known"},
                                                                {CountOutcome::Failed, "failed"},
                                                                {CountOutcome::Paused, "paused"}}};

struct ExactCount {
  CountOutcome outcome = CountOutcome::Failed;
  std::optional<std::int64_t> tokens{};  ///< at least 1, of one that was counted
  std::string why{};                     ///< else, for people; holds no secret

  friend bool operator==(const ExactCount&, const ExactCount&) = default;
};

/// A question under way. Destroying it closes the request: nothing is heard after that.
class CountCall {
 public:
  virtual ~CountCall() = default;
};

class ExactCounter {
 public:
  virtual ~ExactCounter() = default;

  /// Whether there is anybody to ask about a configured model, and it is to be asked.
  virtual bool counts(const std::string& model) const = 0;

  /// Of a model that counts(): of all that is sent with the request. `done` is called once, within
  /// a bounded time, never from inside count(). The request is borrowed for count() only.
  [[nodiscard]] virtual std::unique_ptr<CountCall> count(const ModelRequest& request,
                                                         std::function<void(ExactCount)> done) = 0;
};

}  // namespace ba
