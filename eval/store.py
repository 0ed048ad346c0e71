"""A run's folder: the SQLite file in which a tournament keeps its settings and finished deals.

One file, `run.sqlite`, is one game's tournament. `load_run(folder)` reads it as numpy arrays, also
while it is played. Its tables:

- `settings(name, value)`: what the results depend on, each value as JSON.
- `groups(number, players, games)`: the agents that meet in every deal, as a JSON list of their
  places in the setting `names`, and how many games they play of each deal.
- `deals(grp, deal, payoffs, seating, sides, lost_by)`: a row for each group and finished deal.
  The last four are arrays of bytes, row by row: payoffs [G, S] int64 (little-endian), seating
  [G, S], sides [G, S] and lost_by [G] int8, as `Outcome` describes them. Agents are numbered by
  their place in the group, from 0.
- `fouls(grp, deal, game, player, kind, message)`: answers that lost their games, in their order.
- `records(grp, deal, game, line)`: with the setting `records`, every game as `envs.core.record`
  writes it.
"""

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from envs.core.errors import RulesError
from envs.core.game import Array
from envs.core.rng import spawn_seeds
from eval.match import Foul, Outcome
from eval.workers import Chunk, Group, Played

FILE_NAME = "run.sqlite"
RECORDS_NAME = "records.jsonl"
VERSION = 1
"""Of the tables, as `PRAGMA user_version`."""
PAYOFFS, SMALL = np.dtype("<i8"), np.dtype("i1")

SCHEMA = """
    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE groups (
        number INTEGER PRIMARY KEY, players TEXT NOT NULL, games INTEGER NOT NULL
    );
    CREATE TABLE deals (
        grp INTEGER, deal INTEGER, payoffs BLOB NOT NULL, seating BLOB NOT NULL,
        sides BLOB NOT NULL, lost_by BLOB NOT NULL, PRIMARY KEY (grp, deal)
    ) WITHOUT ROWID;
    CREATE TABLE fouls (
        number INTEGER PRIMARY KEY, grp INTEGER NOT NULL, deal INTEGER NOT NULL,
        game INTEGER NOT NULL, player INTEGER NOT NULL, kind TEXT NOT NULL, message TEXT NOT NULL
    );
    CREATE INDEX fouls_of_deal ON fouls (grp, deal);
    CREATE TABLE records (
        grp INTEGER, deal INTEGER, game INTEGER, line TEXT NOT NULL, PRIMARY KEY (grp, deal, game)
    ) WITHOUT ROWID;
"""


