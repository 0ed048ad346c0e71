"""Golden cases of Dou Dizhu through the engine."""

import hashlib
from collections import Counter
from typing import Any

import numpy as np

from envs.core.errors import RulesError
from envs.doudizhu import GAME
from envs.doudizhu.auction import end_hand
from envs.doudizhu.cards import RANK_CHARS, deck_counts, format_cards, num_cards, parse_cards
from envs.doudizhu.engine import add_bomb, bomb_limit, multiplier, settle, spring
from envs.doudizhu.moves import (
    BODY,
    ID_PASS,
    KICKER_CARDS,
    KIND,
    KINDS,
    LENGTH,
    NUM_KICKERS,
    RANK,
    Move,
)
from envs.doudizhu.render import CALLS
from envs.doudizhu.rules import NO_LIMIT
from envs.doudizhu.state import (
    BIDDING,
    ENDED,
    HAND_VOID,
    LANDLORD_FOUND,
    NO_MOVE,
    NONE,
    PLAYING,
    REDEALT,
    SNATCHING,
)
from envs.doudizhu.wild import asks_wild

Case = dict[str, Any]
MOST_CARDS = {3: 20, 4: 33}
"""Cards of the largest hand, by number of seats."""
CALL_WORDS = {"1": "bid 1", "2": "bid 2", "3": "bid 3"}


def answer(case: Case) -> str | None:
    """None if the engine agrees with the case, else what it says."""
    actual = KINDS_OF_CASES[case["kind"]](case)
    expected = case["out"]
    if isinstance(expected, dict):
        actual = {key: actual.get(key) for key in expected}
    return None if actual == expected else f"expected {expected}, got {actual}"


def rules_of(case: Case, **changes: Any) -> Any:
    """The rules of a case, which names the wild rank in place of the option `wild`."""
    options = {**case["opt"], **changes}
    if options.pop("wild_rank", None) is not None:
        options["wild"] = "random"
    return GAME.make_rules(**options)


def new_state(case: Case, **options: Any) -> Any:
    """A batch of one dealt game with the options of the case."""
    states = GAME.new_games(rules_of(case, **options), [1])
    if "wild_rank" in case["opt"]:
        states[0].wild = RANK_CHARS.index(case["opt"]["wild_rank"])
    return states


def table_of(case: Case, hands: list[str], landlord: int = 0) -> Any:
    """A batch of one game in play with these hands, the landlord to lead."""
    states = new_state(case)
    s = states[0]
    s.phase, s.landlord, s.turn, s.bottom, s.base_score = PLAYING, landlord, landlord, 0, 1
    for seat, hand in enumerate(hands):
        s.hands[seat] = parse_cards(hand)
        s.sizes[seat] = len(hand)
    return states


def path_of(s: Any, move: Move) -> tuple[int, ...]:
    """The actions by which the seat to act plays a move."""
    hand = int(s.hands[s.turn])
    return move.path(placing=asks_wild(hand, int(s.wild), move.declaration))


def move_of(declared: list[Any], wild: int = NONE) -> Move:
    """A declared move `[kind, main, n, cards]`."""
    kind, main, length, cards = declared
    wanted = (KINDS.index(kind), RANK_CHARS.index(main), length if kind != "rocket" else 1)
    rows = zip(KIND, RANK, LENGTH, strict=True)
    ids = [action for action, row in enumerate(rows) if tuple(map(int, row)) == wanted]
    if not ids:
        raise ValueError(f"no declaration {wanted}")
    return Move(ids[0], parse_cards(cards), wild)


def text_of(move: Move) -> str:
    """A move as `type/main/n/cards`."""
    return f"{move.kind}/{move.main}/{move.length}/{format_cards(move.cards)}"


def combinations(states: Any, most_cards: int = 108) -> list[Move]:
    """All combinations of so many cards that the seat to act may play: one game, a batch of one."""
    mask, moves = GAME.masks(states)[0], []
    mask[ID_PASS] = 0
    for declaration in np.flatnonzero(mask):
        kickers = int(NUM_KICKERS[declaration] * KICKER_CARDS[declaration])
        if num_cards(int(BODY[declaration])) + kickers <= most_cards:
            moves += completions(states, int(declaration))
    return moves


