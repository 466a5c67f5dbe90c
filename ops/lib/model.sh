# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The local model server as a part of the stack. See part.sh for the functions.

model_ports() { echo 1; }
model_signal() { echo TERM; }
model_grace() { echo 5; }
model_prepare() { :; }
model_finish() { :; }
model_workplace() { :; }
model_ready() { curl -fs -o /dev/null --max-time 2 "http://127.0.0.1:$(part_port model)/health"; }

model_command() {
  # shellcheck disable=SC2034 # read by part_launch
  command=("$(cached model)/bin/python" "$OPS/model/server.py" "$(part_port model)")
}
