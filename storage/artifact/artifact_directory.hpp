#pragma once
// SPDX-License-Identifier: Apache-2.0
// The files of artifacts below one directory, which every worker of an installation shares. Names
// are made here and nowhere told; each file is written once, under a name of its own, and is whole
// or absent whatever crashes. Any thread.

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/error.hpp"
#include "pipeline/base/time.hpp"

namespace ba::storage {

class ArtifactDirectory {
 public:
  /// Makes the directory where it is missing (its parent must be there), readable by its owner
  /// alone. InvalidArgument when it can't be used.
  static Result<ArtifactDirectory> open(const std::string& path);

  /// To read from only. Makes nothing; Unavailable when it can't be opened.
  static Result<ArtifactDirectory> open_existing(const std::string& path);

  ArtifactDirectory(ArtifactDirectory&& other) noexcept;
  ArtifactDirectory& operator=(ArtifactDirectory&&) = delete;
  ~ArtifactDirectory();

  /// Durable when it returns; the new file's name. LimitExceeded when the disk is full.
  Result<std::string> write(const std::string& id, std::string_view data) const;

  /// NotFound when there is none; Corrupt for what can't be one of ours.
  Result<std::string> read(const std::string& name) const;

  /// Whether it is there with so many bytes.
  bool holds(const std::string& name, std::int64_t bytes) const;

  /// Nothing where there is none.
  void remove(const std::string& name) const;

  /// The names of all files, finished or not, that were last written longer ago than `age`.
  Result<std::vector<std::string>> older_than(Milliseconds age) const;

 private:
  explicit ArtifactDirectory(int descriptor) : directory_(descriptor) {}

  int directory_;
};

}  // namespace ba::storage
