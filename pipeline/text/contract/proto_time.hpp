#pragma once
// SPDX-License-Identifier: Apache-2.0
// Wall time as protobuf keeps it. Microseconds both ways; finer parts are cut off.

#include <google/protobuf/timestamp.pb.h>

#include "pipeline/base/time.hpp"

namespace ba {

inline WallTime wall_time(const google::protobuf::Timestamp& time) {
  return WallTime(std::chrono::seconds(time.seconds()) + Microseconds(time.nanos() / 1000));
}

inline void set_time(google::protobuf::Timestamp& proto, WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  proto.set_seconds(seconds.time_since_epoch().count());
  proto.set_nanos(static_cast<std::int32_t>((time - seconds).count() * 1000));
}

/// Whether the fields are in the range the format allows: years 1 to 9999, nanos 0 to 999999999.
inline bool valid_time(const google::protobuf::Timestamp& time) {
  return time.seconds() >= -62135596800 && time.seconds() <= 253402300799 && time.nanos() >= 0 &&
         time.nanos() <= 999999999;
}

}  // namespace ba
