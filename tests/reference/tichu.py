"""Tichu written clause by clause from the rules: slow, obvious, independent of the engine.

Clause numbers are those of the rules text. A round is one generator that reads like the rules: it
yields every question in order and is sent the answers. Seats are 0 to 3, teams `seat % 2` (1.1).
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from tests.reference.tichu_combinations import (
    MAHJONG,
    ORDINARY_RANKS,
    POINTS,
    Cards,
    Play,
    Reading,
    bombs_on,
    sort_cards,
    turn_plays,
    wished_plays,
)

SEATS = range(4)
Action = Play | str  # a combination or a word of the golden cases
Questions = Generator["Question", Action, Any]


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of section 2; those about actions (`suit_choice` and below) change nothing."""

    episode: Literal["match", "round"] = "match"
    target_score: int = 1000
    start_scores: tuple[int, int] = (0, 0)
    max_rounds: int | None = 50
    first_dealer: Literal["random", 0, 1, 2, 3] = "random"
    next_dealer: Literal["winner", "rotate"] = "winner"
    grand_tichu: bool = True
    tichu_window: Literal["every_action", "before_partner", "own_turn"] = "every_action"
    bomb_window: Literal["every_action", "every_play", "own_turn_only"] = "every_action"
    bomb_ask: Literal["holders", "public"] = "holders"
    wish_binds_collect: bool = True
    dog_return: Literal["next_active", "skip_self"] = "next_active"
    suit_choice: Literal["relevant", "always"] = "relevant"
    suit_pick: Literal["random", "lowest"] = "random"
    skip_forced: bool = False

    def __post_init__(self) -> None:
        """Refuse unknown values (section 2)."""
        for name, hint in get_type_hints(Options).items():
            value = getattr(self, name)
            if get_origin(hint) is Literal and value not in get_args(hint):
                raise ValueError(f"{name} must be one of {get_args(hint)}, got {value!r}")
            if hint in (int, int | None) and value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value!r}")


class Question(NamedTuple):
    """What a seat is asked; `phase` is a word of the golden cases."""

    seat: int
    phase: str
    choices: Sequence[Action]


def partner(seat: int) -> int:
    """The other seat of the team (1.1)."""
    return (seat + 2) % 4


def seats_from(seat: int) -> list[int]:
    """All seats in play order (1.1)."""
    return [(seat + step) % 4 for step in SEATS]


class Result(NamedTuple):
    """The score of a round (section 10), by team; `card_points` are None after a double win."""

    finish: list[int]
    double: bool
    card_points: list[int] | None
    round_points: list[int]


def points(cards: Sequence[str]) -> int:
    """What captured cards are worth (1.4)."""
    return sum(POINTS[card] for card in cards)


def settle(
    finish: Sequence[int],
    won: Sequence[Sequence[str]],
    hands: Sequence[Sequence[str]],
    calls: Mapping[int, str],
) -> Result:
    """Score a round from the cards captured and left over, by seat (10.2 to 10.4)."""
    first, double = finish[0], len(finish) == 2
    order, team_points = list(finish), [0, 0]
    if double:  # 10.3
        team_points[first % 2] = 200
    else:  # 10.2
        (last,) = set(SEATS) - set(finish)
        order.append(last)
        for seat in SEATS:
            team_points[(first if seat == last else seat) % 2] += points(won[seat])
        team_points[1 - last % 2] += points(hands[last])
    round_points = list(team_points)
    for seat, call in calls.items():  # 10.4
        worth = {"small": 100, "grand": 200}[call]
        round_points[seat % 2] += worth if seat == first else -worth
    return Result(order, double, None if double else team_points, round_points)


def match_status(scores: Sequence[int], rounds: int, opt: Options) -> tuple[bool, int | None]:
    """Whether a match is over after so many rounds, and which team has won it (10.5 to 10.7)."""
    if max(scores) >= opt.target_score and scores[0] != scores[1]:
        return True, scores.index(max(scores))
    return opt.episode == "round" or rounds == opt.max_rounds, None


def next_dealer(dealer: int, finish: Sequence[int], opt: Options) -> int:
    """The dealer of the round after one (T-D02)."""
    return finish[0] if opt.next_dealer == "winner" else (dealer + 1) % 4


def bomb_size_above(top: Reading) -> int:
    """Cards that the smallest bomb takes which beats `top`, a public fact (9.5)."""
    if top.kind == "sflush":
        return top.n + (top.rank == 14)
    return 5 if top.kind == "quad" and top.rank == 14 else 4


