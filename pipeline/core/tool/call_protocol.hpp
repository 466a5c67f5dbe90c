#pragma once
// SPDX-License-Identifier: Apache-2.0
// The law of one tool call, as a state machine without I/O: what comes next after each answer and
// each wait. README.md has the picture. Owned by the CallRun that performs it and feeds the
// outcomes back; control thread only.
//
// The result of a tool with effects says "failed" only where no run of this call can have had its
// effect. A run whose answer was lost, now or before a crash, leaves the call in doubt; in doubt, a
// keyed tool is run again with the same key, a reconcilable one is asked what happened, and where
// neither brings certainty the result is Unknown.

#include <initializer_list>
#include <optional>
#include <variant>

#include "pipeline/core/port/random.hpp"
#include "pipeline/core/tool/retry_policy.hpp"

namespace ba {

class CallProtocol final {
 public:
  enum class Phase {
    Preparing,  ///< its artifacts are read, the cache is asked
    Queueing,   ///< before a try: at the gates of its tool and its data source
    Trying,     ///< the tool runs
    Resting,    ///< before the next try
    Asking,     ///< the tool is asked what became of an earlier run
    Doubting,   ///< before that question
    Ending,     ///< nothing more is asked of the tool
    Abandoned,  ///< nor is there a result: another worker may be at the same call
  };

  struct Try {};  ///< let_in() or crowded_out(); then answered()
  struct Ask {};  ///< then status_answered()
  struct Rest {
    Milliseconds delay;  ///< then rested()
  };
  struct Succeed {
    RawToolResult raw;
  };
  struct Fail {
    ToolError error;
  };
  struct LeaveUnknown {
    std::optional<ToolError> error{};  ///< how the last try or question ended
  };
  using Next = std::variant<Try, Ask, Rest, Succeed, Fail, LeaveUnknown>;

  /// `policy` and `random` outlive the protocol. `maybe_done`: an earlier attempt began the call
  /// and told no outcome.
  CallProtocol(const ToolRetryPolicy& policy, Random& random, const ToolInvocation& invocation,
               EffectClass effect, bool maybe_done);

  // An event that can't come in the phase is a bug of the caller and asserts.
  Next refused(ToolError error);  ///< before any try
  void remembered();              ///< the result of an earlier call is this one's, too
  Next prepared();
  void let_in();
  Next crowded_out(ToolError error);
  Next answered(RawToolResult raw);
  Next status_answered(EffectStatus status);
  Next rested();
  Next unreadable(ToolError error);  ///< what Succeed gave
  void abandoned();

  Phase phase() const { return phase_; }
  Milliseconds timeout() const { return timeout_; }  ///< of the next try
  int retries() const { return retries_; }
  /// The last try here, if it wasn't a success.
  const std::optional<RawToolResult>& last() const { return last_; }

 private:
  void from(std::initializer_list<Phase> phases) const;
  Next to(Phase phase, Next next);
  Next settle(std::optional<ToolError> error);
  Next after_failure(const RawToolResult& raw);
  Next did_not_happen();
  bool may_run_again(const RawToolResult& raw) const;
  bool may_ask_again(const RawToolResult& answer) const;
  void count_retry(const RawToolResult& raw);
  Milliseconds delay(int retries, std::optional<Milliseconds> asked = std::nullopt);

  const ToolRetryPolicy& policy_;
  Random& random_;
  const EffectClass effect_;
  const bool retry_on_timeout_;
  Milliseconds timeout_;
  Phase phase_ = Phase::Preparing;
  bool in_doubt_;  ///< an earlier run may have had its effect
  std::optional<RawToolResult> last_;
  int retries_ = 0;
  int status_retries_ = 0;
};

}  // namespace ba
