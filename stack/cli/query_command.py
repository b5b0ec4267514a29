"""The commands that take a query: one that begins with a dash looks like an option, and the error says what to do."""

# typer has click's classes in a private package of its own, and hands them to overridden methods.
from typer._click.core import Context
from typer._click.exceptions import NoSuchOption, UsageError
from typer.core import TyperCommand


class QueryCommand(TyperCommand):
    """A command whose unknown one-dash options may be a query that was meant to exclude a word."""

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
                f" {ctx.command_path} -- {query!r}",
                ctx,
            ) from error
