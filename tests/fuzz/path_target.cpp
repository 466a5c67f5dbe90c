// SPDX-License-Identifier: Apache-2.0
// No path reads what is outside its root, and both ways to resolve one give the same answer.
#include "tests/fuzz/targets.hpp"
#include "tests/support/temporary_directory.hpp"
#include "worker/tools/files/rooted_file.hpp"

namespace ba::fuzz {
namespace {

constexpr std::int64_t kBytesMax = 1024;

/// A root with files, and a secret beside it that links lead to.
class Files {
 public:
  Files() {
    namespace fs = std::filesystem;
    outside_.write("secret", "SECRET");
    outside_.write("data/a", "inside");
    outside_.write("data/b/c", "inside");
    fs::create_symlink("../secret", outside_.path() / "data/l");
    fs::create_directory_symlink("..", outside_.path() / "data/b/d");
  }

  files::FileRoots open(files::Resolution resolution) const {
    return files::FileRoots::open({{"data", (outside_.path() / "data").string(), ""}}, resolution)
        .value();
  }

 private:
  TemporaryDirectory outside_;
};

}  // namespace

void path(std::string_view input) {
  static const Files files;
  static const files::FileRoots kernel = files.open(files::Resolution::Kernel);
  static const files::FileRoots walk = files.open(files::Resolution::Walk);
  const auto one = kernel.read(input, kBytesMax);
  const auto other = walk.read(input, kBytesMax);
  BA_ASSERT(!one || *one == "inside");
  BA_ASSERT(one.has_value() == other.has_value());
  if (one)
    BA_ASSERT(*one == *other);
  else
    BA_ASSERT(one.error().code == other.error().code);
}

}  // namespace ba::fuzz
