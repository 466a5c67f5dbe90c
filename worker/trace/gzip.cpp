// SPDX-License-Identifier: Apache-2.0
#include "worker/trace/gzip.hpp"

#include <boost/beast/zlib/deflate_stream.hpp>
#include <boost/crc.hpp>
#include <cstdint>

#include "pipeline/base/assert.hpp"

namespace ba {
namespace {

namespace zlib = boost::beast::zlib;

constexpr int kFast = 1;  // spans are alike: more effort saves little
constexpr int kWindowBits = 15;
constexpr int kMemoryLevel = 8;

// Magic, method deflate, no flags, no time, fastest, no system.
constexpr char kHeader[] = {'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 4, '\xff'};

void append_little_endian(std::string& out, std::uint32_t number) {
  for (int byte = 0; byte < 4; ++byte) out += static_cast<char>(number >> (8 * byte));
}

}  // namespace

std::string gzip(std::string_view body) {
  zlib::deflate_stream stream;
  stream.reset(kFast, kWindowBits, kMemoryLevel, zlib::Strategy::normal);
  std::string out(kHeader, sizeof kHeader);
  const std::size_t begin = out.size();
  out.resize(begin + stream.upper_bound(body.size()) + 16);
  zlib::z_params params;
  params.next_in = body.data();
  params.avail_in = body.size();
  params.next_out = out.data() + begin;
  params.avail_out = out.size() - begin;
  boost::system::error_code error;
  stream.write(params, zlib::Flush::finish, error);
  BA_ASSERT(error == zlib::error::end_of_stream);
  out.resize(begin + params.total_out);
  boost::crc_32_type crc;
  crc.process_bytes(body.data(), body.size());
  append_little_endian(out, crc.checksum());
  append_little_endian(out, static_cast<std::uint32_t>(body.size()));
  return out;
}

}  // namespace ba
