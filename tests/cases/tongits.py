"""Golden cases of Tongits through the engine."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from envs.core.game import Array
from envs.core.layout import empty_vectors
from envs.tongits import GAME
from envs.tongits.cards import ACES, NUM_RANKS, cards_in, format_card, parse_card
from envs.tongits.legal import mark_melds
from envs.tongits.match import clear_hand, end_hand
from envs.tongits.moves import CARDS, MELD_IDS, parse_move
from envs.tongits.render import split_melds
from envs.tongits.scoring import knock_winner, settle, stock_winner
from envs.tongits.state import (
    CHALLENGED,
    DRAWING,
    ENDED,
    FOLDED,
    KNOCK_OVER,
    NO_ANSWER,
    NONE,
    NUM_SEATS,
    PLAYING,
    RESPONDING,
    STOCK_OUT,
    TONGITS,
)
from envs.tongits.values import hand_value

Case = dict[str, Any]
PHASES = {"DRAW": DRAWING, "PLAY": PLAYING, "RESPOND": RESPONDING, "OVER": ENDED}
ENDS = {"tongits": TONGITS, "stockout": STOCK_OUT, "knock": KNOCK_OVER}
ANSWERS = {"CHALLENGE": CHALLENGED, "FOLD": FOLDED}


def answer(case: Case) -> str | None:
    """None if the engine agrees with the case, else what it says."""
    actual = KINDS_OF_CASES[case["kind"]](case["in"])
    expected = case["out"]
    if case["kind"] == "deadwood":
        expected = {"value": expected["value"]}
    if case["kind"] == "flow":
        final = expected["final"]
        expected = {**expected, "final": {**final, "melds": same_order(final["melds"])}}
    return None if actual == expected else f"expected {expected}, got {actual}"


def set_of(cards: Iterable[str]) -> int:
    """A list of cards as a set."""
    return sum(1 << parse_card(card) for card in cards)


def list_of(cards: int) -> list[str]:
    """A set as a list of cards."""
    return [format_card(card) for card in cards_in(cards)]


def new_states(case: Case, **options: Any) -> Array:
    """A batch of one dealt game with the options of the case."""
    options = {**case.get("options", {}), **options}
    if isinstance(options.get("bonus_ranks"), list):
        options["bonus_ranks"] = "".join(options["bonus_ranks"]) or "none"
    return GAME.new_games(GAME.make_rules(**options), [1])


def lay_out(s: Any, position: Case) -> None:
    """Put a position on the table; every discard is taken to be that of seat 0."""
    clear_hand(s)
    s.phase, s.turn, s.dealer = PHASES[position["phase"]], position["player"], position["dealer"]
    for seat, hand in enumerate(position["hands"]):
        s.hands[seat], s.sizes[seat] = set_of(hand), len(hand)
        s.blocked[seat] = position["sapawed"][seat]
        s.answers[seat] = ANSWERS.get(position["responses"].get(str(seat)), NO_ANSWER)
    for name, cards in (("stock", position["stock"][::-1]), ("pile", position["discard"])):
        getattr(s, name)[: len(cards)] = [parse_card(card) for card in cards]
    s.stock_size, s.pile_size = len(position["stock"]), len(position["discard"])
    s.discards[0] = set_of(position["discard"])
    s.top = parse_card(position["discard"][-1]) if position["discard"] else NONE
    s.knocker = NONE if position["knocker"] is None else position["knocker"]
    expose_all(s, position["melds"])


def expose_all(s: Any, melds: list[Case]) -> None:
    """Put melds on the table."""
    for meld in melds:
        cards = set_of(meld["cards"])
        s.melds[meld["owner"]] |= cards
        if len({card[0] for card in meld["cards"]}) == 1:
            s.sets |= cards


def table_of(case: Case) -> Array:
    """A batch of one game in the position or deal of the case."""
    states = new_states(case)
    if "deal" in case:
        deal = case["deal"]
        hands = [" ".join(hand) for hand in deal["hands"]]
        stock = " ".join(deal["stock"])
        GAME.write_deal(states[0], {"hands": hands, "stock": stock, "dealer": deal["dealer"]})
    else:
        lay_out(states[0], case["state"])
    return states


def legal_texts(states: Array) -> list[str]:
    """All legal actions in notation, by id."""
    return [GAME.format_action(states[0], int(a)) for a in np.flatnonzero(GAME.masks(states)[0])]


def melds(case: Case) -> Any:
    """All melds inside a hand."""
    mask = np.zeros(GAME.num_actions, np.int8)
    mark_melds(set_of(case["hand"]), 0, mask)
    return {"melds": [list_of(int(CARDS[action])) for action in np.flatnonzero(mask)]}


def deadwood(case: Case) -> Any:
    """The value of a hand."""
    return {"value": hand_value(set_of(case["hand"]))}


def layoffs(case: Case) -> Any:
    """Where the cards of a hand may be laid off: card, place, and which of the melds grows."""
    states = new_states(case)
    s = states[0]
    clear_hand(s)
    s.phase, s.turn, s.hands[0], s.sizes[0] = PLAYING, 0, set_of(case["hand"]), len(case["hand"])
    expose_all(s, case["melds"])
    found = []
    for action in np.flatnonzero(GAME.masks(states)[0]):
        words = GAME.format_action(s, int(action)).split()
        if words[0] == "LAYOFF":
            after = states.copy()
            GAME.apply(after, np.array([action]))
            grown = (after[0].melds != s.melds).tolist().index(True)
            found.append([*words[1:], grown_meld(case["melds"], grown, *words[1:])])
    return {"layoffs": found}


def grown_meld(melds: list[Case], owner: int, card: str, place: str) -> int:
    """Position of the meld of a seat that takes in the card at that place."""
    index = parse_card(card)
    own = 1 << index
    beside = {"SET": ACES << index % NUM_RANKS, "HIGH": own >> 1, "LOW": own << 1}
    return next(
        number
        for number, meld in enumerate(melds)
        if meld["owner"] == owner
        and set_of(meld["cards"]) & beside[place]
        and set_of([*meld["cards"], card]) in MELD_IDS
    )


def legal(case: Case) -> Any:
    """The legal actions of a position."""
    return {"legal": legal_texts(table_of(case))}


def showdown(case: Case) -> Any:
    """Hand values and the winner when hands are compared."""
    s = new_states(case)[0]
    for seat, hand in enumerate(case["hands"]):
        s.hands[seat] = set_of(hand)
    totals = [hand_value(int(hand)) for hand in s.hands]
    if case["end"] == "stockout":
        register(s, case["registered"])
        return {"totals": totals, "winner": int(stock_winner(s, case["last_drawer"]))}
    put_knock(s, case)
    return {"totals": totals, "winner": int(knock_winner(s))}


def register(s: Any, registered: list[bool]) -> None:
    """Give the seats a meld that brings nothing, where they have to own one."""
    for seat, owns_meld in enumerate(registered):
        s.melds[seat] = set_of(["2S", "3S", "4S"]) if owns_meld else 0


def put_knock(s: Any, case: Case) -> None:
    """Let the knocker of the case have knocked, and the challengers have challenged."""
    s.knocker = case["knocker"]
    for seat in range(NUM_SEATS):
        s.answers[seat] = CHALLENGED if seat in case["challengers"] else FOLDED


def score(case: Case) -> Any:
    """The payoffs of a finished hand."""
    s = new_states(case)[0]
    register(s, case["registered"])
    s.hands[case["winner"]] = set_of(case["winner_hand"])
    for meld in case.get("winner_melds", []):
        s.melds[case["winner"]] |= set_of(meld)
    if "knocker" in case:
        put_knock(s, case)
    settle(s, case["winner"], ENDS[case["end"]])
    return {"payoffs": s.payoffs.tolist()}


def flow(case: Case) -> Any:
    """Play a script on from a deal or a position."""
    states = table_of(case)
    wanted = case.get("legal_after", [])
    legal_after = {"0": legal_texts(states)} if 0 in wanted else {}
    for number, step in enumerate(case["script"], 1):
        seat, text = step.split(" ", 1)
        if states[0].turn != int(seat) or text not in legal_texts(states):
            raise ValueError(f"step {number}, {step!r}, is not legal")
        GAME.apply(states, np.array(GAME.parse_play(states[0], text)))
        if number in wanted:
            legal_after[str(number)] = legal_texts(states)
    return {"final": final_of(states[0]), "legal_after": legal_after}


def final_of(s: Any) -> Case:
    """The position that a script led to."""
    names = {phase: name for name, phase in PHASES.items()}
    found: Case = {
        "phase": names[int(s.phase)],
        "hand_counts": s.sizes.tolist(),
        "stock": int(s.stock_size),
        "discard": [format_card(card) for card in s.pile[: s.pile_size]],
        "melds": melds_of(s),
    }
    if s.phase != ENDED:
        return {**found, "player": int(s.turn)}
    return {
        **found,
        "end": {end: name for name, end in ENDS.items()}[int(s.outcome)],
        "winner": int(s.winner),
        "totals": [hand_value(int(hand)) for hand in s.hands],
        "payoffs": s.payoffs.tolist(),
    }


def melds_of(s: Any) -> list[tuple[int, list[str]]]:
    """The exposed melds by owner; which was laid first is not kept."""
    return [
        (seat, list_of(meld))
        for seat in range(NUM_SEATS)
        for meld in split_melds(int(s.melds[seat]), int(s.sets))
    ]


def same_order(melds: list[Case]) -> list[tuple[int, list[str]]]:
    """The melds of a case, listed as `melds_of` does."""
    s = new_states({})[0]
    expose_all(s, melds)
    return melds_of(s)


def match(case: Case) -> Any:
    """Dealers, rewards of each hand and scores of a match with these winners."""
    options = {"num_hands": len(case["winners"]), "first_dealer": case["first_dealer"]}
    s = new_states(case, **options)[0]
    dealers, rewards = [], []
    for winner, payoffs in zip(case["winners"], case["hand_payoffs"], strict=True):
        dealers.append(int(s.dealer))
        before = s.scores.copy()
        s.payoffs[:] = payoffs
        end_hand(s, winner)
        rewards.append((s.scores - before).tolist())
    return {"dealers": dealers, "rewards": rewards, "scores": s.scores.tolist()}


def hidden(case: Case) -> Any:
    """Whether a seat sees the same in two positions, the mask included where it is to act."""
    seen = []
    for name in ("state_a", "state_b"):
        states = table_of({**case, "state": case[name]})
        observations = empty_vectors(1, GAME.layout(GAME.make_rules()))
        GAME.observe(states, np.array([case["observer"]]), observations)
        mask = GAME.masks(states)[0] * (states[0].turn == case["observer"])
        seen.append(observations.tobytes() + mask.tobytes())
    return {"same_observation": seen[0] == seen[1]}


def index(case: Case) -> Any:
    """The id of an action."""
    return {"id": parse_move(case["action"], taken=case["action"].startswith("TAKE"))}


KINDS_OF_CASES = {
    function.__name__: function
    for function in (
        melds, deadwood, layoffs, legal, showdown, score, flow, match, hidden, index,
    )
}  # fmt: skip