def completions(states: Any, declaration: int) -> list[Move]:
    """All combinations that begin with a declaration, found by the engine."""
    wild, moves = int(states[0].wild), []
    states, actions = states.copy(), np.array([declaration])
    while len(states):
        GAME.apply(states, actions)
        done = states["pending"] == 0
        moves += [Move(declaration, int(cards), wild) for cards in states["last_played"][done]]
        states = states[~done]
        rows, actions = np.nonzero(GAME.masks(states))
        states = states[rows]
    return moves


def put_on_table(states: Any, declared: list[Any] | None) -> None:
    """Let seat 2 have played `declared`, seat 0 to answer."""
    s = states[0]
    s.turn = 0
    if declared is not None:
        move = move_of(declared, int(s.wild))
        s.table, s.table_cards, s.table_seat = move.declaration, move.cards, 2


def classify(case: Case) -> Any:
    """All readings of the cards, sorted like the case's."""
    states = table_of(case, [case["cards"], "3", "3"])
    moves = combinations(states)
    found = [m for m in moves if m.cards == states[0].hands[0]]
    readings = [[m.kind, m.main, m.length] for m in found]
    return case["out"] if sorted(readings) == sorted(case["out"]) else readings


def beats(case: Case) -> Any:
    """Whether the new move may be played on the old one."""
    states = table_of(case, [case["new"][3], "3", "3"])
    new = move_of(case["new"], int(states[0].wild))
    put_on_table(states, case["old"])
    return new in combinations(states)


def legal(case: Case) -> Any:
    """The legal moves of a hand."""
    states = table_of(case, [case["hand"], "3", "3"], landlord=1)
    put_on_table(states, case["prev"])
    if "bombs_left" in case:
        s = states[0]
        s.rules.farmer_bomb_limit, s.calls[0] = 1, 0
        s.bombs[0] = 1 - case["bombs_left"]
    moves = sorted(text_of(move) for move in combinations(states))
    return {
        "can_pass": bool(GAME.masks(states)[0][0]),
        "count": len(moves),
        "by_type": dict(Counter(move.split("/")[0] for move in moves)),
        "moves": moves,
        "sha256": hashlib.sha256("\n".join(moves).encode()).hexdigest(),
    }


def auctioned(case: Case) -> Any:
    """A batch of one game after the auction actions of the case."""
    states = new_state(case)
    s = states[0]
    s.first = s.turn = case["first"]
    s.all_passes = case.get("earlier_all_pass", 0)
    for word in case["actions"]:
        action = CALLS[CALL_WORDS.get(word, word)]
        if not GAME.masks(states)[0][action]:
            raise ValueError(f"{word} is not legal")
        GAME.apply(states, np.array([action]))
    return states


def auction(case: Case) -> Any:
    """Where the auction stands."""
    states = auctioned(case)
    s = states[0]
    is_open = s.phase in (BIDDING, SNATCHING) and s.outcome != REDEALT
    status = "open" if is_open else {REDEALT: "redeal", HAND_VOID: "void"}.get(s.outcome)
    if s.outcome == LANDLORD_FOUND:
        status = "landlord" if s.bidder != NONE else "forced"
    names = {action: word for word, action in CALLS.items()}
    words = {name: word for word, name in CALL_WORDS.items()}
    allowed = [names[action] for action in np.flatnonzero(GAME.masks(states)[0])] if is_open else []
    found = s.landlord != NONE
    return {
        "status": status,
        "turn": int(s.turn) if is_open else None,
        "legal": [words.get(name, name) for name in allowed] if is_open else None,
        "landlord": int(s.landlord) if found else None,
        "base": int(s.base_score) if found else None,
        "snatches": int(s.snatched.sum()),
        "bomb_limit": {str(seat): limit_of(s, seat) for seat in range(s.rules.players)},
    }


def limit_of(s: Any, seat: int) -> int | None:
    """Bombs that a seat may play, None if any number."""
    limit = int(bomb_limit(s, seat))
    return None if limit == NO_LIMIT else limit


def settlement(s: Any, winner: int) -> dict[str, Any]:
    """The score fields of a hand that `winner` has just ended."""
    is_spring = bool(spring(s, winner))
    side = "landlord" if winner == s.landlord else "farmers"
    return {
        "landlord": int(s.landlord),
        "base": int(s.base_score),
        "spring": side if is_spring else "none",
        "counted_bombs": int(s.counted_bombs),
        "multiplier": int(multiplier(s, is_spring)),
        "payoffs": s.payoffs[: s.rules.players].tolist(),
    }


