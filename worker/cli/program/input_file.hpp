#pragma once
// SPDX-License-Identifier: Apache-2.0
// What a command reads: the file it was given, or standard input. Closed with it. One thread.

#include <cstddef>
#include <string>

#include "worker/cli/program/terminal.hpp"

namespace ba::cli {

class InputFile {
 public:
  /// Empty or "-": standard input.
  explicit InputFile(const std::string& file);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  /// Negative when it could not be opened; errno says why.
  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }

  /// Whether nobody waits for an answer before the end.
  bool is_regular_file() const;

  /// Reads until it has more than `bytes_max`. False when it can't; errno says why.
  bool read_all(std::string& text, std::size_t bytes_max) const;

  /// What to say after a failure: "can't read FILE: …", by errno.
  std::string failure() const;

 private:
  const std::string name_;
  const int descriptor_;
};

/// The whole content. InvalidArgument where it can't be read, or is larger; `advice` is then added.
Result<std::string> read_whole(const InputFile& input, std::size_t bytes_max,
                               const char* advice = "");

/// Tells "NAME: why", and answers with the exit code.
int refuse(const InputFile& input, const std::string& why, Terminal& terminal);

}  // namespace ba::cli
