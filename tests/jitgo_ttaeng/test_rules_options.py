"""Section 2 of the rules: options, and what is refused."""

import pytest

from envs.core.errors import RulesError
from envs.core.rules import parse_option
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.rules import NO_LIMIT, JitgoTtaengRules, option_record


def test_2_defaults_by_mode() -> None:
    betting, banker = (option_record(GAME.make_rules(mode=mode)) for mode in ("betting", "banker"))
    assert (betting.num_players, betting.gwang, betting.seotda, betting.special) == (4, 1, 1, 0)
    assert (banker.num_players, banker.gwang, banker.seotda, banker.special) == (5, 0, 0, 0)


def test_2_hand_sets_are_shorthands_that_flags_may_change() -> None:
    for name, flags in {"classic": (0, 0, 0), "modern": (1, 1, 0), "full": (1, 1, 1)}.items():
        options = option_record(GAME.make_rules(hand_set=name))
        assert (options.gwang, options.seotda, options.special) == flags
    options = option_record(GAME.make_rules(hand_set="full", gwang=False))
    assert (options.gwang, options.seotda, options.special) == (0, 1, 1)


def test_2_numbers_in_the_record() -> None:
    options = option_record(GAME.make_rules(bet_cap=None, max_raises=None, deal_schedule="1+3+1"))
    assert (options.bet_cap, options.max_raises) == (NO_LIMIT, NO_LIMIT)
    assert options.deal_schedule == 1 + (3 << 3) + (1 << 6)
    assert option_record(GAME.make_rules(mode="banker", win_multiple=2.5)).win_multiple == 250


def test_2_options_as_text() -> None:
    texts = ["bet_cap=25", "bet_cap=pot", "bet_cap=none", "win_multiple=2.5", "first_sun=random"]
    values = [parse_option(JitgoTtaengRules, text)[1] for text in texts]
    assert values == [25, "pot", None, 2.5, "random"]


@pytest.mark.parametrize("name", ["redeal_betting", "reward_unit"])
def test_2_what_is_not_offered_is_refused_by_name(name: str) -> None:
    with pytest.raises(RulesError, match=f"{name} is not offered"):
        GAME.make_rules(**{name: 1})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_players": 5}, "num_players must be 2 to 4 with 20 cards"),
        ({"num_players": 9, "deck": 40}, "num_players must be 2 to 8"),
        ({"num_players": 9, "mode": "banker"}, "num_players must be 2 to 8"),
        ({"num_players": 1}, "num_players"),
        ({"bet_cap": 5}, "bet_cap must be 10 to"),
        ({"bet_cap": 50, "structure": "limit"}, "every bet is min_bet"),
        ({"ante": 1000}, "start_stack must be more than ante"),
        ({"mode": "banker", "min_stake": 5}, "min_stake must be min_bet to start_stack"),
        ({"mode": "banker", "min_stake": 2000}, "min_stake must be min_bet to start_stack"),
        ({"mode": "banker", "max_hands": 3}, "the mode is 'banker'"),
        ({"voluntary_pass": True}, "the mode is 'betting'"),
        ({"max_redeals": 0}, "special hands are off"),
        ({"deal_schedule": "2+2"}, "deal_schedule must be"),
        ({"deal_schedule": "5+"}, "deal_schedule must be"),
        ({"first_sun": 4}, "first_sun must be 0 to 3 or 'random'"),
        ({"mode": "banker", "win_multiple": 0}, "win_multiple must be"),
        ({"mode": "banker", "win_multiple": 0.001}, "win_multiple must be"),
        ({"start_stack": 10_000_000}, "start_stack must be 1 to 1000000"),
        ({"deck": 48}, "deck must be one of 20, 40"),
        ({"max_raises": -1}, "max_raises must be 0"),
    ],
)
def test_2_contradictions_are_errors(options: dict[str, object], words: str) -> None:
    with pytest.raises(RulesError, match=words):
        GAME.make_rules(**options)
