"""Commands that take a query.

A query that begins with a dash looks like an option, so the error explains how to pass it.
"""

# typer keeps click's classes in a private package and passes them to overridden methods.
from typer._click.core import Context
from typer._click.exceptions import NoSuchOption, UsageError
from typer.core import TyperArgument

from stack.cli.checked_command import CheckedCommand


class QueryCommand(CheckedCommand):
    """A command that says how to pass a query that begins with a dash, when such an option is unknown."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except NoSuchOption as error:
            if error.option_name.startswith("--"):
                raise
            query = next((each for each in given if each.startswith(error.option_name)), error.option_name)
            raise UsageError(
                f"No such option: {error.option_name}. A query that begins with a dash is given after --:"
                f" {' '.join([ctx.command_path, *self._arguments_before_query()])} -- {query!r}",
                ctx,
            ) from error

    def _arguments_before_query(self) -> list[str]:
        names = [each.name for each in self.params if isinstance(each, TyperArgument)]
        return [str(name).upper() for name in names[: names.index("query")]]
