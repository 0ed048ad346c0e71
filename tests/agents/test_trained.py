"""The trained weights that come along: sound, small, and stronger than the rule-based agent."""

from pathlib import Path

import numpy as np
import pytest

import envs
from agents.policy import WEIGHTS, load_agent, load_card
from agents.roster import make_agent
from envs.core.cli import read_rules
from envs.core.rng import spawn_seeds
from eval.match import play_deals

FILES = sorted(WEIGHTS.glob("*/*.npz"))
MEGABYTE = 1_000_000


def names(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


@pytest.mark.parametrize("path", FILES, ids=names)
def test_weights_are_small_and_their_card_says_that_they_beat_the_rule_based_agent(
    path: Path,
) -> None:
    card = load_card(path)
    assert card.game == path.parent.name
    assert path.stat().st_size <= 4 * MEGABYTE
    [against_rule] = [result for result in card.results if result["opponent"] == "rule"]
    assert against_rule["deals"] >= 2_000
    assert against_rule["mean_diff_ci"][0] > 0


@pytest.mark.parametrize("path", FILES, ids=names)
def test_weights_play_every_variant_that_they_were_trained_on(path: Path) -> None:
    card = load_card(path)
    game = envs.load_game(card.game)
    for words in card.trained_on:
        rules = read_rules(game, words.split())
        agent, other = load_agent(path, game, rules), make_agent("random", game, rules)
        outcome = play_deals(game, rules, [agent, other], spawn_seeds(1, 8))
        assert outcome.fouls == []
        assert outcome.differences().mean() > 0


@pytest.mark.parametrize("path", FILES, ids=names)
def test_trained_is_the_agent_of_the_weights_that_fit(path: Path) -> None:
    card = load_card(path)
    game = envs.load_game(card.game)
    rules = read_rules(game, card.trained_on[0].split())
    trained, loaded = make_agent("trained", game, rules), load_agent(path, game, rules)
    outcome = play_deals(game, rules, [trained, loaded], spawn_seeds(2, 8))
    assert not np.any(outcome.differences())
