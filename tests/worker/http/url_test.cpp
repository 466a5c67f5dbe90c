// SPDX-License-Identifier: Apache-2.0
// Addresses, and what is shown of them.
#include "worker/http/url.hpp"

#include <gtest/gtest.h>

namespace ba::http {
namespace {

TEST(Urls, AreCheckedAndJoined) {
  for (const char* good :
       {"http://a", "https://a.b:8443/x/y", "http://[::1]:80/v1", "http://[::1]"})
    EXPECT_TRUE(is_http_url(good)) << good;
  for (const char* bad : {"", "ftp://a", "http://", "http:///x", "http://u@a", "http://a:x",
                          "http://a:", "http://a?x", "http://a#x", "http://a b", "file:///etc"})
    EXPECT_FALSE(is_http_url(bad)) << bad;
  EXPECT_EQ(server_of("https://a:1/v1/key"), "https://a:1");
  EXPECT_EQ(server_of("http://a"), "http://a");
  EXPECT_EQ(shown_url("http://h:1/v1"), "http://h:1/v1");
  for (const char* url : {"http://u:secret@h/v1", "http://h/p?key=secret", "http://h/p#secret",
                          "http://h:secret", "http://h/p?key=sec@ret"})
    EXPECT_EQ(shown_url(url), "http://***") << url;
  EXPECT_EQ(shown_url("u:secret@h"), "***");
  EXPECT_EQ(api_url("http://a", "/messages"), "http://a/v1/messages");
  EXPECT_EQ(api_url("http://a/", "/messages"), "http://a/v1/messages");
  EXPECT_EQ(api_url("http://a/v1", "/messages"), "http://a/v1/messages");
  EXPECT_EQ(api_url("http://a/x/y/", "/messages"), "http://a/x/y/messages");
  EXPECT_EQ(server_url("http://a", "/props"), "http://a/props");
  EXPECT_EQ(server_url("http://a/", "/props"), "http://a/props");
  EXPECT_EQ(server_url("http://a/v1/", "/props"), "http://a/props");
  EXPECT_EQ(server_url("http://a/x/v1", "/props"), "http://a/x/props");
}

}  // namespace
}  // namespace ba::http
