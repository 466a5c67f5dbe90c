# SPDX-License-Identifier: Apache-2.0
"""A collector of traces that keeps what it is sent, read by OpenTelemetry's own definitions (the package
opentelemetry-proto): what they don't know is an error."""

import base64
import gzip
import json

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from .posts import serve_posts


def _ids_as_protobuf_json(span):
    """OTLP's JSON has ids in hex, where protobuf's own has base64."""
    for name in ("traceId", "spanId", "parentSpanId"):
        if name in span:
            span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()


def _value(value):
    kind = value.WhichOneof("value")
    return [_value(v) for v in value.array_value.values] if kind == "array_value" else getattr(value, kind)


class Told:
    """One span as it was told, with the resource it came from."""

    def __init__(self, span, resource):
        self.name, self.kind, self.flags = span.name, span.kind, span.flags
        self.trace, self.id, self.parent = span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex()
        self.start, self.end = span.start_time_unix_nano, span.end_time_unix_nano
        self.failed = span.status.code == 2
        self.resource = resource
        self.attributes = {a.key: _value(a.value) for a in span.attributes}
        assert len(self.attributes) == len(span.attributes), f"an attribute stands twice: {span}"


class Collector:
    """A context. `status`: what each request is answered."""

    def __init__(self, status=200):
        self.status = status
        self.spans, self.requests, self.problems = [], [], []
        self._server = serve_posts(self._answer)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, path, headers, body):
        try:
            self._take(path, headers, body)
        except Exception as error:  # pylint: disable=broad-exception-caught
            self.problems.append(repr(error))
        return self.status

    def _take(self, path, headers, body):
        self.requests.append((path, dict(headers.items())))
        if headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        request = json.loads(body)
        for resource in request["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    _ids_as_protobuf_json(span)
        message = json_format.ParseDict(request, ExportTraceServiceRequest())
        if self.status != 200:
            return
        for resource in message.resource_spans:
            attributes = {a.key: _value(a.value) for a in resource.resource.attributes}
            for scope in resource.scope_spans:
                self.spans += [Told(span, attributes) for span in scope.spans]

    def named(self, prefix):
        return [span for span in list(self.spans) if span.name.startswith(prefix)]
