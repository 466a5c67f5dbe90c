// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tls_servers.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace ba {
namespace {

struct Close {
  void operator()(FILE* file) const { std::fclose(file); }
};

}  // namespace

TlsServers::TlsServers() {
  std::array<int, 2> input{};
  std::array<int, 2> output{};
  if (::pipe2(input.data(), O_CLOEXEC) != 0 || ::pipe2(output.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe");
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(input[0], STDIN_FILENO);
    ::dup2(output[1], STDOUT_FILENO);
    ::execlp("python3", "python3", "tests/support/tls_servers.py", directory_.path().c_str(),
             nullptr);
    ::_exit(127);
  }
  ::close(input[0]);
  ::close(output[1]);
  input_ = input[1];
  const std::unique_ptr<FILE, Close> lines(::fdopen(output[0], "r"));
  std::array<char, 200> name{};
  std::array<char, 20> port{};
  while (std::fscanf(lines.get(), "%199s", name.data()) == 1) {
    if (std::string(name.data()) == "ready") return;
    if (std::fscanf(lines.get(), "%19s", port.data()) == 1) ports_[name.data()] = port.data();
  }
  throw std::runtime_error("tests/support/tls_servers.py did not start its servers");
}

TlsServers::~TlsServers() {
  ::close(input_);
  ::waitpid(process_, nullptr, 0);
}

}  // namespace ba
