"""Programs written for Botzone: what they are told, how they are read, and a whole tournament."""

import json
import shlex
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.bridges import botzone_hand
from agents.bridges.botzone import KEEP_RUNNING, BotzoneAgent
from agents.bridges.botzone_hand import Hand, pack_cards, rank_of, read_path
from agents.process import ProcessFault, RowFaults
from agents.roster import make_agent
from envs.core.errors import AgentError
from envs.core.game import OVER, Array
from envs.core.layout import empty_vectors
from envs.core.rng import spawn_seeds
from envs.core.rules import changed_options
from envs.doudizhu import GAME
from envs.doudizhu.cards import parse_cards
from envs.doudizhu.kickers import rocket_of
from envs.doudizhu.moves import ID_BID, ID_PASS, move_of_path
from envs.doudizhu.state import BIDDING
from eval.match import play_deals
from eval.tournament import TournamentConfig, run_tournament

EXAMPLE = Path(__file__).parents[2] / "examples" / "bots" / "botzone_longest.c"
PLAYS: dict[str, Any] = {
    "kicker_rocket": True,
    "kicker_solo_max_same": 1,
    "kicker_pair_max_same": 1,
}
RULES = GAME.make_rules(**PLAYS, all_pass="force_first", all_pass_limit=1)
ALL = np.ones(GAME.num_actions, np.int8)


class Driver:
    """Plays a game of three agents by itself and asks a `Hand` for every request."""

    def __init__(self, agent: Any, seed: int) -> None:
        self.agent = agent
        self.states = GAME.new_games(RULES, [seed])
        self.turns: list[int] = []  # cards of every play and pass
        self.hands: dict[int, Hand] = {}

    def play(self) -> None:
        while self.states[0].turn != OVER:
            mask = GAME.masks(self.states)[0]
            action = int(mask.argmax()) if mask.sum() == 1 else self._decide(mask)
            self._apply(action)

    def _decide(self, mask: Array) -> int:
        seat = int(self.states[0].turn)
        observations = observe(self.states, RULES)
        view = GAME.views(RULES, observations)[0]
        keys, tables = np.array([len(self.turns) * 7 + seat]), np.array([seat])
        action = int(self.agent.act(observations, mask[None], keys=keys, tables=tables)[0])
        if view.phase != BIDDING and view.pending == 0:
            hand = self.hands.setdefault(seat, Hand(GAME, view))
            hand.ask_play(view)
            self.check(hand)
        return action

    def _apply(self, action: int) -> None:
        before = self.states[0].copy()
        seat = int(before.turn)
        asked = GAME.masks(self.states)[0].sum() > 1 or before.pending
        GAME.apply(self.states, np.array([action]))
        after = self.states[0]
        if before.phase == BIDDING or after.pending:
            return
        cards = int(after.played[seat] - before.played[seat])
        self.turns.append(cards)
        if asked:
            hand = self.hands[seat]
            held = list(hand._hand)
            hand.play(botzone_hand.take_cards(cards, held), ALL)

    def check(self, hand: Hand) -> None:
        """Nothing but the truth, as far as the seat can know it."""
        raise NotImplementedError


class Truth(Driver):
    """Counts requests whose whole history is what happened, and finds what never may be wrong."""

    def __init__(self, agent: Any, seed: int) -> None:
        super().__init__(agent, seed)
        self.counts: Counter[bool] = Counter()

    def check(self, hand: Hand) -> None:
        told = [pack_cards(cards) for cards in hand._turns]
        cards = [card for turn in hand._turns for card in turn]
        assert len(set(cards)) == len(cards)
        assert sum(told) == sum(self.turns)
        assert told[-1:] == self.turns[-1:]
        self.counts[told == self.turns] += 1
        assert len(hand.responses) == len(hand.requests) - 1
        assert [len(request["history"]) for request in hand.requests] == [2] * len(hand.requests)
        assert ["own" in request for request in hand.requests] == [
            True,
            *[False] * (len(hand.requests) - 1),
        ]
        check_turns(hand)


def check_turns(hand: Hand) -> None:
    """The requests and responses, put together as a program does it, are the turns."""
    first = hand.requests[0]
    seats = [(first["landlord"] + i) % 3 for i in range(len(hand._turns))]
    own = [turn for seat, turn in zip(seats, hand._turns, strict=True) if seat == first["pos"]]
    assert own == hand.responses
    moments = [i for i, seat in enumerate([*seats, first["pos"]]) if seat == first["pos"]]
    for moment, request in zip(moments, hand.requests, strict=True):
        assert request["history"] == [[], [], *hand._turns][moment : moment + 2]


