"""Agents that improve on an adviser: what they compare, what their networks read, what they do."""

import numpy as np
import pytest

from agents.base import Agent
from agents.comparing import Comparer, ComparingAgent
from agents.network import ADVISER_KEY, Network
from envs.core.errors import AgentError
from envs.core.game import NO_ACTION, Array
from envs.core.rng import spawn_seeds
from eval.match import play_deals
from tests.conformance.play import look
from tests.toy_game import FOLD, GAME, NUM_CARDS, RAISE, STAKE, ToyRules
from tests.toy_players import ToyBase, ToyFeatures, seat_toy_players, worth_of

RULES = ToyRules(players=2)
REACH = 1.0
"""Out of it is the lowest stake."""
WORTH, STAKED, MORE_WORTH, MORE_STAKED, HOLDS, PLAYERS = range(6)
"""Columns of what the network reads; then 1 for the kind, and for that of the advised action."""
NUM_INPUTS = 12


@pytest.fixture(autouse=True)
def toy_players(monkeypatch: pytest.MonkeyPatch) -> None:
    seat_toy_players(monkeypatch)


def make_comparer(reach: float = REACH) -> Comparer:
    return Comparer(GAME, RULES, "rule", reach)


def questions() -> tuple[Array, Array]:
    """Observations and masks with each of the cards, before a raise and before its stake."""
    states = GAME.new_games(RULES, range(2 * NUM_CARDS))
    states["cards"][:, 0] = np.repeat(np.arange(NUM_CARDS), 2)
    states["cards"][:, 1] = (states["cards"][:, 0] + 1) % NUM_CARDS
    GAME.apply(states, np.array([NO_ACTION, RAISE] * NUM_CARDS))
    return look(GAME, RULES, states, states["turn"].copy()), GAME.masks(states)


def linear(bias: float, **weights: float) -> Network:
    """A network that adds up columns, each named in lower case."""
    column = np.zeros((NUM_INPUTS, 1), np.float32)
    for name, weight in weights.items():
        column[globals()[name.upper()]] = weight
    return Network([column], [np.full(1, bias, np.float32)])


def act(agent: Agent, observations: Array, masks: Array) -> list[int]:
    rows = np.arange(len(masks))
    return agent.act(observations, masks, keys=7 + rows, tables=rows).tolist()  # type: ignore[no-any-return]


def advice(card: int, is_begun: bool) -> int:
    """What `ToyBase` would do."""
    return STAKE + 2 if is_begun else RAISE if card < 4 else FOLD


QUESTIONS = [(card, is_begun) for card in range(NUM_CARDS) for is_begun in (False, True)]
"""Those of `questions`."""


def others(card: int, is_begun: bool, reach: float) -> list[int]:
    """Other actions within reach."""
    allowed = [STAKE, STAKE + 1, STAKE + 2] if is_begun else [FOLD, RAISE]
    worth = {action: worth_of(card, action) for action in allowed}
    own = advice(card, is_begun)
    return [one for one in allowed if one != own and worth[own] - worth[one] <= reach]


@pytest.mark.parametrize("reach", [0.0, 0.25, 0.5, 1.75, 2.0])
def test_the_other_allowed_actions_within_reach_are_compared(reach: float) -> None:
    observations, masks = questions()
    comparer = make_comparer(reach)
    advised = comparer.advise(observations, masks)
    assert advised.tolist() == [advice(*question) for question in QUESTIONS]
    found = comparer.compare(observations, masks, advised)
    expected = [
        (row, action)
        for row, question in enumerate(QUESTIONS)
        for action in others(*question, reach)
    ]
    assert list(zip(found.rows.tolist(), found.actions.tolist(), strict=True)) == expected
    assert len(expected) == {0.0: 0, 0.25: 0, 0.5: 15, 1.75: 16, 2.0: 24}[reach]
    for n, (row, action) in enumerate(expected):
        assert found.features[n].tolist() == features_of(row, action)
    for row, (card, _) in enumerate(QUESTIONS):
        assert found.advised_features[row].tolist() == features_of(row, int(advised[row]))
        assert found.contexts[row].tolist() == [card / 8, 2]
    assert found.advised.tolist() == advised.tolist()
    assert {array.dtype for array in found} == {np.dtype(np.int64), np.dtype(np.float32)}


def features_of(row: int, action: int) -> list[float]:
    return [worth_of(QUESTIONS[row][0], action), max(action - STAKE + 1, 0)]


def test_another_action_than_the_advisers_may_be_the_advised_one() -> None:
    observations, masks = questions()
    found = make_comparer().compare(observations[:2], masks[:2], np.array([FOLD, STAKE + 1]))
    assert found.actions.tolist() == [RAISE, STAKE + 2]  # those worth more are within any reach
    assert found.advised_features.tolist() == [[0.5, 0], [0.5, 2]]


