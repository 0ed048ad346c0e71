"""Golden cases of Dori-jitgo-ttaeng through the engine."""

from itertools import combinations
from typing import Any

import numpy as np

from envs.core.game import OVER, Array
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.banking import offer_bank
from envs.jitgo_ttaeng.betting import (
    begin_hand,
    bet,
    find_actor,
    open_round,
    pass_sun,
    settle,
)
from envs.jitgo_ttaeng.cards import (
    CARD_NAMES,
    DECKS,
    HAND_SIZE,
    hand_of,
    pack_cards,
    parse_cards,
)
from envs.jitgo_ttaeng.dealing import turn_up
from envs.jitgo_ttaeng.hands import (
    HWANG,
    RESULTS,
    STRENGTH,
    TTAENG_1,
    arrangements,
    evaluate,
    evaluate_batch,
    redealt,
    winners,
)
from envs.jitgo_ttaeng.moves import PILES, WORDS
from envs.jitgo_ttaeng.render import cost
from envs.jitgo_ttaeng.rules import option_record
from envs.jitgo_ttaeng.showdown import pay_pots, pot, split_pots
from envs.jitgo_ttaeng.state import (
    BANK_LEFT,
    BANK_WON,
    BROKE,
    CONTINUING,
    ENDED,
    FOLDED_OUT,
    NONE,
    PUNTING,
    SHOWN_DOWN,
    STAKING,
    live_seats,
    num_dealt,
)

Case = dict[str, Any]
IDS = {
    word.upper().replace("-", "_").replace(" ", "_").replace("CALL", "CHECK_CALL"): action
    for action, word in enumerate(WORDS)
}
"""Every action by its name in RULES 4.3 and 5.3."""
ROUNDS = {1: "5", 2: "4+1"}
PHASES = {STAKING: "stake", PUNTING: "bet", CONTINUING: "continue", ENDED: "over"}
PASSED = {BROKE: "broke", BANK_WON: "won", BANK_LEFT: "voluntary"}
HAND_OPTIONS = {"gwang": True, "seotda": True}
MOST_CHIPS = 1_000_000


def answer(case: Case) -> str | None:
    """None if the engine agrees with the case, else what it says."""
    actual, expected = KINDS_OF_CASES[case["kind"]](case), case["expect"]
    differences = [
        f"{key}: expected {value}, got {actual.get(key)}"
        for key, value in expected.items()
        if actual.get(key) != value
    ]
    return "; ".join(differences) or None


def rules_of(case: Case, **changes: Any) -> Any:
    """The rules of a case; hand options that need `special` are left out without it."""
    options = {"deck": case.get("deck", 40), **HAND_OPTIONS, **case.get("options", {}), **changes}
    if not options.get("special"):
        for name in ("ttaengjabi", "ttaengjabi_max", "meonggusa_max", "max_redeals"):
            options.pop(name, None)
    return GAME.make_rules(**options)


def options_of(case: Case, **changes: Any) -> Any:
    """The options of a case as they stand in a record."""
    return option_record(rules_of(case, **changes))


def set_of(names: list[str]) -> int:
    """A set of cards from their texts."""
    return hand_of(parse_cards(" ".join(names)))


def names_of(cards: list[int]) -> list[str]:
    """Cards as texts."""
    return [CARD_NAMES[card] for card in cards]


def seats_of(seats: int) -> list[int]:
    """The elements of a set of seats."""
    return [seat for seat in range(8) if seats >> seat & 1]


