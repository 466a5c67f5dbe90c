// SPDX-License-Identifier: Apache-2.0
#include "worker/runtime/parts/worker_basis.hpp"

#include <unistd.h>

#include <csignal>

#include "worker/observe/structured_log.hpp"

namespace ba::runtime {

StartSignals::StartSignals(observe::StructuredLog& log) : signals_(context_, SIGTERM, SIGINT) {
  signals_.async_wait([&log](const boost::system::error_code& error, int signal) {
    if (error) return;
    log.info("stopped before the worker ran", {{"signal", signal}});
    log.finish();
    ::_exit(0);
  });
  thread_ = std::thread([this] { context_.run(); });
}

StartSignals::~StartSignals() {
  context_.stop();
  thread_.join();
}

}  // namespace ba::runtime
