# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What runs on a stack without being a part of it: the worker and the scripted model of ops/demo, which
# starts them. They are recorded, marked and stopped as parts are (part.sh), so that `ops/stack down`
# also ends what a killed demo left behind.

# shellcheck disable=SC2034 # read by those who source this
readonly kGuests=(worker scripted)

worker_ports() { echo 1; }
worker_signal() { echo TERM; }
worker_grace() { echo 30; } # its running steps are finished first: worker.drain_grace_ms, 20 s
worker_prepare() { :; }
worker_finish() { :; }
worker_workplace() { :; }

scripted_ports() { echo 1; }
scripted_signal() { echo TERM; }
scripted_grace() { echo 5; }
scripted_prepare() { :; }
scripted_finish() { :; }
scripted_workplace() { :; }
