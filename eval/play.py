"""A person against agents, at the terminal: any game, any variant.

`python -m eval.play --game tichu --seat 0 --against rule rule rule`
"""

import functools
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import envs
from agents.base import Agent
from agents.builtin import builtin_names
from agents.roster import make_agent
from envs.core.cli import read_rules, run_program
from envs.core.errors import AgentError, JipaeError, RulesError
from envs.core.game import OVER, Game, Record
from envs.core.layout import empty_vectors
from envs.core.record import GameRecord, make_record, write_records
from envs.core.rng import derive_seed
from envs.core.rules import changed_options, check_types
from envs.core.seeding import check_seed, decision_key, fresh_seed, next_seed
from eval.choices import Choice, Play, advance
from eval.person import QUIET, TITLE, WARNING, Left, Person, Read, Resigned, Turn
from eval.referee import Fault, Questions, ask, tell_ended
from eval.texts import Language, Words, default_language

PERSON = "human"
"""The person's name in records."""
NO_FILE = "-"
DEFAULT_FILE = "{game}-{seed}.jsonl"


@dataclass(frozen=True, kw_only=True)
class PlayConfig:
    """Play against agents at the terminal; `help` lists what can be typed."""

    game: str = "doudizhu"
    """Name of the game."""
    seat: int = 0
    """Your seat, from 0."""
    against: list[str] | None = None
    """Agents at the other seats, from the one after yours on, or one for all of them: by name
    (rule, random) or as path/to/file.py:Class; the strongest that comes along if left out."""
    set: list[str] = field(default_factory=list)
    """Options of the game as option=value, or preset=name for a named variant."""
    seed: int | None = None
    """Number from which the deals and all chance follow; a new one if left out."""
    games: int | None = None
    """Games to play; you are asked after each if left out."""
    record: str | None = None
    """File to which the record of every game is added; you are asked at the end if left out."""
    language: Language | None = None
    """en or ko; that of the locale if left out."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type or out of range."""
        check_types(self)
        if self.seed is not None:
            check_seed(self.seed)
        if self.games is not None and self.games < 1:
            raise RulesError(f"games must be at least 1, got {self.games}")


class Table:
    """One game while it runs."""

    def __init__(self, game: Game, rules: Any, seed: int, first_table: int) -> None:
        """Deal the game of `seed`; its seats get the table numbers from `first_table` on."""
        self.game, self.rules, self.seed = game, rules, seed
        self.history: list[str] = []
        """What the person has seen happen, a line each."""
        self.first_table = first_table
        self._states = game.new_games(rules, [seed])
        self._actions: list[int] = []
        self._num_decisions = [0] * game.num_seats(rules)

    @property
    def state(self) -> Record:
        """The state, hidden cards included."""
        return self._states[0]

    @property
    def scores(self) -> list[int]:
        """Payoffs so far, [seats]."""
        return self.state.scores[: len(self._num_decisions)].tolist()  # type: ignore[no-any-return]

    def take(self, path: Play) -> str | None:
        """Take a whole play: returns what everybody sees happen, None if that is nothing."""
        before = self._public
        for action in path:
            is_choice = np.count_nonzero(self.game.masks(self._states)) > 1
            self._num_decisions[self.state.turn] += int(is_choice)
            self.game.apply(self._states, np.array([action]))
            self._actions.append(action)
        after = self._public
        return after[0] if after != before else None

    @property
    def _public(self) -> tuple[str, int, list[int]]:
        """What tells of everything that happens in the open."""
        return self.game.last_event(self.state), int(self.state.deals), self.scores

    def ask(self, agent: Agent, path: Play = ()) -> Play | Fault:
        """The play that the agent makes for the seat on turn, going on from `path`.

        Its keys are those of a tournament; where a path is given, others for every path.
        """
        seat, seed = int(self.state.turn), functools.reduce(derive_seed, path, self.seed)
        states = advance(self.game, self.state, path)
        number = self._num_decisions[seat]
        while not path or states[0].pending:
            masks = self.game.masks(states)
            action = int(masks[0].argmax())
            if np.count_nonzero(masks) > 1:
                observations = empty_vectors(1, self.game.layout(self.rules))
                self.game.observe(states, np.array([seat]), observations)
                key = np.array([decision_key(seed, seat, number)])
                table = np.array([self.first_table + seat])
                actions, faults = ask(agent, Questions(observations, masks, key, table))
                if faults:
                    return faults[0]
                action, number = int(actions[0]), number + 1
            path = (*path, action)
            self.game.apply(states, np.array([action]))
        return path

    def forfeit(self) -> list[int]:
        """The payoffs of the whole game, [seats], if the seat on turn gives it up."""
        payoffs = self.game.forfeit(self.state, int(self.state.turn))
        return [a + int(b) for a, b in zip(self.scores, payoffs, strict=False)]

    def record(self, players: list[str]) -> GameRecord:
        """The game so far."""
        record = make_record(self.game, self.rules, self.seed, self._actions)
        return replace(record, players=players)


