"""Commands whose errors about wrong values are sentences, instead of pydantic's texts."""

from pydantic import ValidationError

# typer keeps click's classes in a private package and passes them to overridden methods.
from typer._click.core import Context
from typer._click.exceptions import BadParameter
from typer.core import TyperCommand

from stack.cli.wrong_value import wrong_option


class CheckedCommand(TyperCommand):
    """A command that names a refused value and what is allowed."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Raises BadParameter for a value that the command does not take."""
        try:
            return super().parse_args(ctx, args)
        except BadParameter as error:
            if isinstance(error.__cause__, ValidationError):
                error.message = wrong_option(error.__cause__.errors()[0])
            raise
