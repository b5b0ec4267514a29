"""Values of a statement by name, so that no user text ever becomes SQL."""

Parameter = str | int | float

_TYPES: dict[type, str] = {str: "String", int: "UInt32", float: "Float64"}


class Parameters:
    """Collects values and hands out their placeholders; the same value has one name."""

    def __init__(self) -> None:
        self._names: dict[tuple[type, Parameter], str] = {}

    def add(self, value: Parameter) -> str:
        """The placeholder of a value, `{p0:String}`; integers are 0 to 2**32 - 1."""
        name = self._names.setdefault((type(value), value), f"p{len(self._names)}")
        return f"{{{name}:{_TYPES[type(value)]}}}"

    def collected(self) -> dict[str, Parameter]:
        """The values by name."""
        return {name: value for (_, value), name in self._names.items()}
