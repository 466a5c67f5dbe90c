// SPDX-License-Identifier: Apache-2.0
#include "worker/http/curl_reactor.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <system_error>

#include "pipeline/base/assert.hpp"

namespace ba::http {
namespace {

constexpr Milliseconds kTick{50};
constexpr Milliseconds kTurnMax{20};  // of the control thread; sockets left over come again
constexpr int kTurnSocketsMax = 128;
constexpr long kIdleConnectionsMax = 256;  // kept per shard

SteadyTime now() { return std::chrono::steady_clock::now(); }

int new_epoll() {
  const int fd = epoll_create1(EPOLL_CLOEXEC);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  return fd;
}

/// An event names its shard and its socket; a stale one names a socket that curl no longer knows.
std::uint64_t tag_of(std::uint32_t slot, curl_socket_t socket) {
  return std::uint64_t{slot} << 32 | static_cast<std::uint32_t>(socket);
}

int curl_events(std::uint32_t events) {
  int out = 0;
  if ((events & (EPOLLIN | EPOLLHUP)) != 0) out |= CURL_CSELECT_IN;
  if ((events & EPOLLOUT) != 0) out |= CURL_CSELECT_OUT;
  if ((events & EPOLLERR) != 0) out |= CURL_CSELECT_ERR;
  return out;
}

}  // namespace

CurlShard::CurlShard(CurlReactor& reactor, std::function<void(CURL*, CURLcode)> on_done)
    : reactor_(reactor), on_done_(std::move(on_done)), multi_(curl_multi_init()) {
  if (multi_ == nullptr) throw std::bad_alloc();
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlShard::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, static_cast<void*>(this));
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlShard::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, static_cast<void*>(this));
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_NOTHING));
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kIdleConnectionsMax);
  slot_ = reactor_.add(*this);
}

CurlShard::~CurlShard() {
  curl_multi_cleanup(multi_);
  reactor_.remove(*this);
}

void CurlShard::add(CURL* easy) { BA_ASSERT(curl_multi_add_handle(multi_, easy) == CURLM_OK); }

void CurlShard::remove(CURL* easy) {
  BA_ASSERT(curl_multi_remove_handle(multi_, easy) == CURLM_OK);
}

int CurlShard::on_socket(CURL*, curl_socket_t socket, int what, void* self, void* known) {
  auto& shard = *static_cast<CurlShard*>(self);
  shard.reactor_.watch(shard, socket, what, known != nullptr);
  if (known == nullptr && what != CURL_POLL_REMOVE)
    curl_multi_assign(shard.multi_, socket, self);  // any mark: the socket is in the set
  return 0;
}

int CurlShard::on_timer(CURLM*, long timeout_ms, void* self) {
  auto& shard = *static_cast<CurlShard*>(self);
  if (timeout_ms < 0) {
    shard.due_ = SteadyTime::max();
  } else if (timeout_ms == 0) {
    shard.reactor_.make_ready(shard);
  } else {
    shard.reactor_.make_due(shard, now() + Milliseconds(timeout_ms));
  }
  return 0;
}

void CurlShard::act(curl_socket_t socket, int events) {
  int running = 0;
  reactor_.inside_curl_ = true;
  curl_multi_socket_action(multi_, socket, events, &running);
  reactor_.inside_curl_ = false;
  int left = 0;
  while (CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    CURL* const easy = message->easy_handle;
    const CURLcode code = message->data.result;  // the message dies with remove()
    on_done_(easy, code);
  }
}

void CurlShard::act_on_timer() {
  // Unset first: curl asks for the next one while it acts.
  due_ = SteadyTime::max();
  act(CURL_SOCKET_TIMEOUT, 0);
}

