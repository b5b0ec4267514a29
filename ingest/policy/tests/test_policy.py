import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.policy.apply import Policy
from ingest.policy.prepared import PreparedPolicies
from ingest.policy.tests.definition import action_of
from schema.attribute_rules import NAME_CHARACTERS, NO_RULES, Action, Rule, TenantRules

DROP, MASK = Action.drop, Action.mask


def name(pattern: str, action: Action) -> Rule:
    return Rule(pattern, False, action)


def prefix(pattern: str, action: Action) -> Rule:
    return Rule(pattern, True, action)


def test_an_exact_name_wins_over_a_prefix_and_a_longer_prefix_over_a_shorter() -> None:
    policy = Policy(
        TenantRules((prefix("a.", DROP), prefix("a.b.", MASK), name("a.b.c", DROP), name("a.d", MASK), name("z", MASK)))
    )
    assert {
        each: policy.action(each) for each in ("a", "a.", "a.x", "a.b.", "a.b.x", "a.b.c", "a.b.cc", "a.d", "z", "zz")
    } == {
        "a": None,
        "a.": DROP,
        "a.x": DROP,
        "a.b.": MASK,
        "a.b.x": MASK,
        "a.b.c": DROP,
        "a.b.cc": MASK,
        "a.d": MASK,
        "z": MASK,
        "zz": None,
    }


def test_the_tenants_rule_wins_on_the_same_name_only() -> None:
    installation = (name("secret", DROP), prefix("app.", DROP), name("token", DROP))
    own = (name("secret", MASK), prefix("app.", MASK), prefix("to", MASK))
    policy = Policy(TenantRules(installation, own))
    assert [policy.action(each) for each in ("secret", "app.x", "token", "tool")] == [MASK, MASK, DROP, MASK]


@pytest.mark.parametrize("spelled", ["authorization", "Authorization", "AUTHORIZATION", "aUTHORIZATION"])
def test_case_does_not_matter(spelled: str) -> None:
    policy = Policy(TenantRules((name("authorization", MASK), prefix("x-straße", DROP))))
    assert policy.action(spelled) is MASK
    assert policy.action("X-STRASSE-1") is None
    assert Policy(TenantRules((prefix("x-strasse", DROP),))).action("X-Straße-1") is DROP


def test_long_names_are_matched_by_prefix_and_never_by_their_beginning() -> None:
    longest = "n" * NAME_CHARACTERS
    policy = Policy(TenantRules((name(longest, MASK), prefix("p" * NAME_CHARACTERS, DROP))))
    assert policy.action(longest.upper()) is MASK
    assert policy.action(longest + "n") is None
    assert policy.action("p" * 1_000_000) is DROP


def test_policies_are_prepared_once_and_forgotten_with_their_rules() -> None:
    prepared = PreparedPolicies()
    rules = TenantRules((name("a", DROP),))
    assert prepared.policy(rules) is prepared.policy(rules)
    assert prepared.policy(TenantRules((name("a", MASK),))) is not prepared.policy(rules)
    assert prepared.policy(NO_RULES) is None
    assert set(prepared._policies) == {rules, NO_RULES}


PATTERNS = st.text("ab.ß", min_size=1, max_size=5).map(str.casefold)
RULES = st.lists(st.builds(Rule, PATTERNS, st.booleans(), st.sampled_from(Action)), max_size=12).map(tuple)
NAMES = st.text("abAB.ßS", max_size=7)


@given(RULES, RULES, st.lists(NAMES, max_size=30))
def test_the_structure_decides_as_the_definition_says(
    installation: tuple[Rule, ...], own: tuple[Rule, ...], names: list[str]
) -> None:
    rules = TenantRules(installation, own)
    policy = Policy(rules)
    assert [policy.action(each) for each in names] == [action_of(rules, each) for each in names]
