// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/rooted_file.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <thread>

#include "tests/support/temporary_directory.hpp"

namespace ba::files {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kBytesMax = 1024;

/// A root with files, and a secret beside it.
class RootedFile : public testing::TestWithParam<Resolution> {
 protected:
  RootedFile() {
    outside.write("secret.txt", "SECRET");
    outside.write("root/data.csv", "a\n1\n");
    outside.write("root/sub/inner.txt", "inner");
    outside.write("root/.hidden", "hidden");
    roots.emplace(open({{"data", root().string(), ""}}));
  }

  fs::path root() const { return outside.path() / "root"; }
  FileRoots open(const std::vector<FileRootConfig>& configs) {
    return std::move(FileRoots::open(configs, GetParam()).value());
  }
  ErrorCode refusal(const std::string& path) {
    const auto content = roots->read(path, kBytesMax);
    EXPECT_FALSE(content) << path;
    if (content) return ErrorCode::Internal;
    const std::string real = outside.path().string();
    const bool given = path.find(real) != std::string::npos;  // shown back as it came
    EXPECT_TRUE(given || content.error().message.find(real) == std::string::npos);
    return content.error().code;
  }

  TemporaryDirectory outside;
  std::optional<FileRoots> roots;
};

INSTANTIATE_TEST_SUITE_P(Resolutions, RootedFile,
                         testing::Values(Resolution::Kernel, Resolution::Walk),
                         [](const auto& which) {
                           return which.param == Resolution::Kernel ? "Kernel" : "Walk";
                         });

TEST_P(RootedFile, ReadsFilesBelowTheRoot) {
  EXPECT_EQ(roots->read("data.csv", kBytesMax).value(), "a\n1\n");
  EXPECT_EQ(roots->read("data/data.csv", kBytesMax).value(), "a\n1\n");
  EXPECT_EQ(roots->read("./sub//inner.txt", kBytesMax).value(), "inner");
}

TEST_P(RootedFile, StopsBetweenTwoChunksWhenNobodyWaitsAnyMore) {
  outside.write("root/large.txt", std::string(1024 * 1024, 'x'));
  int chunks = 0;
  const auto cancelled = [&] { return ++chunks > 3; };
  const auto content = roots->read("large.txt", 2 * 1024 * 1024, cancelled);
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, ErrorCode::Cancelled);
  EXPECT_EQ(chunks, 4);
}

TEST_P(RootedFile, NeedsTheNameOfTheRootWhenThereAreSeveral) {
  const FileRoots two =
      open({{"data", root().string(), ""}, {"sub", (root() / "sub").string(), ""}});
  EXPECT_EQ(two.read("sub/inner.txt", kBytesMax).value(), "inner");
  EXPECT_EQ(two.read("data/sub/inner.txt", kBytesMax).value(), "inner");
  EXPECT_EQ(two.read("data.csv", kBytesMax).error().code, ErrorCode::NotFound);
  EXPECT_EQ(two.list(),
            (std::vector<std::string>{"data/data.csv", "data/sub/inner.txt", "sub/inner.txt"}));
}

TEST_P(RootedFile, ListsFilesButHiddenOnesAndLinks) {
  fs::create_symlink(outside.path() / "secret.txt", root() / "link");
  EXPECT_EQ(roots->list(), (std::vector<std::string>{"data.csv", "sub/inner.txt"}));
}

TEST_P(RootedFile, ListsNoNameThatWouldBreakALineOrIsNoText) {
  for (const char* name : {"new\nline.txt", "bell\a.txt", "latin\xe9.txt", "dir\n/inner.txt"})
    outside.write(std::string("root/") + name, "x");
  outside.write("root/\u00e9.txt", "x");
  EXPECT_EQ(roots->list(), (std::vector<std::string>{"data.csv", "sub/inner.txt", "\u00e9.txt"}));
  EXPECT_EQ(roots->read("new\nline.txt", kBytesMax).value(), "x");
}