@pytest.mark.parametrize(("agent", "share"), [("rule", 0.95), ("random", 0.6)])
def test_requests_tell_what_happened(agent: str, share: float) -> None:
    counts: Counter[bool] = Counter()
    for seed in spawn_seeds(3, 3).tolist():
        truth = Truth(make_agent(agent, GAME, RULES), seed)
        truth.play()
        counts += truth.counts
    assert counts[True] / counts.total() > share


def test_a_search_that_takes_too_long_keeps_cards_and_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(botzone_hand, "MAX_STEPS", 3)
    for seed in spawn_seeds(3, 6).tolist():
        truth = Truth(make_agent("random", GAME, RULES), seed)
        truth.play()


def test_cards_are_numbered_from_the_threes_on() -> None:
    assert [rank_of(card) for card in (0, 3, 4, 47, 48, 51, 52, 53)] == [
        0,
        0,
        1,
        11,
        12,
        12,
        13,
        14,
    ]
    assert pack_cards([0, 1, 52, 53]) == parse_cards("33BR")


def observe(states: Array, rules: Any) -> Array:
    """What the seats on turn see."""
    observations = empty_vectors(len(states), GAME.layout(rules))
    GAME.observe(states, states["turn"].copy(), observations)
    return observations


def ask(agent: BotzoneAgent, states: Array) -> int:
    """Ask an agent for the seat on turn."""
    key = np.array([int(states[0].num_calls) * 1000 + int(states[0].plays.sum())])
    tables, observations = states["turn"].copy(), observe(states, agent.rules)
    return int(agent.act(observations, GAME.masks(states), keys=key, tables=tables)[0])


def scripted(folder: Path, *answers: Any, stays: bool = False) -> BotzoneAgent:
    """A program that writes down what it is told and gives these answers, one after the other."""
    for number, answer in enumerate(answers):
        (folder / f"answer{number}").write_text(json.dumps(answer))
    keep = f"echo '{KEEP_RUNNING}'" if stays else "exit 0"
    script = (
        f"cd {folder}; while read -r line; do n=$(ls | grep -c '^told'); echo \"$line\" > told$n; "
        f"cat answer$n; echo; {keep}; done"
    )
    agent = make_agent(f"botzone:start_s=60 sh -c {shlex.quote(script)}", GAME, RULES)
    assert isinstance(agent, BotzoneAgent)
    return agent


def told(folder: Path) -> list[Any]:
    files = sorted(folder.glob("told*"), key=lambda path: int(path.name[4:]))
    return [json.loads(path.read_text()) for path in files]


@pytest.mark.parametrize("stays", [False, True])
def test_a_hand_message_by_message(tmp_path: Path, stays: bool) -> None:
    states = GAME.new_games(RULES, [5])
    s = states[0]
    first, second = int(s.first), int(s.first + 1) % 3
    agent = scripted(tmp_path, {"response": 1}, {"response": "3"}, stays=stays)
    GAME.apply(states, np.array([ask(agent, states)]))
    assert s.calls[first] == 1
    GAME.apply(states, np.array([ask(agent, states)]))
    assert (s.landlord, s.base_score) == (second, 3)
    bids = [message["requests"][0] for message in told(tmp_path)]
    assert [bid["bid"] for bid in bids] == [[], [1]]
    hands = [sorted(bid["own"]) for bid in bids]
    assert pack_cards(hands[0]) == s.hands[first]
    assert pack_cards(hands[1]) + int(s.bottom) == s.hands[second]

    lead = [next(card for card in hands[1] if rank_of(card) == rank_of(min(hands[1])))]
    (tmp_path / "answer2").write_text(json.dumps({"response": lead, "data": "my lead"}))
    GAME.apply(states, np.array([ask(agent, states)]))
    assert s.table_cards == pack_cards(lead)
    message = told(tmp_path)[2]
    if not stays:
        assert message["responses"] == ["3"]
        assert message["requests"][0] == bids[1]
        message = message["requests"][1]
    assert message["history"] == [[], []]
    assert message["own"] == bids[1]["own"]
    assert (message["landlord"], message["pos"], message["finalbid"]) == (1, 1, 3)
    assert pack_cards(message["publiccard"]) == s.bottom
    assert not set(message["publiccard"]) & set(message["own"])

    for _ in range(2):  # the others pass
        GAME.apply(states, np.array([ID_PASS]))
    (tmp_path / "answer3").write_text(json.dumps({"response": [message["own"][-1]]}))
    GAME.apply(states, np.array([ask(agent, states)]))
    message = told(tmp_path)[3]
    if not stays:
        assert message["responses"] == ["3", lead]
        assert message["data"] == "my lead"
        message = message["requests"][2]
    assert message == {"history": [[], []]}
    agent.end_games(np.arange(3), np.zeros(3))
    assert not agent._running


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"response": 4}, "expected a bid from 0 to 3, got 4"),
        ({"response": [1]}, r"expected a bid from 0 to 3, got \[1\]"),
        ({"response": True}, "expected a bid from 0 to 3, got True"),
    ],
)
def test_bids_that_are_none(tmp_path: Path, answer: Any, message: str) -> None:
    agent = scripted(tmp_path, answer)
    with pytest.raises(RowFaults, match=message):
        ask(agent, GAME.new_games(RULES, [5]))