def score(case: Case) -> Any:
    """The payoffs of a finished hand."""
    states = auctioned(case)
    s = states[0]
    if s.outcome == HAND_VOID:
        return {"landlord": None, "base": None, "payoffs": s.payoffs[: s.rules.players].tolist()}
    for seat, factor in enumerate(case.get("doubles", [])):
        s.factors[seat] = factor
    for seat, plays in enumerate(case["plays"]):
        s.plays[seat] = plays
    for kind, size in case["bombs"]:
        main = "R" if kind == "rocket" else "3"
        add_bomb(s, 0, move_of([kind, main, size, "3"]).declaration)
    settle(s, case["winner"])
    return settlement(s, case["winner"])


def flow(case: Case) -> Any:
    """Play on from given hands; stop at the first illegal play."""
    states = table_of(case, case["hands"], case["landlord"])
    s = states[0]
    s.base_score = case["base"]
    for seat, limit in case.get("bomb_limit", {}).items():
        s.rules.farmer_bomb_limit, s.calls[int(seat)] = 1, limit - 1
        s.bids[int(seat)] = limit
    error = None
    for number, (seat, *declared) in enumerate(case["plays"]):
        path = (0,) if declared == ["pass"] else path_of(s, move_of(declared, int(s.wild)))
        if seat != s.turn or path not in GAME.plays(s):
            error = number
            break
        for action in path:
            GAME.apply(states, np.array([action]))
    over = s.phase == ENDED
    result = {
        "error": error,
        "over": over,
        "winner": int(s.actor) if over else None,
        "turn": None if over else int(s.turn),
        "lead": not over and s.table == NO_MOVE,
        "counts": [num_cards(int(s.hands[seat])) for seat in range(s.rules.players)],
    }
    return result | (settlement(s, int(s.actor)) if over else {})


def match(case: Case) -> Any:
    """Who bids first in each hand of a match."""
    states = new_state(case, hands_per_match=len(case["results"]) + 1)
    s = states[0]
    s.first = case["first"]
    first_bidders = []
    for result in case["results"]:
        first_bidders.append(int(s.first))
        s.landlord = NONE if result["landlord"] is None else result["landlord"]
        for seat, payoff in enumerate(result["payoffs"]):
            s.payoffs[seat] = payoff
        end_hand(s, NONE if result["winner"] is None else result["winner"])
    totals = s.scores[: s.rules.players].tolist()
    return {
        "first_bidders": first_bidders,
        "next_first_bidder": int(s.first) if s.face_up == NONE else None,
        "totals": totals,
        "match_winners": [seat for seat, total in enumerate(totals) if total == max(totals)],
    }


def visible(case: Case) -> Any:
    """Whether the observation of the viewer holds an item."""
    states = new_state(case)
    s = states[0]
    viewer = int(s.turn)
    if case["stage"] == "play":
        GAME.apply(states, np.array([CALLS["bid 3"]]))
        viewer = int(s.landlord) if case["viewer"] == "landlord" else (int(s.landlord) + 1) % 3
    rules = rules_of(case)
    observations = np.zeros((1, GAME.layout(rules).size), np.int8)
    GAME.observe(states, np.array([viewer]), observations)
    views = GAME.new_records(rules)
    GAME.decode(observations, views)
    view = views[0]
    own_size = num_cards(int(view.hands[0]))
    return {
        "bottom_cards": view.bottom == s.bottom,
        "teammate_hand": bool(view.hands[1:].any()),
        "face_up_holder": view.face_up_seat == (s.face_up_seat - viewer) % 3,
        "unseen_counts_excluding_bottom": num_cards(int(view.unseen)) < 54 - own_size,
    }[case["item"]]


def count(case: Case) -> Any:
    """The number of different moves, by enumeration from a hand that holds the whole pack."""
    states = table_of(case, ["3", "3", "3"])
    seats = int(states[0].rules.players)
    states[0].hands[0] = deck_counts(seats)
    moves = combinations(states, MOST_CARDS[seats])
    return {
        "by_type": dict(Counter(move.kind for move in moves)),
        "moves": len(set(moves)),
        "distinct_card_sets": len({move.cards for move in moves}),
    }


def refused(case: Case) -> Any:
    """What is said of options that are not offered."""
    try:
        rules_of(case)
    except RulesError as error:
        return str(error)
    return "accepted"


KINDS_OF_CASES = {
    function.__name__: function
    for function in (classify, beats, legal, auction, score, flow, match, visible, count, refused)
}
