"""Settings of commands that use a stack which already runs."""

from kit.settings import Settings
from stack.launch import running_state
from stack.state import StackState


def running_settings(settings: Settings) -> Settings:
    """Returns the settings with the ports of the stack that runs for this home.

    The settings stay unchanged if an offset is set explicitly, or if no stack runs.
    """
    if "port_offset" in settings.model_fields_set:
        return settings
    state = running_state(settings)
    return settings if state is None else settings_of(state, settings)


def settings_of(state: StackState, settings: Settings) -> Settings:
    """Returns the settings with the ports of a running stack, also if another offset is set explicitly."""
    return settings.model_copy(update={"port_offset": state.port_offset})
