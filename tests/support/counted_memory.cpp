// SPDX-License-Identifier: Apache-2.0
#include "tests/support/counted_memory.hpp"

#include <malloc.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);
}

namespace {

constexpr std::int64_t kHeadBytes = 8;  // of each piece, beside what can be used of it

thread_local std::int64_t live = 0;

std::int64_t bytes_of(void* memory) {
  return memory == nullptr ? 0 : kHeadBytes + static_cast<std::int64_t>(malloc_usable_size(memory));
}

void* counted(void* memory) {
  live += bytes_of(memory);
  return memory;
}

}  // namespace

namespace ba {

std::int64_t live_bytes() { return live; }

}  // namespace ba

extern "C" {

void* malloc(std::size_t bytes) noexcept { return counted(__libc_malloc(bytes)); }

void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return counted(__libc_calloc(count, bytes));
}

void* realloc(void* memory, std::size_t bytes) noexcept {
  const std::int64_t before = bytes_of(memory);
  void* const moved = __libc_realloc(memory, bytes);
  if (moved != nullptr || bytes == 0) live += bytes_of(moved) - before;
  return moved;
}

void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return counted(__libc_memalign(alignment, bytes));
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return counted(__libc_memalign(alignment, bytes));
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  void* const made = counted(__libc_memalign(alignment, bytes));
  if (made == nullptr) return ENOMEM;
  *memory = made;
  return 0;
}

void free(void* memory) noexcept {
  live -= bytes_of(memory);
  __libc_free(memory);
}
}