def test_a_bare_response_will_do(tmp_path: Path) -> None:
    assert ask(scripted(tmp_path, 2), GAME.new_games(RULES, [5])) == ID_BID + 1


@pytest.mark.parametrize(
    ("program", "kind", "message"),
    [
        ("echo maybe", "nonsense", "expected {\"response\": …}, got 'maybe'"),
        ("exit 4", "crashed", "it ended: exit status 4"),
        ("sleep 60", "timeout", "no answer in time"),
        ("echo 1; sleep 60", "timeout", "no answer in time"),
    ],
)
def test_programs_that_fail(program: str, kind: str, message: str) -> None:
    settings = "move_s=0.3 bank_s=0 start_s=0" if kind == "timeout" else "start_s=60"
    agent = make_agent(f"botzone:{settings} sh -c {shlex.quote(program)}", GAME, RULES)
    assert isinstance(agent, BotzoneAgent)
    with pytest.raises(RowFaults) as caught:
        ask(agent, GAME.new_games(RULES, [5]))
    [fault] = caught.value.faults.values()
    assert (fault.kind, message in str(fault)) == (kind, True)


def test_cards_that_are_no_play() -> None:
    rules = GAME.make_rules(**PLAYS, auction="off")
    view = GAME.views(rules, observe(GAME.new_games(rules, [5]), rules))[0]
    hand = Hand(GAME, view)
    hand.ask_play(view)
    own = hand.requests[0]["own"]
    other = next(card for card in range(54) if card not in hand._hand)
    for response in ("pass", [1.0], [True], [own[0], own[0]], [other], [own[0], own[-1], own[8]]):
        with pytest.raises(ProcessFault):
            hand.play(response, ALL)
    assert hand.play([own[0]], ALL) == (9 + rank_of(own[0]),)


def judged(cards: list[int]) -> tuple[str, int, int] | None:
    """Kind, length and deciding rank by the platform's rules, written down on their own."""
    counts = Counter(map(rank_of, cards))
    if sorted(counts) == [13, 14] and len(cards) == 2:
        return "rocket", 1, 14
    most = max(counts.values())
    body = sorted(rank for rank, count in counts.items() if count == most)
    kickers = sorted(count for count in counts.values() if count < most)
    in_sequence = body == list(range(body[0], body[0] + len(body))) and body[-1] <= 11
    shape, num = tuple(sorted(Counter(kickers).items())), len(body)
    if num > 1 and not in_sequence:
        return None
    allowed = {
        1: {(): num == 1 or num >= 5},
        2: {(): num == 1 or num >= 3},
        3: {(): True, ((1, num),): True, ((2, num),): True},
        4: {(): num == 1, ((1, 2),): num == 1, ((2, 2),): num == 1},
    }[most]
    if not allowed.get(shape, False):
        return None
    return f"{most}{shape}", num, body[0]


