#pragma once
// SPDX-License-Identifier: Apache-2.0
// One libcurl easy handle with its options set, used for one request after another of its endpoint.
// Wraps the C callbacks; knows no multi handle. Control thread only.

#include <curl/curl.h>

#include <memory>
#include <string>

#include "worker/http/http_client.hpp"

namespace ba::http {

struct CurlListDelete {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, CurlListDelete>;

/// A header as curl takes it: "name;" sends an empty value, "name:" would leave the header out.
std::string header_line(const std::string& name, const std::string& value);

/// Throws std::bad_alloc.
void append_line(CurlList& list, const std::string& line);

struct CurlEasyDelete {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};

class CurlHandle {
 public:
  /// Throws std::bad_alloc; `config` and `headers` must outlive the handle.
  CurlHandle(const HttpEndpointConfig& config, curl_slist* headers, CURLSH* share);
  CurlHandle(const CurlHandle&) = delete;
  CurlHandle& operator=(const CurlHandle&) = delete;

  CURL* easy() const { return easy_.get(); }

  /// Before the request is given to a multi handle.
  void begin(HttpPost& request, HttpReceiver& receiver, SteadyTime now);

  /// Nobody waits for the reply any more: its callbacks do nothing and end the transfer.
  void abandon() { receiver_ = nullptr; }
  /// The transfer is out of the multi handle: nothing of the request is needed any more.
  void release() {
    abandon();
    body_.reset();
  }
  bool abandoned() const { return receiver_ == nullptr; }

  /// How the transfer ended that curl reports as done with `code`.
  HttpEnd end(CURLcode code) const;

  /// How a transfer ends that is cut at `now` because a limit was passed, or the error is empty.
  std::optional<Error> overdue(SteadyTime now, SteadyTime deadline) const;
  HttpEnd end_by(Error error) const;

  /// The receiver needs no more: whatever ends the transfer now, it ended well.
  bool complete() const { return complete_; }

 private:
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  static int on_connected(void* self, char*, char*, int, int);

  void set_options(curl_slist* headers, CURLSH* share);
  bool take_header_line(std::string_view line);
  bool sent() const;
  Error refusal() const;

  void set_request(const HttpPost& request);

  const HttpEndpointConfig& config_;
  curl_slist* const headers_;  ///< the endpoint's
  CurlList own_headers_;       ///< those and the request's, where it has any
  std::unique_ptr<CURL, CurlEasyDelete> easy_;
  std::shared_ptr<const std::string> body_;
  HttpReceiver* receiver_ = nullptr;
  HttpHead head_;
  std::size_t header_bytes_ = 0;
  std::int64_t body_bytes_ = 0;
  int sends_ = 0;  ///< how often curl was about to send the request
  bool head_delivered_ = false;
  bool complete_ = false;
  bool too_large_ = false;
  bool refused_ = false;
  SteadyTime started_{};
  SteadyTime progress_{};  ///< last sign of life
  char message_[CURL_ERROR_SIZE] = {};
};

}  // namespace ba::http
