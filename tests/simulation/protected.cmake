# SPDX-License-Identifier: Apache-2.0
# The product's sources that ba-simulate links copies of, in which protections can be left out. An object
# file of theirs has nothing else in it: all of it is what the copies stand for.
set(BA_PROTECTED pipeline/text/contract/replacement.cpp pipeline/text/contract/result_id.cpp pipeline/core/conversation/endings.cpp
  pipeline/core/conversation/machine.cpp pipeline/core/conversation/reply_steps.cpp
  pipeline/core/conversation/resume.cpp pipeline/core/conversation/run_losses.cpp
  pipeline/core/conversation/run_protocol.cpp pipeline/core/conversation/skill_steps.cpp pipeline/core/conversation/stored_skills.cpp
  pipeline/core/cache/shared_cache.cpp pipeline/core/outbox/shard_protocol.cpp pipeline/text/semantic/semantic_key.cpp
  pipeline/core/tool/call_ending.cpp pipeline/core/tool/call_protocol.cpp pipeline/core/tool/call_run.cpp
  storage/history/known_history.cpp worker/driver/engine.cpp worker/driver/job_loader.cpp
  worker/driver/job_runner.cpp worker/driver/model_turn.cpp
  worker/mcp/call.cpp worker/mcp/call_failures.cpp worker/mcp/rpc_client.cpp worker/mcp/tool_listing.cpp)