def test_plays_are_those_of_the_platform() -> None:
    rng = np.random.default_rng(0)
    found = Counter[bool]()
    for _ in range(600):
        # Few ranks, so that there is something to find.
        ranks = rng.choice(15, size=int(rng.integers(1, 8)), replace=False)
        pool = [card for card in range(54) if rank_of(card) in ranks]
        size = int(rng.integers(1, len(pool) + 1))
        cards = sorted(rng.choice(pool, size=size, replace=False).tolist())
        expected = judged(cards)
        states = GAME.new_games(RULES, [0])
        s = states.view(np.recarray)[0]
        s.phase, s.turn, s.landlord, s.base_score = 3, 0, 0, 1
        s.hands[0] = pack_cards(cards)
        packed = pack_cards(cards)
        plays = [
            path
            for path in GAME.plays(states[0])
            if move_of_path(path, int(rocket_of(s.rules))).cards == packed
        ]
        assert len(plays) == (expected is not None), cards
        if expected:
            assert read_path(cards, GAME.masks(states)[0]) == plays[0]
        found[expected is not None] += 1
    assert found[True] > 60


@pytest.mark.parametrize(
    "options",
    [
        {"players": 4},
        {"wild": "three"},
        {"auction": "continuous"},
        {"snatch": True},
        {"doubling": "double"},
        {"reveal_bottom": False},
        {"kicker_rocket": False},
        {"kicker_pair_max_same": None},
    ],
)
def test_other_rules_are_refused(options: dict[str, Any]) -> None:
    rules = GAME.make_rules(**PLAYS | options)
    name = next(iter(options))
    with pytest.raises(AgentError, match=rf"rules of Botzone only: set .*\b{name}="):
        make_agent("botzone:cat", GAME, rules)


def test_the_message_says_what_to_set() -> None:
    with pytest.raises(AgentError) as caught:
        make_agent("botzone:cat", GAME, GAME.make_rules())
    settings = str(caught.value).partition("set ")[2].split()
    assert settings == [f"{name}={str(value).lower()}" for name, value in PLAYS.items()]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example in C, compiled."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    path = tmp_path_factory.mktemp("bot") / "longest"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1"]
    subprocess.run([compiler, *flags, "-o", path, EXAMPLE], check=True)
    return path


def tournament(program: Path, arguments: str, deals: int, **options: Any) -> None:
    """A tournament in which a program must not make one mistake."""
    rules = GAME.make_rules(**{**changed_options(RULES), **options})
    settings = [f"{name}={str(value).lower()}" for name, value in changed_options(rules).items()]
    name = f"botzone:move_s=20 {program} {arguments}"
    [results] = run_tournament(
        TournamentConfig(game="doudizhu", agents=["rule", name], deals=deals, set=settings)
    )
    assert results.failures == []
    [pair] = results.pairs
    assert pair.deals == deals
    assert pair.mean_diff is not None
    assert pair.win_rate is not None
    assert 0.05 < pair.win_rate < 0.95


def test_a_program_plays_a_whole_tournament_without_a_mistake(program: Path) -> None:
    tournament(program, "stay", 20)


def test_a_process_a_move(program: Path) -> None:
    tournament(program, "", 3)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["", "stay"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"hands_per_match": 3},
        {"all_pass": "redeal", "all_pass_limit": 3},
        {"all_pass": "void", "all_pass_limit": 3},
        {"all_pass_limit": 3},
    ],
)
def test_long_tournaments(program: Path, arguments: str, options: dict[str, Any]) -> None:
    tournament(program, arguments, 30, **options)


def test_it_plays_the_same_in_both_modes_and_beats_chance(program: Path) -> None:
    names = [f"botzone:move_s=20 {program}", f"botzone:move_s=20 {program} stay", "random"]
    a, b, c = (make_agent(name, GAME, RULES) for name in names)
    seeds = spawn_seeds(4, 4)
    first, second = (play_deals(GAME, RULES, [agent, c], seeds) for agent in (a, b))
    assert first.fouls == second.fouls == []
    assert np.array_equal(first.payoffs, second.payoffs)
    assert first.differences().mean() > 0


def test_few_processes_stay(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.bridges.botzone.MAX_RUNNING", 2)
    agent = make_agent(f"botzone:move_s=20 {program} stay", GAME, RULES)
    assert isinstance(agent, BotzoneAgent)
    outcome = play_deals(GAME, RULES, [agent, make_agent("rule", GAME, RULES)], spawn_seeds(0, 1))
    assert outcome.fouls == []
    assert len(agent._running) <= 2
    assert outcome.seating.size > 2


def test_a_process_that_stays_follows_a_story_that_is_not_true(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(botzone_hand, "MAX_STEPS", 3)
    names = [f"botzone:move_s=20 {program} stay", "random"]
    agents = [make_agent(name, GAME, RULES) for name in names]
    assert play_deals(GAME, RULES, agents, spawn_seeds(0, 4)).fouls == []
