// SPDX-License-Identifier: Apache-2.0
#include "worker/tools/files/file_placement.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <thread>

#include "pipeline/text/semantic/semantic_key.hpp"

namespace ba::files {
namespace {

constexpr const char* kJournal = ".ba-agent";
constexpr mode_t kFileMode = 0644;
constexpr mode_t kDirectoryMode = 0755;
constexpr std::chrono::milliseconds kLockPause{20};

// What has become of a key, as it stands in the key's own file, which is locked meanwhile, before
// the note of what was asked under it (note_of()). Nothing there: nothing has happened.
// Ready: the content is complete beside it, and may have been moved to its place. Done: it has
// been.
constexpr std::string_view kReady = "ready";
constexpr std::string_view kDone = "done.";
static_assert(kReady.size() == kDone.size());

Error error_of(int number, std::string_view path, bool maybe_done = false) {
  const auto error = [&](ErrorCode code, const char* what) {
    Error value = path_error(code, path, what);
    value.maybe_done = maybe_done;
    return value;
  };
  switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return error(ErrorCode::LimitExceeded, ": there is no room left for the file");
    case EACCES:
    case EPERM:
    case EROFS:
      return error(ErrorCode::PermissionDenied, ": the file may not be written");
    case ELOOP:
      return error(ErrorCode::PermissionDenied, ": symbolic links are not followed");
    case ENOTDIR:
      return error(ErrorCode::NotFound, ": a part of the path is no directory");
    case EXDEV:
      return error(ErrorCode::PermissionDenied, ": the place is on another file system");
    case ENAMETOOLONG:
      return error(ErrorCode::InvalidArgument, ": the path is too long");
    default:
      return error(ErrorCode::Unavailable, ": the file can't be written at the moment");
  }
}

/// 0, or the number of the error.
int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file) == 0 ? 0 : errno;
}