TEST_P(RootedFile, LooksAtTenThousandEntriesOfADirectory) {
  for (int i = 0; i < 10'050; ++i) outside.write("root/many/" + std::to_string(i), "");
  const auto files = roots->list();
  EXPECT_LE(files.size(), 10'001u);  // and data.csv
  EXPECT_GT(files.size(), 9'990u);
}

/// It can't be told from a file that was made there: who may make links may show what they reach.
TEST_P(RootedFile, ReadsAHardLinkAsAFileOfItsRoot) {
  fs::create_hard_link(outside.path() / "secret.txt", root() / "same.txt");
  EXPECT_EQ(roots->read("same.txt", kBytesMax).value(), "SECRET");
}

TEST_P(RootedFile, SaysThatAFileIsNotThere) {
  EXPECT_EQ(roots->read("nothing.csv", kBytesMax).error().message,
            "'nothing.csv': there is no such file");
  EXPECT_EQ(refusal("data.csv/x"), ErrorCode::NotFound);
  EXPECT_EQ(refusal("sub/nothing"), ErrorCode::NotFound);
}

TEST_P(RootedFile, NeverLeavesTheRoot) {
  for (const std::string& path :
       {std::string("../secret.txt"), std::string("sub/../../secret.txt"), std::string(".."),
        std::string("/etc/passwd"), (outside.path() / "secret.txt").string(), std::string("//"),
        std::string("."), std::string(), std::string("data/../../secret.txt"),
        std::string("data.csv\0.txt", 13), std::string("../root/data.csv"),
        std::string("/proc/self/environ"), std::string(300, 'a')})
    EXPECT_EQ(refusal(path), ErrorCode::PermissionDenied) << path;
  EXPECT_EQ(refusal(std::string(5000, 'a')), ErrorCode::InvalidArgument);
}

TEST_P(RootedFile, FollowsNoLink) {
  fs::create_symlink(outside.path() / "secret.txt", root() / "absolute");
  fs::create_symlink("../secret.txt", root() / "relative");
  fs::create_symlink("data.csv", root() / "inside");
  fs::create_directory_symlink(outside.path(), root() / "up");
  fs::create_directory_symlink("/proc/self", root() / "proc");
  fs::create_symlink("loop", root() / "loop");
  for (const char* path : {"absolute", "relative", "inside", "up/secret.txt", "proc/environ",
                           "proc/root/etc/passwd", "loop", "sub/../absolute"})
    EXPECT_EQ(refusal(path), ErrorCode::PermissionDenied) << path;
}

TEST_P(RootedFile, OpensRegularFilesOnly) {
  ASSERT_EQ(mkfifo((root() / "fifo").c_str(), 0600), 0);
  const int socket_number = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (root() / "socket").string().copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(bind(socket_number, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  for (const char* path : {"fifo", "socket", "sub"})
    EXPECT_EQ(refusal(path), ErrorCode::PermissionDenied) << path;
  close(socket_number);
}

TEST_P(RootedFile, HasALimitOnSize) {
  outside.write("root/full", std::string(kBytesMax, 'x'));
  outside.write("root/over", std::string(kBytesMax + 1, 'x'));
  EXPECT_TRUE(roots->read("full", kBytesMax));
  EXPECT_EQ(roots->read("over", kBytesMax).error().message,
            "'over': the file has 1025 bytes; at most 1024 are read");
}

TEST_P(RootedFile, ShowsAPathWithoutControlCharacters) {
  EXPECT_EQ(roots->read("a\nb\x1b[2J", kBytesMax).error().message,
            "'a?b?[2J': there is no such file");
}

TEST_P(RootedFile, SurvivesTenThousandHostilePaths) {
  fs::create_symlink("..", root() / "l");
  const unsigned seed = 7;
  std::mt19937 random(seed);
  const std::vector<std::string> pieces{
      "..",     "/",    "//",    ".",    "l",    "sub", "secret.txt",         "~",
      "%2e%2e", "\\",   "proc",  "self", "root", "...", std::string(1, '\0'), "\xff",
      "data",   "..\\", "\u2025"};
  for (int i = 0; i < 10000; ++i) {
    std::string path;
    for (std::uint32_t count = random() % 12; count > 0; --count)
      path += pieces[random() % pieces.size()] + (random() % 2 ? "/" : "");
    const auto content = roots->read(path, kBytesMax);
    ASSERT_TRUE(!content || *content != "SECRET") << "seed " << seed << ": " << path;
  }
}

TEST_P(RootedFile, StaysBelowTheRootWhileDirectoriesBecomeLinks) {
  outside.write("elsewhere/file", "SECRET");
  outside.write("root/d/file", "inside");
  std::atomic<bool> stop{false};
  std::thread swapper([&] {
    while (!stop) {
      fs::rename(root() / "d", root() / "kept");
      fs::create_directory_symlink("../elsewhere", root() / "d");
      fs::remove(root() / "d");
      fs::rename(root() / "kept", root() / "d");
    }
  });
  int seen = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto content = roots->read("d/file", kBytesMax);
    if (content) {
      EXPECT_EQ(*content, "inside");
      ++seen;
    }
  }
  stop = true;
  swapper.join();
  EXPECT_GT(seen, 0);
}

TEST_P(RootedFile, RefusesARootThatIsNoDirectory) {
  const auto opened =
      FileRoots::open({{"data", (outside.path() / "none").string(), ""}}, GetParam());
  EXPECT_EQ(opened.error().code, ErrorCode::InvalidArgument);
  EXPECT_TRUE(opened.error().message.starts_with("file root 'data': "));
}

}  // namespace
}  // namespace ba::files
