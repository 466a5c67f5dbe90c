// SPDX-License-Identifier: Apache-2.0
// A slow disk for a server that knows nothing of it: preloaded (LD_PRELOAD), it lets each fsync and
// fdatasync take longer while the file that BA_SLOW_FSYNC names is there, by a time drawn up to the
// milliseconds that the file says.

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

namespace {

int milliseconds_max() {
  const char* path = std::getenv("BA_SLOW_FSYNC");
  int milliseconds = 0;
  if (path) std::ifstream(path) >> milliseconds;
  return milliseconds;
}

void dawdle() {
  const int max = milliseconds_max();
  if (max <= 0) return;
  // Of the process's own: a server's children all begin with their parent's state.
  std::minstd_rand random(static_cast<unsigned>(
      std::chrono::steady_clock::now().time_since_epoch().count() ^ ::getpid()));
  const std::chrono::milliseconds delay(std::uniform_int_distribution(0, max)(random));
  std::this_thread::sleep_for(delay);
}

int sync(const char* name, int file) {
  dawdle();
  using Sync = int (*)(int);
  return reinterpret_cast<Sync>(::dlsym(RTLD_NEXT, name))(file);
}

}  // namespace

extern "C" int fsync(int file) { return sync("fsync", file); }
extern "C" int fdatasync(int file) { return sync("fdatasync", file); }
