"""Sends the bytes of export requests, which need not be valid, to a receiver."""

import grpc
import httpx2
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from kit.tls import trusted
from tests.ingest.urls import http_url
from tests.running_stack import Stack

PROTOBUF = "application/x-protobuf"
_EXPORT = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"


def post(stack: Stack, content: bytes, content_type: str = PROTOBUF, **headers: str) -> httpx2.Response:
    """Posts a body with the key of tenant `demo`, unless `headers` have another `authorization`."""
    named = {"authorization": f"Bearer {stack.keys.ingest_key}", "content-type": content_type} | headers
    return httpx2.post(http_url(stack), content=content, headers=named, timeout=30, verify=trusted())


def call(endpoint: str, content: bytes, key: str | None) -> ExportLogsServiceResponse:
    """Makes one gRPC call. `endpoint` is `host:port`. Raises grpc.RpcError."""
    metadata = () if key is None else (("authorization", f"Bearer {key}"),)
    with grpc.insecure_channel(endpoint, options=[("grpc.max_send_message_length", -1)]) as channel:
        method: grpc.UnaryUnaryMultiCallable[bytes, ExportLogsServiceResponse] = channel.unary_unary(
            _EXPORT, response_deserializer=ExportLogsServiceResponse.FromString
        )
        return method(content, metadata=metadata, timeout=30)
