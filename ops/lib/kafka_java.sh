# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# How Kafka's programs are started. Needs: cache.sh.

# Sets the array `java`. Programs that run for a short time start faster with the quick compiler only. Classes
# that a broker loads come out of an archive (class data sharing, JEP 350) where ops/setup has made one: so a
# broker serves after half of the time. The JVM leaves an archive aside that doesn't fit.
kafka_java() {
  local classes
  # shellcheck disable=SC2034 # read by who calls
  java=(java -XX:+UseSerialGC -XX:TieredStopAtLevel=1)
  classes=$(cache_dir kafka_classes 2>/dev/null)/broker.jsa
  [[ ! -e $classes ]] || java+=("-XX:SharedArchiveFile=$classes")
}
