// SPDX-License-Identifier: Apache-2.0
#include "pipeline/text/contract/canonical_bytes.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message_lite.h>

#include "pipeline/base/assert.hpp"

namespace ba {

std::string canonical_bytes(const google::protobuf::MessageLite& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);  // map entries in order of their keys
    BA_ASSERT(message.SerializeToCodedStream(&coded));
  }
  return bytes;
}

}  // namespace ba
