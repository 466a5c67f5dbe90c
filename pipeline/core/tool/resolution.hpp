#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a person says became of a call whose outcome nobody knew, and what comes of it: for the
// ledger and its double. Values and pure functions; any thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/core/tool/tool.hpp"

namespace ba {

enum class CallVerdict {
  Happened,      ///< it took effect
  DidNotHappen,  ///< nor will it: no request of it can still take effect. It is run again
  GiveUp,        ///< nobody can tell: the model reads that the outcome is unknown
};

std::string_view to_string(CallVerdict verdict);  ///< "happened", "did_not_happen", "give_up"

struct CallAnswer {
  CallVerdict verdict = CallVerdict::GiveUp;
  std::optional<ToolCallId> call;  ///< may be left out where one call is unresolved
  /// Of a call that happened: what the tool would have answered, as JSON or as a text. None: not
  /// known.
  std::optional<std::string> result;
  std::int64_t observation_bytes_max = 256 * 1024;
};

struct UnresolvedCall {
  Position position;
  ToolCallId id;
  std::string tool;

  friend bool operator==(const UnresolvedCall&, const UnresolvedCall&) = default;
};

/// "mail (call_1), mail (call_2)".
std::string names_of(const std::vector<UnresolvedCall>& calls);

/// Which one the answer is about. NotFound when it names none of them; InvalidArgument when it
/// names none and there are several. `job` is the job's name, for the message.
Result<UnresolvedCall> call_meant(const std::vector<UnresolvedCall>& calls,
                                  const CallAnswer& answer, const std::string& job);

/// How the call ends; none when it is to be run again. InvalidArgument when there is a result of a
/// call that didn't happen.
Result<std::optional<ToolResult>> resolved_result(const CallAnswer& answer, const ToolCallId& call);

}  // namespace ba