CurlReactor::CurlReactor(boost::asio::io_context& io)
    : io_(io), epoll_(io, new_epoll()), timer_(io), share_(curl_share_init()) {
  if (share_ == nullptr) throw std::bad_alloc();
  curl_share_setopt(share_, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
  curl_share_setopt(share_, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
  wait_for_sockets();
}

CurlReactor::~CurlReactor() { curl_share_cleanup(share_); }

std::uint32_t CurlReactor::add(CurlShard& shard) {
  const auto free = std::find(shards_.begin(), shards_.end(), nullptr);
  const auto slot = static_cast<std::uint32_t>(free - shards_.begin());
  if (free == shards_.end())
    shards_.push_back(&shard);
  else
    *free = &shard;
  return slot;
}

void CurlReactor::remove(CurlShard& shard) {
  shards_[shard.slot_] = nullptr;
  std::replace(ready_.begin(), ready_.end(), &shard, static_cast<CurlShard*>(nullptr));
}

void CurlReactor::watch(CurlShard& shard, curl_socket_t socket, int what, bool known) {
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, socket, nullptr);
    return;
  }
  epoll_event event{};
  if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
  event.data.u64 = tag_of(shard.slot_, socket);
  const int first = known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (epoll_ctl(epoll_.native_handle(), first, socket, &event) == 0) return;
  // A socket whose number was used before and closed behind our back.
  const int other = known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  BA_ASSERT(epoll_ctl(epoll_.native_handle(), other, socket, &event) == 0);
}

void CurlReactor::wait_for_sockets() {
  epoll_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this, watch = lifetime_.watch()](const boost::system::error_code& error) {
                      if (error || watch.over()) return;
                      take_socket_events();
                      if (!watch.over()) wait_for_sockets();
                    });
}

void CurlReactor::take_socket_events() {
  in_turn_ = true;
  const SteadyTime end = now() + kTurnMax;
  epoll_event event;
  // One at a time: what was asked for and not taken would come last again.
  for (int taken = 0; taken < kTurnSocketsMax; ++taken) {
    if (taken > 0 && now() >= end) break;
    if (epoll_wait(epoll_.native_handle(), &event, 1, 0) != 1) break;
    CurlShard* shard = shards_[event.data.u64 >> 32];
    if (shard != nullptr)
      shard->act(static_cast<curl_socket_t>(event.data.u64 & 0xffffffff),
                 curl_events(event.events));
  }
  end_turn();
}

void CurlReactor::post(std::function<void()> task) {
  boost::asio::post(io_, lifetime_.guarded(std::move(task)));
}

void CurlReactor::make_ready(CurlShard& shard) {
  if (shard.queued_) return;
  shard.queued_ = true;
  ready_.push_back(&shard);
  if (ready_posted_) return;
  ready_posted_ = true;
  post([this] { run_ready_shards(); });
}

void CurlReactor::run_ready_shards() {
  in_turn_ = true;
  ready_posted_ = false;
  std::vector<CurlShard*> ready;
  ready.swap(ready_);
  for (CurlShard* shard : ready) {
    if (shard == nullptr) continue;
    shard->queued_ = false;
    shard->act_on_timer();
  }
  end_turn();
}

void CurlReactor::make_due(CurlShard& shard, SteadyTime due) {
  shard.due_ = due;
  if (due < armed_) arm_timer(due);
}

void CurlReactor::keep_ticking(bool active) {
  if (!active) {
    next_tick_ = SteadyTime::max();
    return;
  }
  if (next_tick_ != SteadyTime::max()) return;
  next_tick_ = now() + kTick;
  if (next_tick_ < armed_) arm_timer(next_tick_);
}

void CurlReactor::arm_timer(SteadyTime when) {
  armed_ = when;
  timer_.expires_at(std::chrono::time_point_cast<std::chrono::steady_clock::duration>(when));
  timer_.async_wait(lifetime_.guarded([this](const boost::system::error_code& error) {
    if (!error) take_timer();
  }));
}

void CurlReactor::take_timer() {
  in_turn_ = true;
  const SteadyTime time = now();
  armed_ = SteadyTime::max();
  for (std::size_t i = 0; i < shards_.size(); ++i)
    if (shards_[i] != nullptr && shards_[i]->due_ <= time) shards_[i]->act_on_timer();
  if (next_tick_ <= time) {
    next_tick_ = time + kTick;
    if (on_tick) on_tick(time);
  }
  SteadyTime next = next_tick_;
  for (const CurlShard* shard : shards_)
    if (shard != nullptr) next = std::min(next, shard->due_);
  if (next < armed_) arm_timer(next);
  end_turn();
}

void CurlReactor::end_turn_soon() {
  if (in_turn_ || end_posted_) return;
  end_posted_ = true;
  post([this] {
    end_posted_ = false;
    end_turn();
  });
}

void CurlReactor::end_turn() {
  in_turn_ = false;
  if (on_turn_end) on_turn_end();
}

}  // namespace ba::http
