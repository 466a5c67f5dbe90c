#pragma once
// SPDX-License-Identifier: Apache-2.0
// A request as one without tools, for models that call tools in their text: what they offer stands
// in the prompt, what was called before in the messages. Pure.

#include <deque>

#include "pipeline/core/model/model_client.hpp"

namespace ba::llm {

/// Owns the messages that had to be written anew; those of `original` must outlive it.
class ReactRequest {
 public:
  explicit ReactRequest(const ModelRequest& original);
  ReactRequest(const ReactRequest&) = delete;
  ReactRequest& operator=(const ReactRequest&) = delete;

  const ModelRequest& request() const { return request_; }

 private:
  void add(const Message& message);

  const bool has_tools_;
  ModelRequest request_;
  std::deque<Message> written_;
};

}  // namespace ba::llm