def evaluate_hand(case: Case) -> Any:
    """What a hand is, and every way in which it builds."""
    rules, hand = options_of(case), set_of(case["cards"])
    found, result = arrangements(rules, hand), int(evaluate(rules, hand))
    expected = case["expect"]
    builds = [
        {
            "build": names_of(way.build),
            "rest": names_of(way.rest),
            "strength": int(STRENGTH[way.result]),
            "name": RESULTS[way.result],
        }
        for way in found
    ]
    best = [way for way in found if way.result == result]
    if not best:  # a chunchu counts by its stronger pair
        top = max((STRENGTH[way.result] for way in found), default=0)
        best = [way for way in found if STRENGTH[way.result] == top]
    rests = [names_of(way.rest) for way in best]
    same_builds = sorted(map(str, builds)) == sorted(map(str, expected["builds"]))
    same_rests = sorted(rests) == sorted(expected["best_rest"])
    is_chunchu = RESULTS[evaluate(options_of(case, chunchu="top"), hand)].startswith("chunchu")
    return {
        "hwang": result == HWANG,
        "strength": int(STRENGTH[result]),
        "name": RESULTS[result],
        "chunchu": is_chunchu,
        "builds": expected["builds"] if same_builds else builds,
        "best_rest": expected["best_rest"] if same_rests else rests,
    }


def compare(case: Case) -> Any:
    """Who wins a showdown, or gets new cards."""
    rules = options_of(case)
    results = np.array([evaluate(rules, set_of(hand)) for hand in case["hands"]])
    everybody = (1 << len(results)) - 1
    again = redealt(rules, results, everybody) if case.get("redeals_left", 1) else 0
    return {
        "names": [RESULTS[result] for result in results],
        "strengths": STRENGTH[results].tolist(),
        "redeal": again > 0,
        "redealt": seats_of(again),
        "winners": [] if again else seats_of(winners(rules, results, everybody)),
    }


def new_table(case: Case, num_players: int, **options: Any) -> Any:
    """A batch of one dealt game with stacks that the case sets later."""
    rules = rules_of(case, num_players=num_players, start_stack=MOST_CHIPS, **options)
    return GAME.new_games(rules, [1])


def pots_of(s: Any) -> list[dict[str, Any]]:
    """The pots of a hand and who wins them."""
    amounts, eligible = np.zeros(8, np.int64), np.zeros(8, np.int64)
    return [
        {
            "amount": int(amounts[k]),
            "eligible": seats_of(eligible[k]),
            "winners": seats_of(winners(s.rules, s.results, eligible[k])),
        }
        for k in range(split_pots(s, amounts, eligible))
    ]


def pots(case: Case) -> Any:
    """How chips are split and paid."""
    num = len(case["contrib"])
    states = new_table(case, num)
    s = states[0]
    s.sun = case.get("sun", 0)
    for seat, hand in enumerate(case["hands"]):
        s.contrib[seat], s.folded[seat] = case["contrib"][seat], case["folded"][seat]
        s.results[seat] = NONE if hand is None else read_result(s.rules, hand)
    payouts = np.zeros(8, np.int64)
    found = pots_of(s)
    pay_pots(s, payouts)
    return {
        "pots": found,
        "payout": payouts[:num].tolist(),
        "net": (payouts - s.contrib)[:num].tolist(),
    }


def read_result(rules: Any, hand: list[str] | int) -> int:
    """A result from five cards, or from a strength alone."""
    return hand if isinstance(hand, int) else int(evaluate(rules, set_of(hand)))


def betting(case: Case) -> Any:
    """A hand of the betting mode from given stacks."""
    table = dict(case["table"])
    options = {"deal_schedule": ROUNDS[table.pop("rounds", 1)], **table}
    states = new_table(case, len(case["stacks"]), **options)
    s = states[0]
    for seat, chips in enumerate(case["stacks"]):
        s.stacks[seat] = chips
    s.sun = case.get("sun", 0)
    begin_hand(s)
    hold(s, case.get("hands"))
    s.turn = find_actor(s, int(s.sun))
    steps = []
    for name in case["actions"]:
        steps.append({"actor": int(s.turn), "legal": prices(states), "action": name})
        bet(s, IDS[name])
        find_next(s)
    return {"steps": steps, **betting_state(states), "result": betting_result(case, s)}


def hold(s: Any, hands: list[list[str] | None] | None) -> None:
    """Exchange the cards of the seats for these hands."""
    for seat, hand in enumerate(hands or []):
        if hand is not None:
            s.dealt[seat] = pack_cards(parse_cards(" ".join(hand)))
            s.hands[seat] = set_of(hand)
            s.results[seat] = evaluate(s.rules, s.hands[seat])


