#pragma once
// SPDX-License-Identifier: Apache-2.0
// Token usage between the core and the wire. Part of contract/.

#include "ba/v1/usage.pb.h"
#include "pipeline/text/message/message.hpp"

namespace ba {

inline void set_usage(v1::Usage& proto, const Usage& usage) {
  proto.set_input_tokens(usage.input_tokens);
  proto.set_cache_read_tokens(usage.cache_read_tokens);
  proto.set_cache_write_tokens(usage.cache_write_tokens);
  proto.set_output_tokens(usage.output_tokens);
  proto.set_thinking_tokens(usage.thinking_tokens);
}

inline Usage usage_of(const v1::Usage& proto) {
  Usage usage;
  usage.input_tokens = proto.input_tokens();
  usage.cache_read_tokens = proto.cache_read_tokens();
  usage.cache_write_tokens = proto.cache_write_tokens();
  usage.output_tokens = proto.output_tokens();
  usage.thinking_tokens = proto.thinking_tokens();
  return usage;
}

}  // namespace ba
