"""Golden cases of Tichu through the engine.

They name cards, not classes of cards, so they run with `suit_choice` "always".
"""

from typing import Any

import numpy as np

from envs.core.game import OVER
from envs.tichu import GAME
from envs.tichu.cards import (
    CARD_NAMES,
    PACK,
    PHOENIX,
    RANK_CARDS,
    count_of,
    format_cards,
    parse_cards,
    points_of,
)
from envs.tichu.moves import (
    FULL_HOUSE,
    HIGH,
    ID_CALL,
    ID_CARD,
    ID_DOG,
    ID_NO,
    ID_PHOENIX,
    ID_RANK,
    KIND,
    KINDS,
    LOW,
    NEEDS,
    NO_MOVE,
    NO_SLOT,
    OTHER,
    RANK,
    SIZE,
    VALUE,
    Move,
)
from envs.tichu.render import GIFTS, move_of_path, path_of
from envs.tichu.rounds import clear_round, end_round, is_double_win, seat_in_place, settle
from envs.tichu.state import (
    COLLECT,
    EXCHANGE,
    FOLLOW,
    GRAND_CALL,
    INTERRUPT,
    LEAD,
    NUM_SEATS,
    SMALL,
)
from envs.tichu.tricks import PHOENIX_LED, go_on, open_window

Case = dict[str, Any]
PHASE_WORDS = (
    "grand", "tichu", "exchange", "lead", "follow", "wish", "interrupt", "collect", "gift",
    "round_end",
)  # fmt: skip
CALLS = {"small": SMALL, "grand": GRAND_CALL}
CALL_WORDS = {number: word for word, number in CALLS.items()}
SETS = ("readings", "beats", "plays", "choices")
"""Lists whose order means nothing."""


def answer(case: Case) -> str | None:
    """None if the engine agrees with the case, else what it says."""
    expected = case["expect"]
    actual = KINDS_OF_CASES[case["kind"]](case)
    actual = {key: actual.get(key) for key in expected}
    if all(_sorted(actual[key], key) == _sorted(expected[key], key) for key in expected):
        return None
    return f"expected {expected}, got {actual}"


def _sorted(value: Any, key: str) -> Any:
    return sorted(value) if key in SETS and value else value


def new_states(case: Case, **options: Any) -> Any:
    """A batch of one dealt game with the options of the case."""
    rules = GAME.make_rules(**{"suit_choice": "always"} | case.get("options", {}) | options)
    return GAME.new_games(rules, [1])


def reading_of(combination: int, value: int) -> str:
    """A combination of that value in half ranks as `type/number of cards/rank`."""
    kind, size = KINDS[KIND[combination]], SIZE[combination]
    rank = f"{value / 2:g}" if combination != ID_DOG else "0"
    other = f"/{OTHER[combination]}" if KIND[combination] == FULL_HOUSE else ""
    return f"{kind}/{size}/{rank}{other}"


