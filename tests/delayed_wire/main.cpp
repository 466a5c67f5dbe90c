// SPDX-License-Identifier: Apache-2.0
// ba-delayed-wire: see the README of this folder.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <vector>

#include "tests/delayed_wire/delayed_wire.hpp"

int main(int argc, char** argv) {
  CLI::App app("Carries TCP connections to servers, each piece late by a time");
  std::vector<std::string> servers;
  int delay_us = 0;
  app.add_option("--to", servers, "IPv4 address and port of a server; may be repeated")->required();
  app.add_option("--delay-us", delay_us, "Microseconds, of each direction")
      ->required()
      ->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);
  boost::asio::io_context io;
  std::vector<std::unique_ptr<ba::wire::DelayedWire>> wires;
  for (const std::string& server : servers) {
    boost::system::error_code wrong;
    const auto colon = server.rfind(':');
    const auto address = boost::asio::ip::make_address_v4(server.substr(0, colon), wrong);
    std::uint16_t port = 0;
    const char* const end = server.data() + server.size();
    const auto read =
        std::from_chars(server.data() + std::min(colon, server.size() - 1) + 1, end, port);
    if (wrong || colon == std::string::npos || read.ec != std::errc() || read.ptr != end ||
        port == 0) {
      std::fprintf(stderr, "ba-delayed-wire: --to %s: no ADDRESS:PORT\n", server.c_str());
      return 2;
    }
    wires.push_back(std::make_unique<ba::wire::DelayedWire>(
        io, ba::wire::DelayedWire::Tcp::endpoint(address, port),
        std::chrono::microseconds(delay_us)));
    std::printf("127.0.0.1:%u\n", static_cast<unsigned>(wires.back()->port()));
  }
  std::fflush(stdout);
  io.run();
  return 0;
}
