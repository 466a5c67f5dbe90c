#pragma once
// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as a question, for commands that wait. One object at a time, on the thread
// that runs the command; a second signal ends the process at once.

namespace ba::cli {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();  ///< puts the earlier handlers back
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;
};

}  // namespace ba::cli
