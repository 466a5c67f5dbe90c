# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The gateway of a secure stack: a forward proxy that asks for a user and a password, and behind it, over TLS, by
# names that the proxy alone knows, the model and a collector of telemetry, which counts. See part.sh.

gateway_ports() { echo 3; } # of the proxy, of the model over TLS, of the collector
gateway_signal() { echo TERM; }
gateway_grace() { echo 5; }
gateway_finish() { :; }
gateway_workplace() { :; }
gateway_ready() { (exec 3<>"/dev/tcp/127.0.0.1/$(part_port gateway 2)") 2>/dev/null; }

gateway_prepare() {
  secure_password proxy >/dev/null
}

gateway_command() {
  # shellcheck disable=SC2034 # read by part_launch
  command=(/usr/bin/python3 -IS "$OPS/rig/gateway.py" --secure "$(secure_home)" --journal "$STACK/gateway/collector.jsonl"
    --proxy "$(part_port gateway 0)" --collector "$(part_port gateway 2)"
    --front "$(part_port gateway 1)=$(part_port model || echo 9)")
}

# The proxy is for tests and whoever else wants it; a provider has it in its settings.
env_gateway() {
  export_line BA_STACK_PROXY "http://127.0.0.1:$(part_port gateway 0)"
  export_line BA_STACK_PROXY_USER stack
  export_line BA_STACK_PROXY_PASSWORD "$(secure_password proxy)"
  local at=BA__OBSERVABILITY__OTLP
  export_line ${at}_ENDPOINT "https://collector.stack.test:$(part_port gateway 2)"
  export_line ${at}_CA_FILE "$(secure_home)/ca.pem"
  export_line ${at}_PROXY "http://127.0.0.1:$(part_port gateway 0)"
  export_line ${at}_PROXY_USER stack
  export_line ${at}_PROXY_PASSWORD "$(secure_password proxy)"
}

# In place of the model's plain address.
env_secure_model() {
  local at=BA__LLM__PROVIDERS__STACK
  export_line ${at}__PROTOCOL openai_chat
  export_line ${at}__BASE_URL "https://model.stack.test:$(part_port gateway 1)/v1"
  export_line ${at}__CA_FILE "$(secure_home)/ca.pem"
  export_line ${at}__PROXY "http://127.0.0.1:$(part_port gateway 0)"
  export_line ${at}__PROXY_USER stack
  export_line ${at}__PROXY_PASSWORD "$(secure_password proxy)"
  export_line BA__LLM__MODELS__STACK__PROVIDER stack
  export_line BA__LLM__MODELS__STACK__MODEL_ID smollm2-135m
  export_line BA__LLM__DEFAULT_MODEL stack
}
