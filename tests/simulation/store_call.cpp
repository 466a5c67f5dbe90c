// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/store_call.hpp"

namespace ba::sim {

Error ledger_error(ErrorCode code, std::string message, bool maybe_done) {
  Error error;
  error.code = code;
  error.retry = code == ErrorCode::Fenced ? Retry::Never : Retry::Later;
  error.message = std::move(message);
  error.maybe_done = maybe_done;
  return error;
}

}  // namespace ba::sim
