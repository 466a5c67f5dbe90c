#pragma once
// SPDX-License-Identifier: Apache-2.0
// Lets many libcurl multi handles share one Asio loop. curl's sockets stand in an epoll set of
// their own, of which Asio watches only the one descriptor: a wake-up costs the same however many
// sockets are ready. Several multi handles, because one is slow with thousands of connections.
// Control thread only.

#include <curl/curl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "pipeline/base/lifetime.hpp"
#include "pipeline/base/time.hpp"

namespace ba::http {

class CurlReactor;

/// One multi handle. Owned by an endpoint, which adds and removes easy handles.
class CurlShard {
 public:
  /// `on_done(easy, code)` is called for each transfer that ended, outside of curl; it has to take
  /// the easy handle out by remove().
  CurlShard(CurlReactor& reactor, std::function<void(CURL*, CURLcode)> on_done);
  ~CurlShard();
  CurlShard(const CurlShard&) = delete;
  CurlShard& operator=(const CurlShard&) = delete;

  void add(CURL* easy);
  void remove(CURL* easy);

 private:
  friend class CurlReactor;
  static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void* known);
  static int on_timer(CURLM*, long timeout_ms, void* self);
  void act(curl_socket_t socket, int events);
  void act_on_timer();

  CurlReactor& reactor_;
  std::function<void(CURL*, CURLcode)> on_done_;
  CURLM* multi_;
  std::uint32_t slot_ = 0;              ///< in the reactor
  SteadyTime due_ = SteadyTime::max();  ///< when curl wants its timer
  bool queued_ = false;                 ///< among the reactor's ready shards
};

class CurlReactor {
 public:
  explicit CurlReactor(boost::asio::io_context& io);
  ~CurlReactor();
  CurlReactor(const CurlReactor&) = delete;
  CurlReactor& operator=(const CurlReactor&) = delete;

  /// DNS and TLS sessions, common to all handles.
  CURLSH* share() const { return share_; }

  /// Whether curl is on the stack, so that none of its handles may be taken out now.
  bool inside_curl() const { return inside_curl_; }

  /// Makes on_turn_end happen soon, if it isn't about to.
  void end_turn_soon();

  /// Called about every 50 ms while ticking, and at the end of each turn of the loop, where
  /// receivers may be told: nothing of curl is on the stack.
  std::function<void(SteadyTime now)> on_tick;
  std::function<void()> on_turn_end;

  /// Ticks while `active` says so; a change from idle starts the clock.
  void keep_ticking(bool active);

 private:
  friend class CurlShard;
  std::uint32_t add(CurlShard& shard);
  void remove(CurlShard& shard);
  void watch(CurlShard& shard, curl_socket_t socket, int what, bool known);
  void make_ready(CurlShard& shard);
  void make_due(CurlShard& shard, SteadyTime due);
  void wait_for_sockets();
  void take_socket_events();
  void run_ready_shards();
  void arm_timer(SteadyTime when);
  void take_timer();
  void post(std::function<void()> task);
  void end_turn();

  boost::asio::io_context& io_;
  boost::asio::posix::stream_descriptor epoll_;
  boost::asio::steady_timer timer_;
  SteadyTime armed_ = SteadyTime::max();
  SteadyTime next_tick_ = SteadyTime::max();
  CURLSH* share_;
  std::vector<CurlShard*> shards_;  ///< by slot; null where one is gone
  std::vector<CurlShard*> ready_;
  bool ready_posted_ = false;
  bool inside_curl_ = false;
  bool in_turn_ = false;
  bool end_posted_ = false;
  Lifetime lifetime_;
};

}  // namespace ba::http