def find_next(s: Any) -> None:
    """What `go_on` does, short of ending the hand."""
    seat = (int(s.turn) + 1) % int(s.rules.num_players)
    s.turn = NONE
    while len(seats_of(live_seats(s))) > 1 and s.turn == NONE:
        s.turn = find_actor(s, seat)
        if s.turn == NONE:
            s.street += 1
            if num_dealt(s, s.street) == num_dealt(s, s.street - 1):
                return
            open_round(s)
            seat = int(s.sun)


def prices(states: Array) -> dict[str, int]:
    """The legal actions and what they cost."""
    s = states[0]
    if s.turn == OVER:
        return {}
    names = {action: name for name, action in IDS.items()}
    return {names[action]: cost(s, action) for action in np.flatnonzero(GAME.masks(states)[0])}


def betting_state(states: Array) -> dict[str, Any]:
    """The position reached."""
    s = states[0]
    num = int(s.rules.num_players)
    phase = "betting" if s.turn != NONE else "showdown"
    if len(seats_of(live_seats(s))) == 1:
        phase = "won_by_folds"
    state = {
        "phase": phase,
        "round": int(s.street),
        "actor": None if s.turn == NONE else int(s.turn),
        "pot": int(pot(s)),
        "stacks": s.stacks[:num].tolist(),
        "contrib": s.contrib[:num].tolist(),
        "round_bets": s.round_bets[:num].tolist(),
        "current_bet": int(s.current),
        "raises": int(s.raises),
        "folded": [bool(folded) for folded in s.folded[:num]],
    }
    return {"state": state, "legal": prices(states)}


def betting_result(case: Case, s: Any) -> Any:
    """How a finished hand is paid."""
    if "result" not in case["expect"]:
        return None
    live, num = live_seats(s), int(s.rules.num_players)
    folds = live & (live - 1) == 0
    again = 0 if folds else redealt(s.rules, s.results, live)
    if again:
        return {"redeal": True, "redealt": seats_of(again)}
    found, contrib = pots_of(s), s.contrib[:num].copy()
    pass_sun(s, settle(s, FOLDED_OUT if folds else SHOWN_DOWN))
    return {
        "redeal": False,
        "pots": found,
        "payout": (s.payoffs[:num] + contrib).tolist(),
        "stacks": s.stacks[:num].tolist(),
        "net": s.payoffs[:num].tolist(),
        "next_sun": int(s.sun),
    }


def banker(case: Case) -> Any:
    """Rounds against a bank from given stacks."""
    hands = {"gwang": False, "seotda": False, **case["options"]}
    states = new_table(
        case | {"options": hands}, len(case["stacks"]), mode="banker", **case["table"]
    )
    s, num = states[0], len(case["stacks"])
    s.stacks[:num] = case["stacks"]
    s.offered = 0
    offer_bank(s, case.get("banker", 0))
    deals = iter(case["deals"])
    steps: list[Any] = []
    rounds: list[Any] = []
    for name in case["actions"]:
        step = {"phase": PHASES[int(s.phase)], "actor": int(s.turn), "legal": prices(states)}
        steps.append({**step, "action": name})
        if name.startswith("BET") and pot(s) == 0:
            lay_out(s, next(deals, None))
        bank(states, name, rounds)
    state = {
        "phase": PHASES[int(s.phase)],
        "actor": None if s.turn == OVER else int(s.turn),
        "banker": None if s.banker == NONE else int(s.banker),
        "bank": int(s.bank),
        "stake": int(s.stake),
        "stacks": s.stacks[:num].tolist(),
        "rounds": int(s.hand_number),
    }
    return {"steps": steps, "rounds": rounds, "state": state, "legal": prices(states)}


def lay_out(s: Any, deal: dict[str, list[str]] | None) -> None:
    """Exchange the banker's hand and the piles; a round that is not paid needs none."""
    if deal is None:
        return
    for k, name in enumerate(("banker", *PILES)):
        s.piles[k] = pack_cards(parse_cards(" ".join(deal[name])))
    turn_up(s)


