"""The engine and the reference: the same questions, the same legal plays, the same scores."""

import random
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER
from envs.tichu import GAME
from envs.tichu.cards import CARD_NAMES
from envs.tichu.moves import (
    FLUSH,
    ID_CALL,
    ID_CARD,
    ID_DOG,
    ID_NO,
    ID_RANK,
    KIND,
    NO_MOVE,
    NO_SLOT,
    QUAD,
    Move,
)
from envs.tichu.rounds import seat_in_place
from envs.tichu.state import COLLECT, EXCHANGE, FOLLOW, INTERRUPT, LEAD, NUM_SEATS
from tests.cases.tichu import (
    CALL_WORDS,
    PHASE_WORDS,
    choices_of,
    combinations,
    put_cards,
    reading_of,
    text_of,
)
from tests.reference import tichu as reference
from tests.reference.test_tichu_reference import random_hand
from tests.reference.tichu import Action, Options, Round
from tests.reference.tichu_combinations import (
    ORDINARY,
    PACK,
    RANK,
    Play,
    all_plays,
    bombs_on,
    class_of,
    plays_on,
    straight_flush_cards,
    turn_plays,
    wished_plays,
)

SHORT = {"max_rounds": 2, "target_score": 150}
VARIANTS: dict[str, dict[str, Any]] = {
    **GAME.presets,
    "short match": SHORT,
    "short forced match": {**SHORT, "skip_forced": True, "next_dealer": "rotate"},
    "every play": {"bomb_window": "every_play", "tichu_window": "own_turn"},
    "before partner": {"tichu_window": "before_partner", "suit_choice": "always"},
    "public after plays": {"bomb_ask": "public", "bomb_window": "every_play"},
    "public forced": {"bomb_ask": "public", "skip_forced": True, "grand_tichu": False},
    "free collect": {"wish_binds_collect": False, "suit_pick": "lowest", "first_dealer": 0},
    "own turn": {"bomb_window": "own_turn_only", "dog_return": "skip_self"},
    "every suit forced": {"suit_choice": "always", "skip_forced": True, "dog_return": "skip_self"},
}
TURNS = (LEAD, FOLLOW, INTERRUPT, COLLECT)
CALL_SHARE, BOMB_SHARE, PASS_SHARE = 0.1, 0.1, 0.4
"""How often calls and bombs are taken up and seats pass, so that some bombs are left for later."""


def deal_bombs(chance: random.Random, dealer: int) -> dict[str, Any]:
    """A deal in which every hand holds about two bombs."""
    blocks = [list(ORDINARY[4 * rank : 4 * rank + 4]) for rank in range(13)]
    blocks += [list(ORDINARY[low : low + 17 : 4]) for low in range(len(ORDINARY) - 16)]
    hands: list[list[str]] = [[] for _ in range(NUM_SEATS)]
    rest = set(PACK)
    for k, block in enumerate(chance.sample(blocks, len(blocks))):
        hand = hands[k % NUM_SEATS]
        if rest.issuperset(block) and len(hand) < 9:
            hand += block
            rest -= set(block)
    others = chance.sample(sorted(rest), len(rest))
    for hand in hands:
        hand += [others.pop() for _ in range(14 - len(hand))]
        chance.shuffle(hand)
    return {
        "dealer": dealer,
        "first": [" ".join(hand[:8]) for hand in hands],
        "rest": [" ".join(hand[8:]) for hand in hands],
    }


def deck_of(deal: dict[str, Any]) -> list[str]:
    """The pack as it was drawn, the dealer first."""
    hands = [f"{a} {b}".split() for a, b in zip(deal["first"], deal["rest"], strict=True)]
    seats = reference.seats_from(deal["dealer"])
    return [hands[seat][k] for k in range(14) for seat in seats]


