#pragma once
// SPDX-License-Identifier: Apache-2.0
// Where in its job the reply to a request will stand: what the ids of calls are made of where a
// model gives none. Pure functions.

#include <string>
#include <vector>

#include "pipeline/core/model/model_client.hpp"

namespace ba {

struct ReplyPlace {
  int round = 0;
  int step = 1;            ///< from 1, as in Position
  bool has_tools = false;  ///< the request offers tools
  /// Theirs; none where the answer must fit a schema, which may look like a call.
  std::vector<std::string> tool_names{};
};

/// From the ids of the newest message that has a position; the defaults where none has.
ReplyPlace reply_place(const ModelRequest& request);

}  // namespace ba
