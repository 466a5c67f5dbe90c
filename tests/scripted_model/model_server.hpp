#pragma once
// SPDX-License-Identifier: Apache-2.0
// Serves a Service over HTTP/1.1 on loopback: one thread, which is the one that calls run().

#include <cstdint>
#include <memory>

#include "pipeline/base/error.hpp"
#include "tests/scripted_model/service.hpp"

namespace ba::scripted {

class Server {
 public:
  /// Borrows the service.
  explicit Server(Service& service);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Port 0 takes a free one; answers the port taken.
  Result<std::uint16_t> listen(std::uint16_t port);
  void stop_on_signals();  ///< SIGTERM, SIGINT
  void stop_when_stdin_closes();
  void run();   ///< until stopped
  void stop();  ///< from any thread

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ba::scripted
