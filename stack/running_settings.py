"""Settings of commands that use a stack which already runs."""

from kit.settings import Settings
from stack.launch import running_state
from stack.state import StackState


def running_settings(settings: Settings) -> Settings:
    """Returns the settings with the ports, the address and the certificate of the stack that runs for this home.

    The settings stay unchanged if an offset is set explicitly, or if no stack runs.
    """
    if "port_offset" in settings.model_fields_set:
        return settings
    state = running_state(settings)
    return settings if state is None else settings_of(state, settings)


def settings_of(state: StackState, settings: Settings) -> Settings:
    """Returns the settings with the ports, the address and the certificate of a running stack, also if others are set
    explicitly."""
    own: dict[str, object] = {"port_offset": state.port_offset}
    if state.bind_host is not None:
        own |= {"bind_host": state.bind_host, "tls_cert_file": state.tls_cert_file}
    return settings.model_copy(update=own)
