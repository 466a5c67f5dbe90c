#pragma once
// SPDX-License-Identifier: Apache-2.0
// A request as one without tools, for models that call tools in their text: what they offer stands
// in the prompt, what was called before in the messages. Pure.

#include <deque>
#include <optional>
#include <string>

#include "pipeline/core/model/model_client.hpp"

namespace ba::llm {

/// The system prompt of such a request, with the tools that `original` offers.
std::string react_system(const ModelRequest& original);

/// How such a model reads the message of a request with tools, or without; none: as it is.
std::optional<Message> react_message(const Message& message, bool has_tools);

/// Owns the messages that had to be written anew; those of `original` must outlive it.
class ReactRequest {
 public:
  explicit ReactRequest(const ModelRequest& original);
  ReactRequest(const ReactRequest&) = delete;
  ReactRequest& operator=(const ReactRequest&) = delete;

  const ModelRequest& request() const { return request_; }

 private:
  ModelRequest request_;
  std::deque<Message> written_;
};

}  // namespace ba::llm
