"""Tournaments on a Ray cluster: a stand-in for ray that loses actors, and a real cluster."""

import sys
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import envs
from envs.core.errors import AgentError, RulesError
from eval import cluster
from eval.contest import Contest
from eval.results import Results
from eval.store import Store
from eval.tournament import TournamentConfig, main, play_all, prepare, run_tournament

ROOT = Path(__file__).parent.parent.parent
MOODY, RAISES = "tests.eval.bots:Moody", "tests.eval.bots:Raises"


@pytest.fixture(autouse=True)
def only_the_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envs, "GAMES", {"toy": "tests.toy_game"})


class FakeRay:
    """Runs what actors are asked for when it is waited for; `lose` says which of it is lost."""

    exceptions = SimpleNamespace(
        RayError=type("RayError", (Exception,), {}),
    )
    exceptions.RayTaskError = type("RayTaskError", (exceptions.RayError,), {})

    def __init__(self, lose: Callable[[str, int], bool] = lambda what, number: False) -> None:
        self.lose = lose
        self.asked: list[str] = []
        self.created: list[FakeActor] = []
        self.killed: list[FakeActor] = []
        self.kill = self.killed.append

    def remote(self, actor_class: type) -> Any:
        def create() -> "FakeActor":
            self.created.append(FakeActor(self, actor_class()))
            return self.created[-1]

        return SimpleNamespace(options=lambda **options: SimpleNamespace(remote=create))

    def is_initialized(self) -> bool:
        return True

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def wait(self, promises: list[Any], num_returns: int) -> tuple[list[Any], list[Any]]:
        return promises[-1:], promises[:-1]  # the youngest first

    def get(self, promise: tuple[int, str, Callable[[], Any]]) -> Any:
        number, what, run = promise
        if self.lose(what, number):
            raise self.exceptions.RayError("the actor died\nand more")
        try:
            return run()
        except Exception as error:
            wrapped = self.exceptions.RayTaskError()
            wrapped.cause = error
            raise wrapped from error


class FakeActor:
    def __init__(self, ray: FakeRay, actor: Any) -> None:
        self.ray, self.actor = ray, actor

    def __getattr__(self, name: str) -> Any:
        def ask(argument: Any) -> tuple[int, str, Callable[[], Any]]:
            self.ray.asked.append(name)
            return len(self.ray.asked), name, lambda: getattr(self.actor, name)(argument)

        return SimpleNamespace(remote=ask)


def contest_of(**settings: Any) -> Contest:
    usual: dict[str, Any] = {"agents": [MOODY, RAISES], "deals": 12, "batch_size": 12}
    [contest] = prepare(TournamentConfig(**usual | settings))
    return contest


def play(ray: FakeRay, monkeypatch: pytest.MonkeyPatch, ended: list[int]) -> Results:
    monkeypatch.setitem(sys.modules, "ray", ray)
    contest = contest_of()
    with closing(Store(None)) as store, cluster.ray_actors(contest.job, None) as play_chunks:
        store.begin(contest.settings, contest.groups)
        _, results = contest.play(store, play_chunks, ended.append)
        return results


def plain() -> Results:
    [results] = run_tournament(TournamentConfig(agents=[MOODY, RAISES], deals=12, batch_size=12))
    return results


def every_third_play(what: str, number: int) -> bool:
    return what == "play" and number % 3 == 0


def second_build(what: str, number: int) -> bool:
    return what == "build" and number == 2


@pytest.mark.parametrize("lose", [lambda what, number: False, every_third_play, second_build])
def test_lost_actors_change_nothing(lose: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ray, ended = FakeRay(lose), []
    found = play(ray, monkeypatch, ended)
    assert (found.pairs, found.failures) == (plain().pairs, plain().failures)
    assert sum(ended) == 12 * 6
    assert set(ray.killed) == set(ray.created)
    lost = len(ray.created) - 2
    assert (lost > 0) == any(lose(what, n) for n, what in enumerate(ray.asked, 1))
    assert ray.asked.count("play") == 6 + sum(
        bool(lose(what, n)) for n, what in enumerate(ray.asked, 1) if what == "play"
    )


def test_a_chunk_may_not_be_lost_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = FakeRay(lambda what, n: what == "play")
    with pytest.raises(AgentError, match=r"worker died \(the actor died\), as did 4 before it"):
        play(ray, monkeypatch, [])
    assert set(ray.killed) == set(ray.created)


def test_actors_that_are_never_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AgentError, match="actors die before they have built their agents"):
        play(FakeRay(lambda what, n: what == "build"), monkeypatch, [])


def test_an_error_in_an_actor_is_no_lost_actor(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(job: Any) -> Any:
        raise AgentError("no such file there")

    monkeypatch.setattr(cluster.Worker, "build", fail)
    with pytest.raises(AgentError, match="no such file there"):
        play(FakeRay(), monkeypatch, [])


def test_without_ray(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["--agents", MOODY, MOODY, "--cluster", "ray"]) == 2
    assert 'error: cluster: ray is missing: pip install "jipae[cluster]"' in capsys.readouterr().err


def test_without_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    def init(**settings: Any) -> None:
        assert settings["address"] == "auto"
        raise ConnectionError("Could not find any running Ray instance.\nMore.")

    ray = SimpleNamespace(is_initialized=lambda: False, init=init)
    monkeypatch.setitem(sys.modules, "ray", ray)
    with pytest.raises(RulesError, match=r"none to join .*: Could not find any running Ray"):
        list(play_all(TournamentConfig(agents=[MOODY, MOODY], cluster="ray")))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # ray's own
def test_a_node_dies_in_mid_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    utils = pytest.importorskip("ray.cluster_utils", reason="needs ray")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    nodes = utils.Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    doomed = [nodes.add_node(num_cpus=1)]
    nodes.wait_for_nodes()
    monkeypatch.setenv("RAY_ADDRESS", nodes.address)

    class Mortal(cluster._Actors):
        """Loses a node as soon as there is an actor at work on each."""

        def _give(self, waiting: Any) -> None:
            super()._give(waiting)
            if doomed and sum(chunk is not None for _, chunk in self._busy.values()) == 2:
                nodes.remove_node(doomed.pop(), allow_graceful=False)

    monkeypatch.setattr(cluster, "_Actors", Mortal)
    settings: dict[str, Any] = {"agents": ["tests.eval.bots:Slow", RAISES], "deals": 400}
    settings |= {"batch_size": 12, "records": True}
    ended: list[int] = []
    try:
        on_ray = TournamentConfig(**settings, out=str(tmp_path / "ray"), cluster="ray")
        watch = nullcontext(ended.append)
        [(results, _)] = play_all(on_ray, lambda contest, games: watch)
    finally:
        nodes.shutdown()
    assert doomed == []
    assert "they are played again" in caplog.text
    assert sum(ended) == 400 * 6
    assert results.interrupted is False
    run_tournament(TournamentConfig(**settings, out=str(tmp_path / "here")))
    for name in ("results.csv", "records.jsonl"):
        assert (tmp_path / "ray" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
