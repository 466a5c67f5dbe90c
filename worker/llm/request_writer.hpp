#pragma once
// SPDX-License-Identifier: Apache-2.0
// Writes requests that go on from each other. Each message is written once; what stands before the
// messages and behind them is written for each request. One implementation for each protocol; a
// request by itself is written by a new one (Protocol::request_body()), those of a conversation by
// one that is kept (kept_request.hpp). No I/O. One owner.

#include <cstddef>
#include <string>

#include "worker/llm/protocol.hpp"

namespace ba::llm {

class RequestWriter {
 public:
  virtual ~RequestWriter() = default;

  /// Before a request that begins with the messages that were added. False: they stand otherwise in
  /// it (another prompt, thoughts that aren't sent any more), and another writer is to be made.
  virtual bool goes_on(const ModelRequest& request, const ProtocolContext& context) = 0;

  /// All that stands before the messages.
  virtual std::string head(const ModelRequest& request, const ProtocolContext& context) const = 0;

  /// The message at this place of the request, from 0 on. InvalidArgument: it can't be sent, and
  /// the writer is of no use any more.
  virtual Result<void> add(const Message& message, std::size_t place) = 0;

  /// Appends what no later message changes. It is forgotten here.
  virtual void settle(std::string& body) = 0;

  /// What stands behind that where no message follows.
  virtual std::string end() const = 0;

  /// About how much memory it takes.
  virtual std::size_t bytes() const = 0;
};

/// How many of the first messages are the system's: those of a compressed history, which some
/// protocols send with the prompt.
std::size_t leading_system_messages(const ModelRequest& request);

/// Whether there are still `leading` of them, where the first so many were.
bool same_leading(const ModelRequest& request, std::size_t leading);

/// What a provider's own reply carries must be an array of `what`, to go back to it (`origin`).
Result<void> check_extra(const AiMessage& message, std::size_t place, std::string_view origin,
                         std::string_view what);

}  // namespace ba::llm