@dataclass(kw_only=True)
class Round:
    """One round: `question` is what is asked next, None when it is over and `result` is there.

    `deal` begins a round; any other position is given by its fields and begins with the regular
    turn of seat `turn` (section 6).
    """

    opt: Options
    hands: list[Cards]
    turn: int
    top: Reading | None = None
    owner: int | None = None
    pile: list[str] = field(default_factory=list)
    passes: int = 0
    wish: int | None = None
    finish: list[int] = field(default_factory=list)
    played: set[int] = field(default_factory=set)
    calls: dict[int, str] = field(default_factory=dict)
    won: list[list[str]] = field(default_factory=lambda: [[] for _ in SEATS])
    deck: Sequence[str] = ()
    question: Question | None = None
    result: Result | None = None

    def __post_init__(self) -> None:
        """Go to the first question."""
        self._questions = self._run()
        self.question = next(self._questions, None)

    @classmethod
    def deal(cls, opt: Options, deck: Sequence[str], dealer: int) -> "Round":
        """A round from its beginning; the first card of the deck is drawn first."""
        return cls(opt=opt, hands=[()] * 4, turn=dealer, deck=deck)

    def act(self, action: Action) -> None:
        """Answer the question; ValueError, without a change, if the answer is no choice."""
        if self.question is None or action not in self.question.choices:
            raise ValueError(f"{action} is no answer to {self.question}")
        try:
            self.question = self._questions.send(action)
        except StopIteration:
            self.question = None

    def _run(self) -> Questions:
        if self.deck:
            yield from self._before_the_play()
        if self.top is None:
            for seat in seats_from(self.turn)[1:]:  # 3.8
                if self._may_call(seat):
                    yield from self._ask_for_call(seat)
        while not self._is_over():
            yield from self._take_turn()
        if len(self.finish) == 3 and self.top:  # 10.1
            yield from self._take_trick()
        self.result = settle(self.finish, self.won, self.hands, self.calls)

    # Section 3: before the play.

    def _before_the_play(self) -> Questions:
        order = seats_from(self.turn)
        for drawn in (8, 14):  # 3.2 and 3.4
            for k, seat in enumerate(order):
                self.hands[seat] = sort_cards(self.deck[k::4][:drawn])
            call = "grand" if drawn == 8 else "small"
            for seat in order:  # 3.3 and 3.5
                if seat in self.calls or (call == "grand" and not self.opt.grand_tichu):
                    continue
                phase = {"grand": "grand", "small": "tichu"}[call]
                if (yield Question(seat, phase, ["call", "decline"])) == "call":
                    self.calls[seat] = call
        yield from self._exchange(order)
        self.turn = next(seat for seat in SEATS if MAHJONG in self.hands[seat])  # 3.7

    def _exchange(self, order: list[int]) -> Questions:
        """The twelve picks, then all cards move at once (3.6)."""
        moves = []
        for giver in order:
            kept = list(self.hands[giver])
            for taker in seats_from(giver)[1:]:
                answer = yield Question(giver, "exchange", [f"give {card}" for card in kept])
                card = str(answer).removeprefix("give ")
                kept.remove(card)
                moves.append((giver, taker, card))
        for giver, taker, card in moves:
            self.hands[giver] = sort_cards(set(self.hands[giver]) - {card})
            self.hands[taker] = sort_cards({*self.hands[taker], card})

    # Section 3.1: small tichu.

    def _may_call(self, seat: int) -> bool:
        return seat not in self.calls and seat not in self.played and not self.finish

    def _ask(self, seat: int, phase: str, choices: Sequence[Action]) -> Questions:
        """Ask a question of one's own; after a call it is asked again (T-D06)."""
        if not self._may_call(seat):
            return (yield Question(seat, phase, choices))
        answer = yield Question(seat, phase, ["call", *choices])
        if answer == "call":
            self.calls[seat] = "small"
            return (yield Question(seat, phase, choices))
        return answer

    def _ask_for_call(self, seat: int) -> Questions:
        """A question out of turn without bombs; after a call nothing is left to ask."""
        if (yield Question(seat, "interrupt", ["call", "decline"])) == "call":
            self.calls[seat] = "small"

    def _is_asked_for_call(self, seat: int, actor: int, passed: int | None) -> bool:
        """Whether a seat may call in the window before `actor` is next (T-D06)."""
        if not self._may_call(seat) or seat in (actor, passed):
            return False
        window = self.opt.tichu_window
        return window == "every_action" or (window == "before_partner" and partner(seat) == actor)

    # Section 6: turns and tricks.

    def _is_active(self, seat: int) -> bool:
        return len(self.hands[seat]) > 0

    def _next_active(self, seat: int) -> int:
        return next(s for s in [*seats_from(seat)[1:], seat] if self._is_active(s))

    def _is_over(self) -> bool:
        """10.1: partners are out first and second, or three seats are out."""
        double = len(self.finish) == 2 and self.finish[0] == partner(self.finish[1])
        return double or len(self.finish) == 3

    def _take_turn(self) -> Questions:
        """A regular turn, the windows behind it, and the end of the trick if it is at its end."""
        plays, may_pass = turn_plays(self.hands[self.turn], self.top, self.wish)
        choices: list[Action] = [*plays, *(["pass"] if may_pass else [])]
        actor = self.turn
        answer = yield from self._ask(actor, "follow" if self.top else "lead", choices)
        if answer == "pass":
            self.passes += 1
            self.turn = self._next_active(actor)
            yield from self._run_windows(actor)
            return
        yield from self._put(actor, answer)
        if self._is_over():
            return
        if answer.reading.kind == "dog":
            yield from self._hand_over_lead(actor)
        else:
            yield from self._run_windows(None)

    def _run_windows(self, passed: int | None) -> Questions:
        """Windows until nobody bombs, then the trick ends if all have passed (6, 9.1)."""
        while (yield from self._bombs_in_window(passed)):
            passed = None
            if self._is_over():
                return
        if self._all_passed():
            yield from self._take_trick()

    def _put(self, seat: int, play: Play) -> Questions:
        """A play, in turn or not (section 6, steps 1 to 5)."""
        self.hands[seat] = sort_cards(set(self.hands[seat]) - set(play.cards))
        self.played.add(seat)
        if not self.hands[seat]:
            self.finish.append(seat)
        if play.has_rank(self.wish):  # T-D16
            self.wish = None
        if play.reading.kind != "dog":
            self.top, self.owner, self.passes = play.reading, seat, 0
            self.pile += play.cards
        if self._is_over():
            return
        if MAHJONG in play.cards:  # 7
            wishes = [f"wish {rank}" for rank in (*ORDINARY_RANKS, "none")]
            answer = yield Question(seat, "wish", wishes)
            self.wish = None if answer == "wish none" else int(str(answer).removeprefix("wish "))
        self.turn = self._next_active(seat)

    def _all_passed(self) -> bool:
        """All active seats but the owner have passed in a row (T-D17)."""
        return self.passes == sum(self._is_active(s) for s in SEATS if s != self.owner)

    def _take_trick(self) -> Questions:
        """The pile goes to its owner or, by the dragon, to an opponent (6, T-D29)."""
        assert self.owner is not None
        taker = self.owner
        if self.top and self.top.kind == "single" and self.top.rank == 15:
            answer = yield Question(self.owner, "gift", ["gift right", "gift left"])
            taker = (self.owner + (1 if answer == "gift right" else 3)) % 4
        self.won[taker] += self.pile
        if not self._is_over():
            self.turn = self.owner if self._is_active(self.owner) else self._next_active(self.owner)
        self.top, self.owner, self.pile, self.passes = None, None, [], 0

    def _hand_over_lead(self, seat: int) -> Questions:
        """The dog (8.1), and the window for calls behind it."""
        order = [partner(seat), (seat + 3) % 4, seat, (seat + 1) % 4]
        if self.opt.dog_return == "skip_self":
            order.remove(seat)
        self.turn = next(s for s in order if self._is_active(s))
        for other in seats_from(seat):
            if self._is_asked_for_call(other, self.turn, None):
                yield from self._ask_for_call(other)

    # Section 9: bombs out of turn.

    def _bombs_in_window(self, passed: int | None) -> Questions:
        """One window (9.1): True if somebody has bombed, which ends it."""
        assert self.owner is not None
        last = self._all_passed()
        actor = self.owner if last else self.turn
        for seat in [*seats_from(self.owner)[1:], self.owner]:
            phase = "collect" if last and seat == self.owner else "interrupt"
            while True:
                bombs = self._window_bombs(seat, actor, passed)
                may_call = self._is_asked_for_call(seat, actor, passed)
                if bombs is None and not may_call:
                    break
                choices = self._window_choices(seat, phase, bombs or [])
                answer = yield Question(seat, phase, choices)
                if isinstance(answer, Play):
                    yield from self._put(seat, answer)
                    return True
                if answer == "decline":
                    break
                self.calls[seat] = "small"
        return False

    def _window_bombs(self, seat: int, actor: int, passed: int | None) -> list[Play] | None:
        """The bombs that a seat is asked about, None if it is not asked for a bomb (9.1, 9.5)."""
        assert self.top is not None
        last = self._all_passed()
        between_passes = self.passes > 0 and not last
        open_windows = ("every_action",) if between_passes else ("every_action", "every_play")
        is_open = self.opt.bomb_window in open_windows
        if not is_open or seat == passed or not self._is_active(seat):
            return None
        bombs = bombs_on(self.hands[seat], self.top)
        if self.opt.bomb_ask == "public":
            if len(self.hands[seat]) < bomb_size_above(self.top):
                return None
            is_asked = seat != actor or last or self.wish is not None
        else:
            is_asked = bool(bombs) and (seat != actor or last or self._wish_forbids(seat, bombs))
        return bombs if is_asked else None

    def _wish_forbids(self, seat: int, bombs: list[Play]) -> bool:
        """Whether the wish will forbid the next actor one of his bombs in his turn (9.1)."""
        legal, _ = turn_plays(self.hands[seat], self.top, self.wish)
        return not set(bombs) <= set(legal)

    def _window_choices(self, seat: int, phase: str, bombs: list[Play]) -> list[Action]:
        """What a seat may answer (T-D14, T-D15)."""
        if phase == "collect" and self.opt.wish_binds_collect:
            wished = wished_plays(bombs, self.wish)
            if wished:
                return list(wished)
        calls = ["call"] if self._may_call(seat) else []
        return ["decline", *calls, *bombs]