class Store:
    """Finished deals, in a folder or, without one, in memory.

    Chunks are added whole or not at all, whatever becomes of the process.
    """

    def __init__(self, folder: Path | None) -> None:
        """Open the file of a folder, or make it.

        Raises:
            RulesError: the folder's file is something else, or of another version.
        """
        self.folder = folder
        self._where = ":memory:" if folder is None else str(folder / FILE_NAME)
        self._db = sqlite3.connect(self._where, isolation_level=None)
        try:
            self._prepare()
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise RulesError(f"{self._where} is no run of a tournament: {error}") from error
        except RulesError:
            self._db.close()
            raise

    def _prepare(self) -> None:
        """Make the tables of a new file, check those of another."""
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        is_new = self._db.execute("SELECT count(*) = 0 FROM sqlite_master").fetchone()[0]
        if not is_new and version != VERSION:
            raise RulesError(f"{self._where}: its tables have version {version}, not {VERSION}")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if is_new:
            with self._transaction():
                for statement in SCHEMA.split(";"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {VERSION}")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All that is written meanwhile, or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @property
    def settings(self) -> dict[str, Any]:
        """What the results depend on; empty at first."""
        rows = self._db.execute("SELECT name, value FROM settings ORDER BY rowid")
        return {name: json.loads(value) for name, value in rows}

    @property
    def groups(self) -> list[tuple[tuple[int, ...], int]]:
        """Players and games a deal of each group."""
        rows = self._db.execute("SELECT players, games FROM groups ORDER BY number")
        return [(tuple(json.loads(players)), games) for players, games in rows]

    def begin(self, settings: Mapping[str, Any], groups: Sequence[Group]) -> None:
        """Begin a run, or go on with the one that is here.

        Raises:
            RulesError: the one that is here has other settings; names them.
        """
        wanted: dict[str, Any] = json.loads(json.dumps(settings))
        found = self.settings
        if found and found != wanted:
            differences = [
                f"{name} {found.get(name)!r} there, {wanted.get(name)!r} now"
                for name in {**found, **wanted}
                if found.get(name) != wanted.get(name)
            ]
            raise RulesError(
                f"out: {self.folder} holds a run with other settings: {'; '.join(differences)}"
            )
        if not found:
            with self._transaction():
                self._db.executemany(
                    "INSERT INTO settings VALUES (?, ?)",
                    [(name, json.dumps(value)) for name, value in wanted.items()],
                )
                self._db.executemany(
                    "INSERT INTO groups VALUES (?, ?, ?)",
                    [(n, json.dumps(group.players), group.games) for n, group in enumerate(groups)],
                )

    def has(self, chunk: Chunk) -> bool:
        """Whether a chunk is finished."""
        row = self._db.execute(
            "SELECT 1 FROM deals WHERE grp = ? AND deal = ?", (chunk.group, chunk.first)
        )
        return row.fetchone() is not None

    def add(self, chunk: Chunk, played: Played) -> None:
        """Keep what a chunk brought; one that is here already stays as it is."""
        outcome = played.outcome
        arrays = [outcome.payoffs.astype(PAYOFFS)]
        for small in (outcome.seating, outcome.sides, outcome.lost_by):
            arrays.append(small.astype(SMALL))
        num_games = outcome.lost_by.shape[1]
        with self._transaction():
            if self.has(chunk):
                return
            self._db.executemany(
                "INSERT INTO deals VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (chunk.group, chunk.first + deal, *(array[deal].tobytes() for array in arrays))
                    for deal in range(chunk.num)
                ],
            )
            self._db.executemany(
                "INSERT INTO fouls VALUES (NULL, ?, ?, ?, ?, ?, ?)",
                [
                    (chunk.group, chunk.first + f.deal, f.game, f.player, f.kind, f.message)
                    for f in outcome.fouls
                ],
            )
            self._db.executemany(
                "INSERT INTO records VALUES (?, ?, ?, ?)",
                [
                    (chunk.group, chunk.first + number // num_games, number % num_games, line)
                    for number, line in enumerate(played.records)
                ],
            )

    def read(self, chunk: Chunk) -> Outcome:
        """What those of a chunk's deals that are finished brought."""
        span = (chunk.group, chunk.first, chunk.first + chunk.num)
        rows = self._db.execute(
            "SELECT payoffs, seating, sides, lost_by FROM deals "
            "WHERE grp = ? AND deal >= ? AND deal < ? ORDER BY deal",
            span,
        ).fetchall()
        kinds: tuple[np.dtype[Any], ...] = (PAYOFFS, SMALL, SMALL, SMALL)
        payoffs, seating, sides, lost_by = (
            np.frombuffer(b"".join(row[column] for row in rows), kind).astype(np.int64)
            for column, kind in enumerate(kinds)
        )
        fouls = self._db.execute(
            "SELECT player, kind, message, deal - ?, game FROM fouls "
            "WHERE grp = ? AND deal >= ? AND deal < ? ORDER BY deal, number",
            (chunk.first, *span),
        )
        _, num_games = self.groups[chunk.group]
        shape = (len(rows), num_games, -1) if rows else (0, num_games, 0)
        return Outcome(
            payoffs.reshape(shape),
            seating.reshape(shape),
            lost_by.reshape(shape[:2]),
            [Foul(*row) for row in fouls],
            sides.reshape(shape),
        )

    def count_games(self) -> int:
        """Games of the finished deals."""
        rows = self._db.execute("SELECT grp, count(*) FROM deals GROUP BY grp").fetchall()
        groups = self.groups
        return sum(groups[number][1] * num for number, num in rows)

    def count_deals(self, group: int) -> int:
        """How many deals of a group are finished without a gap, from deal 0 on."""
        row = self._db.execute(
            "SELECT min(deal) + 1 FROM deals AS d WHERE grp = ?1 AND NOT EXISTS "
            "(SELECT 1 FROM deals WHERE grp = ?1 AND deal = d.deal + 1)",
            (group,),
        ).fetchone()
        has_first = self.has(Chunk(group, 0, 1))
        return int(row[0]) if has_first else 0

    def run(self) -> "Run":
        """All deals that are finished without a gap."""
        settings, groups = self.settings, []
        for number, (players, _) in enumerate(self.groups):
            num = self.count_deals(number)
            groups.append(
                GroupRun(
                    agents=[settings["names"][player] for player in players],
                    seeds=spawn_seeds(settings["seed"], num),
                    outcome=self.read(Chunk(number, 0, num)),
                )
            )
        return Run(settings=settings, groups=groups)

    def write_records(self) -> Path | None:
        """Write every game of the finished deals to `records.jsonl`, in their order: all of it, or
        nothing. Returns its path, None where there is no folder or nothing was written down.
        """
        if self.folder is None or not self.settings["records"]:
            return None
        path = self.folder / RECORDS_NAME
        partial = path.with_suffix(".tmp")
        with partial.open("w", encoding="utf-8") as file:
            query = "SELECT line FROM records ORDER BY grp, deal, game"
            file.writelines(f"{line}\n" for (line,) in self._db.execute(query))
        os.replace(partial, path)
        return path


@dataclass(frozen=True, kw_only=True)
class GroupRun:
    """What one group of agents has played."""

    agents: list[str]
    """Those that `outcome` numbers from 0."""
    seeds: Array
    """[D] int64: seed of each deal, from deal 0 on."""
    outcome: Outcome


@dataclass(frozen=True, kw_only=True)
class Run:
    """A tournament as far as it is played."""

    settings: dict[str, Any]
    """What the results depend on: game, options, names, seed and so on."""
    groups: list[GroupRun]
    """Every pair of agents; then, where they meet at one table, all of them."""


def load_run(folder: Path) -> Run:
    """Read the run of a folder: all deals that are finished without a gap.

    Raises:
        RulesError: there is none.
    """
    if not (folder / FILE_NAME).is_file():
        raise RulesError(f"{folder} holds no run: there is no {FILE_NAME}")
    with closing(Store(folder)) as store:
        if not store.settings:
            raise RulesError(f"{folder} holds no run: it was stopped before it began")
        return store.run()