class Twin:
    """One game in the engine and in the reference, played with the same actions.

    `states` goes through forced decisions too, which the reference knows nothing about; with the
    option `skip_forced`, `shadow` is the game as the engine plays it, and must keep up.
    """

    def __init__(self, options: dict[str, Any], seed: int) -> None:
        self.rules = GAME.make_rules(**options)
        self.options = Options(**asdict(self.rules))
        self.states = GAME.new_games(replace(self.rules, skip_forced=False), [seed])
        self.chance = random.Random(seed)
        self.shadow = self.states.copy()
        self.shadow[0].rules.skip_forced = self.rules.skip_forced
        self.scores = list(self.options.start_scores)
        self.num_rounds = self.num_compared = 0
        self.start_round()

    @property
    def s(self) -> Any:
        return self.states[0]

    def start_round(self) -> None:
        """Take the deal of the engine, or lay out another one."""
        deal = GAME.read_deal(self.s)
        if self.chance.random() < 0.5:
            deal = deal_bombs(self.chance, deal["dealer"])
            GAME.write_deal(self.s, deal)
            GAME.write_deal(self.shadow[0], deal)
        self.dealer = deal["dealer"]
        self.table = Round.deal(self.options, deck_of(deal), self.dealer)

    def play_round(self, compared_share: float) -> bool:
        """Play to the end of the round; whether the game is over."""
        while (question := self.table.question) is not None:
            assert (self.s.turn, PHASE_WORDS[self.s.phase]) == question[:2]
            self.compare_public_facts()
            if self.s.phase in TURNS and self.chance.random() < compared_share:
                self.compare_choices()
            self.table.act(self.act())
        return self.end_round()

    def end_round(self) -> bool:
        s, opt, result = self.s, self.options, self.table.result
        assert result is not None
        self.num_rounds += 1
        self.scores = [a + b for a, b in zip(self.scores, result.round_points, strict=True)]
        assert s.round_points.tolist() == result.round_points
        assert s.team_scores.tolist() == self.scores
        lead = np.subtract(*self.scores) - np.subtract(*opt.start_scores)
        assert s.scores.tolist() == [lead, -lead] * 2
        over, _ = reference.match_status(self.scores, self.num_rounds, opt)
        assert (s.turn == OVER) == over
        if over:
            self.compare_shadow()
        else:
            assert s.dealer == reference.next_dealer(self.dealer, result.finish, opt)
            self.start_round()
        return over

    def compare_public_facts(self) -> None:
        s, table = self.s, self.table
        calls = {seat: CALL_WORDS[call] for seat, call in enumerate(s.calls.tolist()) if call}
        assert s.sizes.tolist() == [len(hand) for hand in table.hands]
        assert (s.wish or None, calls) == (table.wish, table.calls)
        assert s.points.tolist() == [reference.points(cards) for cards in table.won]
        places = [int(seat_in_place(s, place)) for place in range(1, s.num_out + 1)]
        assert places == table.finish
        assert (s.table == NO_MOVE) == (table.top is None)
        if table.top is not None:
            assert reading_of(int(s.table), int(s.value)) == str(table.top)
            assert (s.owner, s.passes) == (table.owner, table.passes)

    def compare_choices(self) -> None:
        """Each play, or class of plays that mean the same (12.3), has a single path."""
        assert self.table.question is not None
        seat, _, choices = self.table.question
        hand = self.table.hands[seat]
        always = self.options.suit_choice == "always"
        relevant = set(hand) if always else straight_flush_cards(hand)

        def class_or_word(choice: Action) -> object:
            return class_of(choice, relevant) if isinstance(choice, Play) else choice

        texts = choices_of(self.states)
        found = [class_or_word(Play.parse(text) if "=" in text else text) for text in texts]
        assert len(set(found)) == len(found)
        assert set(found) == {class_or_word(choice) for choice in choices}
        self.num_compared += 1

    def compare_shadow(self) -> None:
        """Whatever was forced, the game is where the engine skips to."""
        states = self.states.copy()
        states[0].rules.skip_forced = self.rules.skip_forced
        assert states.tobytes() == self.shadow.tobytes()

    def act(self) -> Action:
        """Take a random action, or a whole play; what it is for the reference."""
        before, begun = self.states.copy(), NO_MOVE
        action = self.take_random_action()
        if ID_DOG <= action < ID_RANK and before[0].phase in TURNS:
            begun = action
            while self.s.pending:
                self.take_random_action()
            return Play.parse(text_of(before[0], Move(begun, int(self.s.last_cards), NO_SLOT)))
        if action == ID_CALL:
            return "call"
        if before[0].phase in TURNS:
            return "pass" if before[0].phase == FOLLOW else "decline"
        allowed = np.flatnonzero(GAME.masks(before)[0]).tolist()
        return choices_of(before)[allowed.index(action)]

    def take_random_action(self) -> int:
        mask = GAME.masks(self.states)[0]
        action = self.choose(np.flatnonzero(mask).tolist())
        if mask.sum() > 1 or not self.rules.skip_forced:
            self.compare_shadow()
            GAME.apply(self.shadow, np.array([action]))
        GAME.apply(self.states, np.array([action]))
        return action

    def choose(self, actions: list[int]) -> int:
        bombs = [action for action in actions if KIND[action] in (QUAD, FLUSH)]
        if self.s.phase == EXCHANGE:  # the cards of bombs are kept
            hand = self.table.hands[int(self.s.turn)]
            kept = {c for play in all_plays(hand) if play.is_bomb for c in play.cards}
            bombs = [action for action in actions if CARD_NAMES[action - ID_CARD] in kept]
        others = [action for action in actions if action not in (ID_CALL, *bombs)]
        chosen = others
        if ID_CALL in actions and self.chance.random() < CALL_SHARE:
            chosen = [ID_CALL]
        elif bombs and self.chance.random() < BOMB_SHARE:
            chosen = bombs
        elif ID_NO in actions and self.chance.random() < PASS_SHARE:
            chosen = [ID_NO]
        return self.chance.choice(chosen or others or bombs or actions)


