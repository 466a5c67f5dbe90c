-- SPDX-License-Identifier: Apache-2.0
-- What is recorded of a finished call for engineers beside its other columns: execution_id, attempts, latency_ms (of the
-- last try), input_tokens, output_tokens, total_tokens (estimates), last_error {type, code, message}, metrics (the tool's own).
ALTER TABLE tool_calls ADD COLUMN telemetry json COMPRESSION lz4;
