// SPDX-License-Identifier: Apache-2.0
// What gzip() writes, read by zlib.
#include "worker/trace/otlp_request.hpp"

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <random>

namespace ba::trace {
namespace {

std::string unpacked(const std::string& body) {
  google::protobuf::io::ArrayInputStream in(body.data(), static_cast<int>(body.size()));
  google::protobuf::io::GzipInputStream gzip_in(&in, google::protobuf::io::GzipInputStream::GZIP);
  std::string out;
  const void* piece = nullptr;
  int size = 0;
  while (gzip_in.Next(&piece, &size)) out.append(static_cast<const char*>(piece), size);
  EXPECT_EQ(gzip_in.ZlibErrorMessage(), nullptr);
  return out;
}

TEST(Gzip, IsReadByZlib) {
  std::string noise;
  std::mt19937 random(7);
  for (int i = 0; i < 300'000; ++i) noise += static_cast<char>(random());
  for (const std::string& body :
       {std::string(), std::string("x"), std::string(1'000'000, 'a'), noise})
    EXPECT_TRUE(unpacked(gzip(body)) == body) << body.size() << " bytes";
}

TEST(Gzip, MakesAlikeThingsSmall) {
  std::string spans;
  for (int i = 0; i < 1000; ++i) spans += R"({"key":"gen_ai.operation.name","value":"chat"},)";
  EXPECT_LT(gzip(spans).size(), spans.size() / 20);
}

}  // namespace
}  // namespace ba::trace