def combination_of(reading: str) -> tuple[int, int]:
    """The id and the value in half ranks of a reading."""
    kind, size, rank, *other = reading.split("/")
    value = int(2 * float(rank))
    if kind == "dog":
        return ID_DOG, int(VALUE[ID_DOG])
    if kind == "single" and value % 2:
        return ID_PHOENIX, value
    wanted = (KINDS.index(kind), value // 2, int(size), int(other[0]) if other else 0)
    rows = zip(KIND, RANK, SIZE, OTHER, strict=True)
    return next(number for number, row in enumerate(rows) if row == wanted), value


def text_of(s: Any, move: Move) -> str:
    """A play of the seat to act as `reading=cards`."""
    value = int(VALUE[move.declaration])
    if move.declaration == ID_PHOENIX:
        value = PHOENIX_LED if s.table == NO_MOVE else s.value + 1
    return f"{reading_of(move.declaration, value)}={format_cards(move.cards)}"


def move_of(text: str) -> Move:
    """The play written as `reading=cards`."""
    reading, _, names = text.partition("=")
    declaration, cards = combination_of(reading)[0], parse_cards(names)
    slot = NO_SLOT
    if cards & PHOENIX and declaration != ID_PHOENIX:
        ranks = range(LOW[declaration], HIGH[declaration] + 1)
        slot = next(rank for rank in ranks if NEEDS[declaration, rank] > count_of(cards, rank))
    return Move(declaration, cards, slot)


def combinations(states: Any) -> list[Move]:
    """All combinations that the seat to act may play."""
    s = states[0]
    paths = [path for path in GAME.plays(s) if path[0] > ID_CALL]
    return [move_of_path(s, path) for path in paths]


def put_cards(case: Case, cards: list[str], top: str | None, phase: str = "turn") -> Any:
    """A batch of one game in which seat 0 is asked with these cards, on this combination."""
    states = new_states(case)
    s = states[0]
    clear_round(s)
    s.hands[0] = parse_cards(" ".join(cards))
    s.sizes[0], s.played[0] = len(cards), PACK & ~s.hands[0]
    s.owner, s.turn = 0 if phase == "collect" else 3, 0
    if top is not None:
        s.table, s.value = combination_of(top)
    turn = LEAD if top is None else FOLLOW
    s.phase = s.stage = {"turn": turn, "interrupt": INTERRUPT, "collect": COLLECT}[phase]
    return states


def classify(case: Case) -> Any:
    """All readings of exactly these cards."""
    cards = case["input"]["cards"]
    states = put_cards(case, cards, None)
    if cards == ["PH"]:
        return {"readings": ["single/1/PH"]}
    moves = [move for move in combinations(states) if move.cards == states[0].hands[0]]
    return {"readings": [text_of(states[0], move).partition("=")[0] for move in moves]}


def beats(case: Case) -> Any:
    """The readings of the cards that beat the table."""
    states = put_cards(case, case["input"]["cards"], case["input"]["top"])
    moves = [move for move in combinations(states) if move.cards == states[0].hands[0]]
    return {"beats": [text_of(states[0], move).partition("=")[0] for move in moves]}


def legal(case: Case) -> Any:
    """The legal plays, and whether the wish restricts them."""
    given = case["input"]
    states = put_cards(case, given["hand"], given["top"], given["phase"])
    s = states[0]
    s.wish = given["wish"] or 0
    moves = combinations(states)
    may_pass = bool(GAME.masks(states)[0, ID_NO])
    serves = [bool(move.cards & int(RANK_CARDS[s.wish])) for move in moves]
    binds = bool(moves) and s.phase != INTERRUPT and not may_pass
    return {
        "plays": [text_of(s, move) for move in moves],
        "count": len(moves),
        "may_pass": may_pass,
        "obliged": bool(s.wish) and binds and all(serves),
    }


def score(case: Case) -> Any:
    """The points of a round."""
    given = case["input"]
    target = {"target_score": given["target"]} if "target" in given else {}
    states = new_states(case, **target)
    s = states[0]
    clear_round(s)
    for place, seat in enumerate(given["finish"], 1):
        s.place[seat], s.num_out = place, place
    for seat, cards in given["won"].items():
        s.points[int(seat)] = points_of(parse_cards(" ".join(cards)))
    for seat, cards in given["left"].items():
        s.hands[int(seat)] = parse_cards(" ".join(cards))
    result = result_of(s, given["calls"])
    if "scores_before" in given:
        s.team_scores[:] = given["scores_before"]
        for seat, call in given["calls"].items():
            s.calls[int(seat)] = CALLS[call]
        end_round(s)
        over = s.turn == OVER
        scores = s.team_scores.tolist()
        result |= {"scores": scores, "over": over}
        result["winner"] = int(np.argmax(scores)) if over else None
    return result


def result_of(s: Any, calls: dict[str, str]) -> dict[str, Any]:
    """Finish and points of a round that is over, with these calls."""
    double = bool(is_double_win(s))
    finish = [int(seat_in_place(s, place)) for place in range(1, s.num_out + 1)]
    s.calls[:] = 0
    settle(s)
    card_points = s.round_points.tolist()
    for seat, call in calls.items():
        s.calls[int(seat)] = CALLS[call]
    settle(s)
    return {
        "finish": finish if double else [*finish, int(seat_in_place(s, 0))],
        "double": double,
        "card_points": None if double else card_points,
        "round_points": s.round_points.tolist(),
    }


def start(case: Case, position: dict[str, Any]) -> Any:
    """A batch of one round from a deck or a position."""
    states = new_states(case, episode="round")
    s = states[0]
    if "deck" in position:
        dealer, deck = position["dealer"], position["deck"]
        drawn = [deck[(seat - dealer) % NUM_SEATS :: NUM_SEATS] for seat in range(NUM_SEATS)]
        first = [" ".join(cards[:8]) for cards in drawn]
        rest = [" ".join(cards[8:]) for cards in drawn]
        GAME.write_deal(s, {"dealer": dealer, "first": first, "rest": rest})
    else:
        lay_out(s, position)
    return states


def lay_out(s: Any, position: dict[str, Any]) -> None:
    """Set up a position; cards missing from it were played, but by nobody in particular."""
    clear_round(s)
    for seat, cards in position["hands"].items():
        s.hands[int(seat)], s.sizes[int(seat)] = parse_cards(" ".join(cards)), len(cards)
    missing = PACK & ~int(np.bitwise_or.reduce(s.hands))
    for seat in position.get("played", []):
        s.played[seat] = missing & -missing
        missing &= missing - 1
    for place, seat in enumerate(position.get("finish", []), 1):
        s.place[seat], s.num_out = place, place
    for seat, call in position.get("calls", {}).items():
        s.calls[int(seat)] = CALLS[call]
    for seat, cards in position.get("won", {}).items():
        s.points[int(seat)] = points_of(parse_cards(" ".join(cards)))
    s.wish = position.get("wish") or 0
    s.owner = position["turn"]
    table = position.get("table")
    if table is None:
        open_window(s, LEAD, position["turn"])
        go_on(s)
    else:
        s.table, s.value = combination_of(table["top"])
        s.pile, s.owner = parse_cards(" ".join(table["pile"])), table["owner"]
        s.passes, s.phase, s.stage = table["passes"], FOLLOW, FOLLOW
        s.turn = s.next_seat = position["turn"]


def path_of_text(s: Any, text: str) -> tuple[int, ...]:
    """The actions of a line of a script."""
    verb, _, rest = text.partition(" ")
    if verb in ("pass", "decline", "call"):
        return (ID_CALL if verb == "call" else ID_NO,)
    if verb == "gift":
        return (GIFTS[text],)
    if verb == "wish":
        return (ID_NO if rest == "none" else ID_RANK + int(rest) - 2,)
    if verb == "give":
        return (ID_CARD + CARD_NAMES.index(rest),)
    return path_of(s, move_of(text))


def play_script(case: Case, history: dict[str, Any]) -> Any:
    """A batch of one game after the script, of which every line must be asked and legal."""
    states = start(case, history["start"])
    s = states[0]
    for seat, phase, text in history["script"]:
        asked = (int(s.turn), PHASE_WORDS[s.phase])
        if asked != (seat, phase):
            raise ValueError(f"{asked} is asked before {seat} {phase} {text}")
        for action in path_of_text(s, text):
            if not GAME.masks(states)[0, action]:
                raise ValueError(f"seat {seat} may not take {action} in {phase} {text}")
            GAME.apply(states, np.array([action]))
    return states


def choices_of(states: Any) -> list[str]:
    """What the seat to act may do, in the words of the scripts."""
    s = states[0]
    texts = []
    for path in GAME.plays(s) if s.phase != EXCHANGE else np.argwhere(GAME.masks(states)[0]):
        action = int(path[0])
        words = {ID_NO: "pass" if s.phase == FOLLOW else "decline", ID_CALL: "call"}
        if PHASE_WORDS[s.phase] == "wish":
            texts.append(f"wish {action - ID_RANK + 2}" if action != ID_NO else "wish none")
        elif s.phase == EXCHANGE:
            texts.append(f"give {CARD_NAMES[action - ID_CARD]}")
        elif action in GIFTS.values():
            texts.append(next(word for word, gift in GIFTS.items() if gift == action))
        else:
            texts.append(words.get(action) or text_of(s, move_of_path(s, tuple(path))))
    return texts


def flow(case: Case) -> Any:
    """The state after a script."""
    states = play_script(case, case["input"])
    s = states[0]
    calls = {str(seat): CALL_WORDS[int(call)] for seat, call in enumerate(s.calls) if call}
    lies = s.table != NO_MOVE
    result = {
        "next": PHASE_WORDS[s.phase],
        "seat": int(s.turn),
        "finish": [int(seat_in_place(s, place)) for place in range(1, s.num_out + 1)],
        "wish": int(s.wish) or None,
        "calls": calls,
        "hand_counts": s.sizes.tolist(),
        "won_points": s.points.tolist(),
        "top": reading_of(int(s.table), int(s.value)) if lies else None,
        "owner": int(s.owner) if lies else None,
    }
    if s.turn == OVER:
        return result | result_of(s, calls)
    if "choices" in case["expect"]:
        result["choices"] = choices_of(states)
    return result


def hidden(case: Case) -> Any:
    """Whether the observer sees the same in both histories."""
    observer = case["input"]["observer"]
    seen = []
    for name in ("a", "b"):
        states = play_script(case, case["input"][name])
        observations = np.zeros((1, GAME.layout(None).size), np.int8)
        GAME.observe(states, np.array([observer]), observations)
        mask = GAME.masks(states)[0] if states[0].turn == observer else np.zeros(GAME.num_actions)
        seen.append([*observations[0], *mask])
    return {"same": seen[0] == seen[1]}


KINDS_OF_CASES = {
    function.__name__: function for function in (classify, beats, legal, score, flow, hidden)
} | {"wish": legal}