def play_games(variant: str, rounds: int = 0, positions: int = 0, share: float = 0.0) -> None:
    """Play so many rounds, and on until so many positions have been compared."""
    num_rounds = num_compared = seed = 0
    while num_rounds < rounds or num_compared < positions:
        twin, over = Twin(VARIANTS[variant], seed), False
        while not over and (num_rounds + twin.num_rounds < rounds or twin.num_compared < positions):
            over = twin.play_round(share)
        num_rounds, num_compared = num_rounds + twin.num_rounds, num_compared + twin.num_compared
        seed += 1


def compare_hands(num: int, suit_choice: str) -> None:
    """Random hands rich in combinations, in turn and out of turn, most of them under a wish."""
    chance = random.Random(num)
    for k in range(num):
        hand, other = random_hand(chance, chance.randint(4, 14)), random_hand(chance, 14)
        phase = chance.choice(["turn", "turn", "interrupt", "collect"])
        top = chance.choice(plays_on(other, None)).reading
        is_lead = top.kind == "dog" or (phase == "turn" and chance.random() < 0.3)
        if is_lead and phase != "turn":
            continue
        wish = chance.choice([None, *(RANK[card] for card in hand if card in ORDINARY)])
        case = {"options": {"suit_choice": suit_choice}}
        states = put_cards(case, list(hand), None if is_lead else str(top), phase)
        states[0].wish = wish or 0
        if phase == "turn":
            plays, may_pass = turn_plays(hand, None if is_lead else top, wish)
        else:
            plays = bombs_on(hand, top)
            wished = wished_plays(plays, wish) if phase == "collect" else []
            plays, may_pass = wished or plays, not wished
        relevant = set(hand) if suit_choice == "always" else straight_flush_cards(hand)
        found = [Play.parse(text_of(states[0], move)) for move in combinations(states)]
        classes = {class_of(play, relevant) for play in found}
        assert len(classes) == len(found), (k, hand, top, wish)
        assert classes == {class_of(play, relevant) for play in plays}, (k, hand, top, wish)
        assert GAME.masks(states)[0, ID_NO] == may_pass


@pytest.mark.parametrize("suit_choice", ["relevant", "always"])
def test_legal_plays_of_random_hands_agree(suit_choice: str) -> None:
    compare_hands(500, suit_choice)


@pytest.mark.slow
@pytest.mark.parametrize("suit_choice", ["relevant", "always"])
def test_legal_plays_of_many_random_hands_agree(suit_choice: str) -> None:
    compare_hands(10_000, suit_choice)


@pytest.mark.parametrize("variant", VARIANTS)
def test_questions_and_scores_agree(variant: str) -> None:
    play_games(variant, rounds=12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_legal_plays_agree(variant: str) -> None:
    play_games(variant, positions=70, share=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_questions_and_scores_agree_in_many_rounds(variant: str) -> None:
    play_games(variant, rounds=2000)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_legal_plays_agree_in_many_positions(variant: str) -> None:
    play_games(variant, positions=1300, share=0.5)
