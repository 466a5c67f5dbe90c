// SPDX-License-Identifier: Apache-2.0
#include "worker/http/curl_http_client.hpp"

#include <algorithm>

#include "worker/http/curl_endpoint.hpp"
#include "worker/http/url.hpp"

namespace ba::http {
namespace {

class CurlHttpClient;

/// The endpoint that callers hold: takes itself out of the client's list.
class ListedEndpoint final : public HttpEndpoint {
 public:
  ListedEndpoint(HttpEndpointConfig config, CurlReactor& reactor, std::vector<CurlEndpoint*>& list)
      : list_(list), endpoint_(std::move(config), reactor) {
    list_.push_back(&endpoint_);
  }
  ~ListedEndpoint() override { list_.erase(std::find(list_.begin(), list_.end(), &endpoint_)); }

  std::unique_ptr<HttpCall> post(HttpPost request, HttpReceiver& receiver) override {
    return endpoint_.post(std::move(request), receiver);
  }

 private:
  std::vector<CurlEndpoint*>& list_;
  CurlEndpoint endpoint_;
};

class CurlHttpClient final : public HttpClient {
 public:
  explicit CurlHttpClient(boost::asio::io_context& io) : reactor_(io) {
    reactor_.on_tick = [this](SteadyTime now) {
      bool active = false;
      for (CurlEndpoint* endpoint : endpoints_) active = endpoint->tick(now) || active;
      reactor_.keep_ticking(active);
    };
    reactor_.on_turn_end = [this] {
      // By index: a receiver may open or close endpoints.
      for (std::size_t i = 0; i < endpoints_.size(); ++i) endpoints_[i]->settle();
    };
  }

  Result<std::unique_ptr<HttpEndpoint>> open(HttpEndpointConfig config) override {
    if (!is_http_url(config.url)) return invalid_argument("not an HTTP URL: " + config.url);
    return std::unique_ptr<HttpEndpoint>(
        std::make_unique<ListedEndpoint>(std::move(config), reactor_, endpoints_));
  }

 private:
  std::vector<CurlEndpoint*> endpoints_;
  CurlReactor reactor_;
};

}  // namespace

std::unique_ptr<HttpClient> make_curl_http_client(boost::asio::io_context& io) {
  // Once per process, before any thread may use curl; libcurl counts further calls.
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(initialised);
  return std::make_unique<CurlHttpClient>(io);
}

}  // namespace ba::http