def bank(states: Array, name: str, rounds: list[Any]) -> None:
    """Take an action, and write down the round that it ends."""
    s = states[0]
    number, actor, before = int(s.hand_number), int(s.turn), s.copy()
    GAME.apply(states, np.array([IDS[name]]))
    if s.outcome == BANK_LEFT:
        rounds[-1]["passed"] = PASSED[BANK_LEFT]
    if s.hand_number == number:
        return
    if name.startswith("BET"):
        before.contrib[actor], before.bet_piles[actor] = s.paid, PILES.index(name.split("_")[1])
    punters = [seat for seat in range(8) if before.contrib[seat] > 0]
    rounds.append(
        {
            "bets": {
                str(seat): [PILES[before.bet_piles[seat]], int(before.contrib[seat])]
                for seat in punters
            },
            "piles": pile_winners(s) if punters else None,
            "payments": {str(seat): int(s.payoffs[seat]) for seat in punters},
            "bank": int(before.bank + s.payoffs[before.banker]),
            "passed": PASSED.get(int(s.outcome)),
        }
    )


def pile_winners(s: Any) -> dict[str, str]:
    """Who wins each pile, by the cards shown."""
    results = np.array([evaluate(s.rules, hand) for hand in s.shown_piles])
    found = {}
    for k, pile in enumerate(PILES, 1):
        wins = results[k] != HWANG and winners(s.rules, results, 1 | 1 << k) == 1 << k
        found[pile] = "pile" if wins else "banker"
    return found


def all_hands(deck: int) -> Array:
    """All hands of five cards of a deck, as sets."""
    cards = np.array(list(combinations(DECKS[deck].tolist(), HAND_SIZE)))
    return (np.int64(1) << cards).sum(axis=1)


def results_of(case: Case, hands: Array, **options: Any) -> Array:
    """The result of every hand."""
    results = np.empty(len(hands), np.int64)
    evaluate_batch(options_of(case, **options), hands, results)
    return results


def probability(case: Case) -> Any:
    """Counts over all hands, or over all pairs of hands."""
    hands = all_hands(case["deck"])
    results = results_of(case, hands)
    return duel(hands, results) if case["count"] == "duel" else count_hands(case, hands, results)


def count_hands(case: Case, hands: Array, results: Array) -> dict[str, int]:
    """What is queried, over all hands."""
    classic = results_of(case, hands, gwang=False, seotda=False, special=False)
    chunchu = results_of(case, hands, chunchu="top")
    counts = {
        "total": len(hands),
        "build": int((results != HWANG).sum()),
        "hwang": int((results == HWANG).sum()),
        "ttaeng": int((classic >= TTAENG_1).sum()),
        "chunchu": sum(RESULTS[result].startswith("chunchu") for result in chunchu),
        **{f"name:{name}": int((results == k).sum()) for k, name in enumerate(RESULTS)},
    }
    if any(key.startswith(("builds", "several")) for key in case["query"]):
        rules = options_of(case)
        found = [arrangements(rules, int(hand)) for hand in hands]
        counts["several_builds"] = sum(len(ways) > 1 for ways in found)
        counts["several_results"] = sum(len({way.result for way in ways}) > 1 for ways in found)
        for num in range(7):
            counts[f"builds:{num}"] = sum(len(ways) == num for ways in found)
    return counts


def duel(hands: Array, results: Array) -> dict[str, int]:
    """Who wins between a pile and the banker, over all ordered pairs of disjoint hands."""
    strengths = STRENGTH[results]
    counts = {"pairs": 0, "pile": 0, "banker": 0, "tie": 0, "both_hwang": 0}
    for hand, strength in zip(hands, strengths, strict=True):
        others = strengths[hands & hand == 0]
        counts["pairs"] += len(others)
        counts["pile"] += int((strength > others).sum())
        counts["banker"] += int((strength < others).sum())
        equal = int((strength == others).sum())
        counts["tie" if strength else "both_hwang"] += equal
    return counts


KINDS_OF_CASES = {
    "evaluate": evaluate_hand,
    "compare": compare,
    "pots": pots,
    "betting": betting,
    "banker": banker,
    "probability": probability,
}