class Session:
    """Several games of a person against the same agents."""

    def __init__(self, config: PlayConfig, person: Person) -> None:
        """Get everything ready.

        Raises:
            JipaeError: an unknown game, option or agent, no such seat, or no such file.
        """
        game = envs.load_game(config.game)
        rules = read_rules(game, config.set)
        num_seats = game.num_seats(rules)
        if not 0 <= config.seat < num_seats:
            raise RulesError(f"seat must be 0 to {num_seats - 1}, got {config.seat}")
        others = _one_for_each(config.against or builtin_names(game)[-1:], num_seats - 1)
        self.config, self.person, self.game, self.rules = config, person, game, rules
        self.seat = config.seat
        seats = [(self.seat + 1 + i) % num_seats for i in range(num_seats - 1)]
        self.names = [PERSON] * num_seats
        self._agents: dict[int, Agent] = {}
        for seat, name in zip(seats, others, strict=True):
            self.names[seat] = name
            self._agents[seat] = make_agent(name, game, rules)
        self._advisers: dict[str, Agent] = {}
        self._totals = [0] * num_seats
        self._num_counted = 0
        self._records: list[GameRecord] = []
        if config.record is not None:
            _write(config.record, [])

    def run(self) -> None:
        """Play until the person has enough."""
        seed = fresh_seed() if self.config.seed is None else self.config.seed
        number = 0
        try:
            while self._goes_on(number):
                number += 1
                self._play_game(number, seed)
                seed = next_seed(seed)
        except (Left, KeyboardInterrupt):
            if number > self._num_counted:
                self.person.say("left")
        if self._records:
            self._offer_record()

    def _goes_on(self, number: int) -> bool:
        if self.config.games is not None:
            return number < self.config.games
        return number == 0 or self.person.confirm("ask_again", True)

    def _play_game(self, number: int, seed: int) -> None:
        """Play one game; its record is kept whatever happens."""
        table = Table(self.game, self.rules, seed, number * len(self.names))
        self._open(number, seed)
        payoffs = table.scores
        try:
            payoffs = self._play(table)
        finally:
            self._keep(table.record(self.names))
            self._tell_agents(table, payoffs)
        self._num_counted += 1
        self._close(table, payoffs)

    def _tell_agents(self, table: Table, payoffs: list[int]) -> None:
        """Tell the agents that the game is over; those that gave hints had the person's seat."""
        seated = [*self._agents.items(), *((self.seat, agent) for agent in self._advisers.values())]
        seats = np.array([seat for seat, _ in seated])
        agents = [agent for _, agent in seated]
        tell_ended(
            agents, np.arange(len(agents)), table.first_table + seats, np.array(payoffs)[seats]
        )

    def _open(self, number: int, seed: int) -> None:
        """Say what is played, who sits where, and how plays are written."""
        options = "".join(f", {k}={v}" for k, v in changed_options(self.rules).items())
        title = self.game.title
        self.person.show("")
        self.person.say("title", TITLE, title=title, number=number, options=options)
        self.person.say("seed", QUIET, seed=seed)
        for seat in range(len(self.names)):
            self.person.say("seated", seat=seat, name=self._shown(seat))
        if notation := self.person.words.notation(self.game.name):
            self.person.say("notation", QUIET, notation=notation)

    def _shown(self, seat: int) -> str:
        return self.person.words("you") if seat == self.seat else self.names[seat]

    def _play(self, table: Table) -> list[int]:
        """Play to the end: returns the payoffs, [seats]."""
        while (seat := int(table.state.turn)) != OVER:
            if seat != self.seat:
                found = table.ask(self._agents[seat])
                if isinstance(found, Fault):
                    name, problem = self.names[seat], found.message
                    self.person.say("forfeited", WARNING, seat=seat, name=name, problem=problem)
                    return table.forfeit()
                self._tell(table, table.take(found))
                continue
            try:
                path = self._choose(table)
            except Resigned:
                self.person.say("resigned")
                return table.forfeit()
            play = self.game.format_play(table.state, path)
            self._tell(table, table.take(path) or self.person.words("you_play", play=play))
        return table.scores

    def _tell(self, table: Table, event: str | None) -> None:
        if event is not None:
            table.history.append(event)
            self.person.show(event, QUIET)

    def _choose(self, table: Table) -> Play:
        """The person's play; the only one is made without asking."""
        choice = Choice(self.game, table.state)
        options = list(choice.numbers.values())
        if len(options) == 1:
            self.person.say("one_way", QUIET, play=options[0].text)
            return options[0].path
        turn = Turn(
            self.person,
            choice,
            render=lambda state: self.game.render(state, self.seat),
            hint=lambda name, path: self._hint(table, name, path),
            history=table.history,
            payoff_if_resigned=table.forfeit()[self.seat],
        )
        return turn.choose()

    def _hint(self, table: Table, name: str, path: Play) -> str:
        """What the agent of that name, by default the strongest, would play after `path`."""
        words = self.person.words
        name = name or builtin_names(self.game)[-1]
        try:
            if name not in self._advisers:
                self._advisers[name] = make_agent(name, self.game, self.rules)
        except JipaeError as error:
            return words("no_hint", agent=name, problem=error)
        found = table.ask(self._advisers[name], path)
        if isinstance(found, Fault):
            return words("no_hint", agent=name, problem=found.message)
        return words("hint", agent=name, play=self.game.format_play(table.state, found))

    def _close(self, table: Table, payoffs: list[int]) -> None:
        """Say how the game ended, and the running score."""
        own = payoffs[self.seat]
        self.person.show(self.game.render(table.state, self.seat))
        outcome = self.person.words("won" if own > 0 else "lost" if own < 0 else "even", payoff=own)
        self.person.say("over", TITLE, outcome=outcome)
        self.person.say("standing", num=self._num_counted)
        for seat, payoff in enumerate(payoffs):
            self._totals[seat] += payoff
            total, name = self._totals[seat], self._shown(seat)
            self.person.say("score", seat=seat, name=name, payoff=payoff, total=total)

    def _keep(self, record: GameRecord) -> None:
        self._records.append(record)
        if self.config.record is not None:
            _write(self.config.record, [record])

    def _offer_record(self) -> None:
        """Say where the record is, or ask where to put it, until it can be written."""
        path = self.config.record
        if path is not None:
            self.person.say("recorded", path=path)
            return
        default = DEFAULT_FILE.format(game=self.game.name, seed=self._records[0].seed)
        try:
            while (path := self.person.ask("ask_record", path=default) or default) != NO_FILE:
                try:
                    _write(path, self._records)
                except RulesError as error:
                    self.person.say("not_recorded", WARNING, problem=error)
                else:
                    self.person.say("recorded", path=path)
                    return
        except (Left, KeyboardInterrupt):
            return


def _one_for_each(names: list[str], num: int) -> list[str]:
    """The name of an agent for each of `num` seats; one stands for all."""
    names = names * num if len(names) == 1 else names
    if len(names) != num:
        raise AgentError(f"against: expected {num} agents, or one for all, got {len(names)}")
    return names


def _write(path: str, records: list[GameRecord]) -> None:
    """Add records to a file, which is made if it is not there."""
    try:
        write_records(Path(path), records, append=True)
    except (OSError, ValueError) as error:
        raise RulesError(f"record: {error}") from error


def main(argv: Sequence[str] | None = None, read: Read = input) -> int:
    """The program: returns its exit status, 2 after an error in what it was told."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")

    def run(config: PlayConfig) -> int:
        words = Words(config.language or default_language())
        Session(config, Person(words, read)).run()
        return 0

    return run_program(PlayConfig, "python -m eval.play", run, argv)


if __name__ == "__main__":
    sys.exit(main())
