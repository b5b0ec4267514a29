import asyncio
from pathlib import Path

from sqlalchemy import delete, insert, update

from kit.settings import Settings
from schema.attribute_rules import NAME_CHARACTERS, NO_RULES, Action, Rule, folded
from schema.control.attribute_rules import EMPTY, RuleBook, read_rules
from schema.control.database import opened
from schema.control.models import AttributeRule, TenantRow

SECRET = Rule("secret", False, Action.mask)
INTERNAL = Rule("internal.", True, Action.drop)


def test_folding_cuts_only_what_is_longer_than_any_rule() -> None:
    assert folded("HTTP.Straße") == "http.strasse"
    assert folded("N" * NAME_CHARACTERS) == "n" * NAME_CHARACTERS
    assert len(folded("N" * 1_000_000)) == NAME_CHARACTERS + 1


def test_tenants_have_the_installations_rules_and_their_own() -> None:
    book = RuleBook.of({None: (SECRET,), 1: (INTERNAL,)})
    assert (book.rules(1).installation, book.rules(1).own) == ((SECRET,), (INTERNAL,))
    assert (book.rules(2).installation, book.rules(2).own) == ((SECRET,), ())
    assert book.rules(2) is book.rules(3)
    assert EMPTY.rules(1) is NO_RULES


def test_rules_are_the_same_object_until_one_changes(control_home: Path) -> None:
    settings = Settings(home=control_home)

    async def reads() -> None:
        async with opened(settings.control_plane_url) as engine, engine.begin() as connection:
            tenant = {"id": 5, "name": "acme", "lane": 0, "body_max_bytes": 1, "created_at_ns": 0}
            await connection.execute(insert(TenantRow).values(tenant))
            assert await read_rules(connection, EMPTY) is EMPTY

            row = {"pattern": "secret", "is_prefix": False, "action": "mask", "created_at_ns": 0}
            await connection.execute(insert(AttributeRule).values(row))
            await connection.execute(
                insert(AttributeRule).values(row | {"tenant_id": 5, "pattern": "internal.", "is_prefix": True})
            )
            await connection.execute(update(AttributeRule).where(AttributeRule.is_prefix).values(action="drop"))
            first = await read_rules(connection, EMPTY)
            assert (first.rules(5).installation, first.rules(5).own) == ((SECRET,), (INTERNAL,))
            assert await read_rules(connection, first) is first

            await connection.execute(update(AttributeRule).where(AttributeRule.is_prefix).values(action="mask"))
            second = await read_rules(connection, first)
            assert second.rules(5).own == (Rule("internal.", True, Action.mask),)

            await connection.execute(delete(AttributeRule))
            assert (await read_rules(connection, second)).rules(5) is NO_RULES

    asyncio.run(reads())


def test_an_action_of_a_later_version_drops(control_home: Path) -> None:
    settings = Settings(home=control_home)

    async def read() -> RuleBook:
        async with opened(settings.control_plane_url) as engine, engine.begin() as connection:
            row = {"pattern": "secret", "is_prefix": False, "action": "encrypt", "created_at_ns": 0}
            await connection.execute(insert(AttributeRule).values(row))
            return await read_rules(connection, EMPTY)

    assert asyncio.run(read()).rules(1).installation == (Rule("secret", False, Action.drop),)