int sync_directory(int directory) {
  const tools::Descriptor readable(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return readable.valid() && ::fsync(readable.get()) == 0 ? 0 : errno;
}

/// The directory that the file is to stand in; what is missing is made. No part is a link.
Result<tools::Descriptor> parent_of(int root, const std::vector<std::string>& parts,
                                    std::string_view path) {
  tools::Descriptor parent(openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t i = 0; parent.valid() && i + 1 < parts.size(); ++i) {
    const char* const name = parts[i].c_str();
    if (mkdirat(parent.get(), name, kDirectoryMode) == 0) {
      if (const int problem = sync_directory(parent.get())) return error_of(problem, path);
    } else if (errno != EEXIST) {
      return error_of(errno, path);
    }
    struct stat status {};
    const bool link =
        fstatat(parent.get(), name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
    if (link) return error_of(ELOOP, path);
    parent = tools::Descriptor(
        openat(parent.get(), name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!parent.valid()) return error_of(errno, path);
  return parent;
}

/// One key's file and content, under its lock.
class Journal {
 public:
  /// `note`: of what is asked under the key.
  Journal(int directory, const std::string& key, std::string note)
      : directory_(directory),
        state_name_(key + ".state"),
        content_name_(key + ".new"),
        note_(std::move(note)) {}

  /// Waits for another run of the same call, in whatever process.
  Result<void> lock(std::string_view path, const std::function<bool()>& cancelled) {
    state_ = tools::Descriptor(
        openat(directory_, state_name_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!state_.valid()) return error_of(errno, path);
    while (::flock(state_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return error_of(errno, path);
      if (cancelled())
        return path_error(ErrorCode::Cancelled, path, ": nobody waits for it any more");
      std::this_thread::sleep_for(kLockPause);
    }
    return {};
  }

  bool is(std::string_view state) const { return noted().starts_with(state); }

  /// Of what was asked under this key; empty: nothing was.
  std::string note() const {
    const std::string text = noted();
    return text.substr(std::min(text.size(), kReady.size()));
  }

  /// That note is of this call, too: it stands for ours.
  void keep_note(std::string note) { note_ = std::move(note); }

  bool has_content() const {
    struct stat status {};
    return fstatat(directory_, content_name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  }

  /// Over the one before, all at once: whoever is killed here leaves one of the two.
  int set(std::string_view state) {
    const std::string text = std::string(state) + note_;
    const ssize_t written = ::pwrite(state_.get(), text.data(), text.size(), 0);
    if (written != static_cast<ssize_t>(text.size())) return written < 0 ? errno : ENOSPC;
    return ::fsync(state_.get()) == 0 ? sync_directory(directory_) : errno;
  }

  /// Complete, or an error and nothing.
  int prepare(std::string_view content) {
    const tools::Descriptor file(openat(directory_, content_name_.c_str(),
                                        O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                                        kFileMode));
    int problem = file.valid() ? write_all(file.get(), content) : errno;
    if (problem == 0) problem = set(kReady);
    if (problem != 0) give_up();
    return problem;
  }

  int move_to(int parent, const std::string& name, Placement placement) {
    const unsigned flags = placement == Placement::Create ? RENAME_NOREPLACE : 0;
    return ::renameat2(directory_, content_name_.c_str(), parent, name.c_str(), flags) == 0 ? 0
                                                                                            : errno;
  }

  /// As if it had never been.
  void give_up() {
    unlinkat(directory_, content_name_.c_str(), 0);
    static_cast<void>(::ftruncate(state_.get(), 0) == 0);
  }

 private:
  std::string noted() const {
    std::array<char, 256> text{};
    const ssize_t size = ::pread(state_.get(), text.data(), text.size(), 0);
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }

  const int directory_;
  const std::string state_name_;
  const std::string content_name_;
  std::string note_;
  tools::Descriptor state_;
};

/// What stands where the file is to stand must be a file, or nothing.
Result<void> check_place(int parent, const std::string& name, Placement placement,
                         std::string_view path) {
  struct stat status {};
  if (fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? Result<void>() : error_of(errno, path);
  if (S_ISLNK(status.st_mode)) return error_of(ELOOP, path);
  if (!S_ISREG(status.st_mode))
    return path_error(ErrorCode::PermissionDenied, path, ": there is something that is no file");
  if (placement == Placement::Create)
    return path_error(ErrorCode::Conflict, path, ": there is such a file already");
  return {};
}

Result<void> move_in(Journal& journal, int parent, const std::string& name,
                     const FileToPlace& file) {
  if (const int problem = journal.move_to(parent, name, file.placement)) {
    journal.give_up();
    if (problem == EEXIST)
      return path_error(ErrorCode::Conflict, file.path, ": there is such a file already");
    return error_of(problem, file.path);
  }
  if (const int problem = sync_directory(parent)) return error_of(problem, file.path, true);
  // Should this fail: the content is gone from beside the key, which says the same.
  static_cast<void>(journal.set(kDone));
  return {};
}

/// What was asked under the key before, if it was this call. A worker that noted less knew a
/// content by itself alone.
std::optional<PlacedContent> earlier_content(const std::string& note, PlacementAsked asked,
                                             const FileToPlace& file) {
  if (is_note_of(note, asked)) {
    auto noted = noted_content(note);
    return noted ? noted : asked.content;
  }
  if (noted_content(note) || !file.made_otherwise) return std::nullopt;
  asked.content = placed_content(file.made_otherwise());
  return is_note_of(note, asked) ? std::optional(asked.content) : std::nullopt;
}

Error key_reused(const FileToPlace& file) {
  const char* const why =
      file.made_of.empty()
          ? ": the key of this call was used for another file or content. Nothing is written now"
          : ": the key of this call was used for another file or content, or an earlier version "
            "made the file in another way. Nothing is written now: look at the file, and if it "
            "isn't as it should be, write it by a new call";
  return path_error(ErrorCode::Internal, file.path, why);
}

Result<PlacedContent> place_below(int root, int journal_directory,
                                  const std::vector<std::string>& parts, const FileToPlace& file,
                                  const std::function<bool()>& cancelled) {
  const PlacementAsked asked{file.path, placed_content(file.content), file.made_of};
  Journal journal(journal_directory, sha256_hex_of(file.key), note_of(asked));
  if (auto locked = journal.lock(file.path, cancelled); !locked) return locked.error();
  PlacedContent placed = asked.content;
  if (const std::string note = journal.note(); !note.empty()) {
    const auto earlier = earlier_content(note, asked, file);
    if (!earlier) return key_reused(file);
    placed = *earlier;
    journal.keep_note(note);
  }
  if (journal.is(kDone)) return placed;
  const bool ready = journal.is(kReady);
  if (ready && !journal.has_content()) return placed;  // it was moved, and nobody was told
  const auto parent = parent_of(root, parts, file.path);
  if (!parent) return parent.error();
  if (auto good = check_place(parent->get(), parts.back(), file.placement, file.path); !good)
    return good.error();
  if (!ready) {
    if (cancelled())
      return path_error(ErrorCode::Cancelled, file.path, ": nobody waits for it any more");
    if (const int problem = journal.prepare(file.content)) return error_of(problem, file.path);
  }
  if (auto moved = move_in(journal, parent->get(), parts.back(), file); !moved)
    return moved.error();
  return placed;
}

int forget_in(int journal, std::time_t until) {
  const int copy = openat(journal, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> open(copy < 0 ? nullptr : fdopendir(copy), closedir);
  int forgotten = 0;
  while (const dirent* entry = open ? readdir(open.get()) : nullptr) {
    struct stat status {};
    if (fstatat(journal, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode) && status.st_mtime < until &&
        unlinkat(journal, entry->d_name, 0) == 0)
      ++forgotten;
  }
  return forgotten;
}

}  // namespace

Result<PlacedFiles> PlacedFiles::open(const std::vector<FileRootConfig>& roots) {
  PlacedFiles files;
  for (const FileRootConfig& root : roots) {
    const auto unusable = [&root] {
      return invalid_argument(
          "file root '" + root.name + "': " + root.path +
          " is not a directory that can be written to: " + std::strerror(errno));
    };
    tools::Descriptor directory(::open(root.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory.valid()) return unusable();
    if (mkdirat(directory.get(), kJournal, 0700) != 0 && errno != EEXIST) return unusable();
    tools::Descriptor journal(
        openat(directory.get(), kJournal, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!journal.valid() || faccessat(directory.get(), kJournal, W_OK | X_OK, AT_EACCESS) != 0)
      return unusable();
    files.roots_.push_back({root.name, std::move(directory), std::move(journal)});
  }
  return files;
}

Result<PlacedContent> PlacedFiles::place(const FileToPlace& file,
                                         const std::function<bool()>& cancelled) const {
  if (auto good = checked_path(file.path); !good) return good.error();
  std::vector<std::string> parts = path_parts(file.path);
  auto root = std::ranges::find(roots_, parts.front(), &Root::name);
  if (root != roots_.end() && parts.size() > 1)
    parts.erase(parts.begin());
  else if (roots_.size() == 1)
    root = roots_.begin();
  else
    return path_error(ErrorCode::NotFound, file.path, ": there is no such directory to write to");
  if (std::ranges::any_of(parts, [](const std::string& part) { return part.starts_with('.'); }))
    return path_error(ErrorCode::PermissionDenied, file.path,
                      ": names that begin with a dot are not written");
  return place_below(root->directory.get(), root->journal.get(), parts, file, cancelled);
}

int PlacedFiles::forget(Milliseconds age) const {
  const std::time_t until =
      std::time(nullptr) - std::chrono::duration_cast<std::chrono::seconds>(age).count();
  int forgotten = 0;
  for (const Root& root : roots_) forgotten += forget_in(root.journal.get(), until);
  return forgotten;
}

}  // namespace ba::files
