"""URLs of a stack's receiver, from the settings of its processes."""

from tests.running_stack import Stack


def http_url(stack: Stack) -> str:
    """Returns the URL of OTLP over HTTP."""
    settings = stack.settings
    return f"http://{settings.bind_host}:{settings.port(settings.otlp_http_port)}/v1/logs"


def grpc_endpoint(stack: Stack) -> str:
    """Returns the host:port of OTLP over gRPC."""
    settings = stack.settings
    return f"{settings.bind_host}:{settings.port(settings.otlp_grpc_port)}"
