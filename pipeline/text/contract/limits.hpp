#pragma once
// SPDX-License-Identifier: Apache-2.0
// Limits of what a record on a jobs topic may carry. Breaking one makes a dead letter that names
// the field. Characters are Unicode code points. Values.

#include <cstddef>
#include <cstdint>

namespace ba {

struct JobContractLimits {
  std::size_t record_bytes_max = 1024 * 1024;
  std::size_t key_bytes_max = 64 * 1024;
  std::size_t header_count_max = 100;
  std::size_t header_bytes_max = 64 * 1024;  ///< names and values together
  int json_depth_max = 64;
  int json_nodes_max = 100'000;  ///< values and keys
  int protobuf_depth_max = 64;
  std::size_t messages_max = 64;
  std::size_t message_chars_max = 200'000;
  std::size_t id_chars_max = 200;    ///< tenant, job, conversation, user and event ids
  std::size_t name_chars_max = 100;  ///< agent, model, skills, tools
  std::size_t skills_max = 16;
  std::size_t allowed_tools_max = 64;
  std::size_t metadata_entries_max = 64;
  std::size_t metadata_key_chars_max = 128;
  std::size_t metadata_value_chars_max = 4096;
  std::size_t tracestate_chars_max = 512;
  std::size_t answer_schema_bytes_max = 64 * 1024;
  std::int64_t deadline_ms_max = 2'592'000'000;  ///< 30 days

  friend bool operator==(const JobContractLimits&, const JobContractLimits&) = default;
};

}  // namespace ba
