# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Apache Kafka as a part of the stack: one KRaft node. See part.sh for the functions.
# Needs: kafka_java.sh, secure.sh.

# For clients, for the controller, for clients that come through a proxy, and that proxy's own: who
# connects by the third is told to come back by the fourth. Nothing listens there until somebody
# puts a proxy in between. The fifth is the administrator's of a secure stack.
kafka_ports() { echo 5; }
kafka_signal() { echo TERM; }
kafka_grace() { echo 20; }
kafka_workplace() { :; }
# Within two seconds: one process that looks again costs less than one for each look.
kafka_ready() {
  if is_secure; then
    /usr/bin/python3 -IS "$OPS/kafka/probe.py" "$(part_port kafka 4)" 2 "$(secure_home)"
  else
    /usr/bin/python3 -IS "$OPS/kafka/probe.py" "$(part_port kafka)" 2
  fi
}

# Users, with the rights of config/SECURITY.md on the topics that the program has by default.
kafka_finish() {
  ! is_secure || secure_python rig.secure_kafka "$(secure_home)" "127.0.0.1:$(part_port kafka 4)"
}

kafka_prepare() {
  local home=$STACK/kafka
  kafka_settings "$home/data" >"$home/server.properties" || return
  [[ -d $home/data ]] || kafka_format
}

kafka_settings() {
  local listeners=plain
  ! is_secure || listeners=secure
  cat "$OPS/kafka/server.properties" "$OPS/kafka/$listeners.properties" | sed -e "s|@PORT@|$(part_port kafka 0)|g" -e "s|@CONTROLLER_PORT@|$(part_port kafka 1)|g" \
    -e "s|@BEHIND_PROXY_PORT@|$(part_port kafka 2)|g" -e "s|@PROXY_PORT@|$(part_port kafka 3)|g" \
    -e "s|@ADMIN_PORT@|$(part_port kafka 4)|g" -e "s|@SECURE@|$(secure_home)|g" -e "s|@DATA@|$1|g"
}

# Into a folder that gets its name when it is whole.
kafka_format() {
  local home=$STACK/kafka id
  id=$(head -c 16 /dev/urandom | base64 | tr '+/' 'Aa' | tr -d '=')
  rm -rf "$home/data.new"
  kafka_settings "$home/data.new" >"$home/format.properties"
  kafka_java
  "${java[@]}" -Xmx128m -cp "$(cached kafka)/*" \
    kafka.tools.StorageTool format -t "$id" -c "$home/format.properties" &&
    rm "$home/format.properties" && mv -T "$home/data.new" "$home/data"
}

# A single user's broker: a small heap is enough.
kafka_command() {
  kafka_java
  # shellcheck disable=SC2034 # read by part_launch
  command=("${java[@]}" -Xms256m -Xmx512m
    -Dorg.slf4j.simpleLogger.showDateTime=true
    '-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd HH:mm:ss.SSS'
    -cp "$(cached kafka)/*" kafka.Kafka "$STACK/kafka/server.properties")
}
