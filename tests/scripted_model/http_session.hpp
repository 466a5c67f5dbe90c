#pragma once
// SPDX-License-Identifier: Apache-2.0
// One connection: reads requests one after another (keep-alive, pipelining), hands each to the
// service and sends the answer as it says. Runs on the socket's thread and lives as long as an
// operation of it is pending.

#include <boost/asio/ip/tcp.hpp>

#include "tests/scripted_model/service.hpp"

namespace ba::scripted {

void start_session(boost::asio::ip::tcp::socket socket, Service& service);

}  // namespace ba::scripted
