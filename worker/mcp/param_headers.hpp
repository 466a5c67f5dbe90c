#pragma once
// SPDX-License-Identifier: Apache-2.0
// Arguments that a tool wants mirrored into HTTP headers: `x-mcp-header` in its input schema
// (specification 2026-07-28, "Custom Headers from Tool Parameters"). Pure; any thread.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/base/error.hpp"
#include "worker/mcp/json.hpp"

namespace ba::mcp {

/// One annotated property.
struct ParamHeader {
  std::vector<std::string> path;  ///< names of properties from the root of the arguments
  std::string name;               ///< of the header, "Mcp-Param-Region"

  friend bool operator==(const ParamHeader&, const ParamHeader&) = default;
};

using HeaderList = std::vector<std::pair<std::string, std::string>>;

/// InvalidArgument, with the rule that is broken, for a schema whose tool must not be used.
Result<std::vector<ParamHeader>> read_param_headers(const Json& input_schema);

/// What the arguments give; a property that is absent or null has no header.
HeaderList param_headers(const std::vector<ParamHeader>& plan, const Json& arguments);

/// A text as the value of a header: itself, or in the form =?base64?…?= where it must be.
std::string header_value(std::string_view text);

}  // namespace ba::mcp
