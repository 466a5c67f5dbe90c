#pragma once
// SPDX-License-Identifier: Apache-2.0
// What is said about the data of a file: sentences, in one line. A value; one thread.

#include <cstdint>
#include <string>
#include <vector>

#include "worker/tools/files/file_selection.hpp"

namespace ba {

class ContentNote {
 public:
  void add(const std::string& sentence) { text_ += (text_.empty() ? "" : " ") + sentence; }

  /// What was found of how a file is written.
  void assume(const std::string& what) { read_as_ += (read_as_.empty() ? "" : ", ") + what; }

  /// Rows that can't be read as such, each with its line: of `count`, the first.
  struct BadRow {
    std::size_t line = 0;
    std::string problem;
  };
  void add_bad_rows(std::size_t count, const std::vector<BadRow>& first);

  const std::string& sentences() const { return text_; }
  const std::string& read_as() const { return read_as_; }
  std::string text() const;

 private:
  std::string text_;
  std::string read_as_;
};

/// "1 row", "2 rows".
std::string counted(std::size_t count, const std::string& what);

/// Which of `total` things a selection takes.
struct ChosenItems {
  std::vector<std::int64_t> indices;
  std::int64_t wanted = 0;  ///< before the row limit
  std::string cut_by;       ///< the limit, and how much it is, where not all of them are given
};

ChosenItems chosen_items(std::int64_t total, const FileSelection& selection);

/// Which `count` of how many there are, and how to get the others; nothing where they are all.
void add_range(ContentNote& note, std::int64_t count, const ChosenItems& chosen, std::int64_t total,
               const FileSelection& selection, const std::string& what);

}  // namespace ba
