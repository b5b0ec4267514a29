"""Addresses of a stack's receiver."""

from tests.running_stack import Stack


def http_url(stack: Stack) -> str:
    """Returns the URL of the receiver's OTLP over HTTP."""
    settings = stack.settings
    return f"http://{settings.bind_host}:{settings.port(settings.otlp_http_port)}/v1/logs"


def grpc_endpoint(stack: Stack) -> str:
    """Returns the receiver's address for OTLP over gRPC as `host:port`."""
    settings = stack.settings
    return f"{settings.bind_host}:{settings.port(settings.otlp_grpc_port)}"
