#pragma once
// SPDX-License-Identifier: Apache-2.0
// The key of a call by what it means. It holds no tool_call_id, so it is the same across steps,
// rounds, jobs, retries and workers. Pure; any thread.

#include <optional>
#include <string>
#include <string_view>

namespace ba {

/// What makes two calls the same one.
struct CallMeaning {
  std::string tool;
  std::string tool_version;
  std::string tenant;
  std::optional<std::string> caller;  ///< none: the tool's results are the whole tenant's
  std::string permission;             ///< what was cached for one isn't shown to another
  std::string parameters;             ///< canonical JSON of semantic_parameters()
  std::string idempotency_key;        ///< where given, it stands in the place of the parameters
};

struct SemanticKey {
  std::string digest;     ///< SHA-256 of `canonical`, 64 lower-case hexadecimal digits
  std::string canonical;  ///< JSON: RFC 8785, integers exact
};

SemanticKey semantic_key(const CallMeaning& call);

/// SHA-256, 64 lower-case hexadecimal digits.
std::string sha256_hex_of(std::string_view text);

}  // namespace ba