def test_what_a_network_reads() -> None:
    observations, masks = questions()
    comparer = make_comparer(2.0)
    found = comparer.compare(observations, masks, comparer.advise(observations, masks))
    inputs = comparer.inputs(found)
    assert inputs.dtype == np.float32
    assert inputs.shape == (len(found.rows), NUM_INPUTS)
    assert (comparer.num_features, comparer.num_context) == (2, 2)
    assert comparer.num_inputs == NUM_INPUTS
    for n, (row, action) in enumerate(
        zip(found.rows.tolist(), found.actions.tolist(), strict=True)
    ):
        card, is_begun = QUESTIONS[row]
        own, against = features_of(row, action), features_of(row, advice(card, is_begun))
        kinds = [0.0] * 6
        kinds[ToyFeatures.KINDS[action]] = 1
        kinds[3 + ToyFeatures.KINDS[advice(card, is_begun)]] = 1
        more = [one - other for one, other in zip(own, against, strict=True)]
        assert inputs[n].tolist() == [*own, *more, card / 8, 2, *kinds]


@pytest.mark.parametrize(
    ("reach", "margin", "stake"),
    [
        (2.0, 0.0, STAKE),
        (2.0, 0.49, STAKE),
        (2.0, 0.5, STAKE + 2),  # a lead of just the margin is not enough
        (1.0, 0.0, STAKE + 1),  # STAKE is out of reach
        (1.0, 0.3, STAKE + 2),
        (0.0, 0.0, STAKE + 2),
    ],
)
def test_the_largest_lead_above_the_margin_is_taken(
    reach: float, margin: float, stake: int
) -> None:
    # Leads of 1/2 and 1/4 for stakes of 1 and 2 in place of 3; none for the fold or the raise.
    agent = ComparingAgent(make_comparer(reach), linear(0, more_staked=-0.25), margin)
    assert isinstance(agent, Agent)
    expected = [stake if is_begun else advice(card, is_begun) for card, is_begun in QUESTIONS]
    assert act(agent, *questions()) == expected


def test_a_lead_may_depend_on_the_position() -> None:
    agent = ComparingAgent(make_comparer(), linear(-0.6, holds=1), 0.2)
    above = [card / 8 - 0.6 > 0.2 for card, _ in QUESTIONS]  # that of 7 alone
    found = act(agent, *questions())
    for action, question, is_above in zip(found, QUESTIONS, above, strict=True):
        [other] = others(*question, REACH)
        assert action == (other if is_above else advice(*question))
    assert sum(above) == 2


def test_a_row_does_not_depend_on_the_others() -> None:
    agent = ComparingAgent(make_comparer(2.0), linear(-0.5, more_staked=-0.25, holds=1), 0.1)
    observations, masks = questions()
    together = act(agent, observations, masks)
    base = [advice(*question) for question in QUESTIONS]
    assert 0 < sum(one != other for one, other in zip(together, base, strict=True)) < len(base)
    for row, action in enumerate(together):
        assert act(agent, observations[row : row + 1], masks[row : row + 1]) == [action]
    order = np.random.default_rng(3).permutation(len(base))
    assert act(agent, observations[order], masks[order]) == [together[row] for row in order]


class Asked(ToyBase):
    """Notes the keys and tables it is asked with."""

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        self.asked = [*keys.tolist(), *tables.tolist()]
        return super().act(observations, masks, keys=keys, tables=tables)


def test_the_adviser_is_always_asked_with_the_same_key() -> None:
    comparer = make_comparer()
    comparer.adviser = asked = Asked(GAME, RULES)
    act(ComparingAgent(comparer, linear(0), 0), *questions())
    assert asked.asked == [ADVISER_KEY] * 32


def test_decisions_without_a_choice_are_followed() -> None:
    observations, masks = questions()
    only = np.array([advice(*question) for question in QUESTIONS])
    forced = np.zeros_like(masks)
    forced[np.arange(len(only)), only] = 1
    agent = ComparingAgent(make_comparer(2.0), linear(1), 0)
    assert act(agent, observations, forced) == only.tolist()
    forced[3] = masks[3]  # one among them where there is a choice
    assert act(agent, observations, forced) == [*only[:3], STAKE, *only[4:]]


def test_no_rows_at_all() -> None:
    observations, masks = questions()
    agent = ComparingAgent(make_comparer(), linear(1), 0)
    assert act(agent, observations[:0], masks[:0]) == []


def test_what_is_advised_stays_as_it_was() -> None:
    observations, masks = questions()
    advised = make_comparer().advise(observations, masks)
    before = advised.copy()
    improved = ComparingAgent(make_comparer(), linear(1), 0).improve(observations, masks, advised)
    assert (improved != before).all()
    assert np.array_equal(advised, before)


def test_it_plays_whole_games() -> None:
    agent = ComparingAgent(make_comparer(), linear(-0.3, holds=1), 0)
    outcome = play_deals(GAME, RULES, [agent, ToyBase(GAME, RULES)], spawn_seeds(2, 30))
    assert outcome.fouls == []
    assert outcome.differences().any()


def test_an_adviser_must_be_one_that_comes_along() -> None:
    with pytest.raises(AgentError, match="no agent of toy 'nobody'"):
        Comparer(GAME, RULES, "nobody", 1.0)


def test_a_game_without_features_has_nothing_to_compare_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    sentence = "^toy has no features of actions to judge them by$"
    with pytest.raises(AgentError, match=sentence):
        Comparer(GAME, RULES, "random", 1.0)
