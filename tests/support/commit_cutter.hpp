#pragma once
// SPDX-License-Identifier: Apache-2.0
// A way to a PostgreSQL server on which one COMMIT's answer is lost: bytes pass in both directions,
// until a client sends the text COMMIT; that still reaches the server, the server's answer is read
// and dropped, and the connection is cut. Later connections pass untouched. One thread of its own.

#include <string>
#include <thread>

namespace ba {

class CommitCutter {
 public:
  /// Passes everything to host:port; throws std::runtime_error when it can't listen.
  CommitCutter(std::string host, int port);
  ~CommitCutter();
  CommitCutter(const CommitCutter&) = delete;
  CommitCutter& operator=(const CommitCutter&) = delete;

  int port() const { return port_; }

 private:
  void serve();
  void relay(int client);

  const std::string host_;
  const int server_port_;
  int listener_ = -1;
  int port_ = 0;
  int stop_[2] = {-1, -1};  ///< a pipe: readable at its end when it is over
  bool cut_ = false;
  std::thread thread_;
};

}  // namespace ba
