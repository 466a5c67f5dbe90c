#pragma once
// SPDX-License-Identifier: Apache-2.0
// SIGTERM and SIGINT before the worker runs. Its start may wait in a library for as long as a
// time-out, and again and again for a server that is out of reach; meanwhile nothing has begun that
// another worker would miss. So either signal ends the process at once, with exit code 0 and a line
// in the log. Made and destroyed on the main thread; waits on a thread of its own.

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <thread>

namespace ba {

class StructuredLog;

class StartSignals final {
 public:
  /// The log outlives it.
  explicit StartSignals(StructuredLog& log);
  /// From here on the signals are somebody else's, who must already wait for them.
  ~StartSignals();

 private:
  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_;
  std::thread thread_;
};

}  // namespace ba
