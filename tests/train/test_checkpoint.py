"""A run that was interrupted ends as if it had not been; a file cannot do anything but be read."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule

from envs.core.errors import JipaeError
from tests.eval.bots import Last
from tests.toy_game import GAME, ToyRules
from tests.train.tiny import NUM_STEPS, make_learner, make_tables, weights_of
from train.checkpoint import load_checkpoint, save_checkpoint
from train.opponents import Pool
from train.selfplay import SelfPlayPPO

NUM_TABLES, NUM_ROLLOUTS, STOP = 9, 7, 4
TOTAL = NUM_TABLES * NUM_STEPS * NUM_ROLLOUTS
VARIANTS = (ToyRules(hands=1), ToyRules(players=2), ToyRules())


class Watch(BaseCallback):
    """Adds snapshots to the pool, and after some rollouts saves the learner."""

    model: SelfPlayPPO

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        rollouts = self.num_timesteps // (NUM_TABLES * NUM_STEPS)
        if self.model.pool is not None and rollouts % 2 == 1:
            self.model.pool.add_snapshot(str(rollouts), self.model.policy.export_actor())
        if rollouts == STOP:
            save_checkpoint(self.path, self.model.state())


def build(seed: int, has_pool: bool, precision: str = "float32") -> SelfPlayPPO:
    tables = make_tables(NUM_TABLES, *VARIANTS, seed=seed)
    rng = np.random.Generator(np.random.Philox(seed))
    pool = Pool(tables, 5, [("last", [Last(GAME, rules) for rules in VARIANTS])], 2, rng)
    return make_learner(
        tables,
        seed=seed,
        pool=pool if has_pool else None,
        learning_rate=LinearSchedule(1e-2, 1e-4, 1.0),
        ent_coef=0.1,
        final_ent_coef=0.0,
        policy_kwargs={"hidden": [16], "critic_hidden": [16], "precision": precision},
    )


def everything(model: SelfPlayPPO) -> dict[str, Any]:
    """What a run leaves, to be compared."""
    state = model.state()
    carried = {name: array.tobytes() for name, array in state["carried"].items()}
    members = [] if model.pool is None else [(one.name, one.score) for one in model.pool.members]
    moments = [
        value.numpy().tobytes()
        for optimizer in state["optimizers"]
        for moment in optimizer["state"].values()
        for value in moment.values()
    ]
    tables = [table.tobytes() for table in state["tables"]["games"]]
    numbers = state["decisions"], state["updates"], state["chance"]
    return {"weights": weights_of(model), "carried": carried, "members": members,
            "moments": moments, "tables": tables, "numbers": numbers}  # fmt: skip


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("has_pool", [False, True], ids=["alone", "pool"])
def test_an_interrupted_run_ends_as_one_that_was_not(
    tmp_path: Path, has_pool: bool, precision: str
) -> None:
    path = tmp_path / "checkpoint.pt"
    straight = build(1, has_pool, precision)
    straight.learn(TOTAL, Watch(path))
    resumed = build(2, has_pool, precision)
    resumed.restore(load_checkpoint(path))
    assert resumed.num_timesteps == STOP * NUM_TABLES * NUM_STEPS
    assert weights_of(resumed) != weights_of(straight)
    watch = Watch(tmp_path / "second.pt")
    resumed.learn(TOTAL - resumed.num_timesteps, watch, reset_num_timesteps=False)
    assert everything(resumed) == everything(straight)
    assert len(everything(resumed)["members"]) == (3 if has_pool else 0)


def test_a_checkpoint_of_a_checkpoint_is_the_same(tmp_path: Path) -> None:
    first, second = tmp_path / "first.pt", tmp_path / "second.pt"
    build(1, True).learn(TOTAL, Watch(first))
    model = build(2, True)
    model.restore(load_checkpoint(first))
    save_checkpoint(second, model.state())
    other = build(3, True)
    other.restore(load_checkpoint(second))
    assert everything(other) == everything(model)


def test_what_a_checkpoint_holds_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "one.pt"
    state = {
        "number": 3,
        "words": ["a", "b"],
        "arrays": {"bytes": np.arange(4, dtype=np.int8), "empty": np.zeros((0, 2))},
        "tensor": torch.ones(2),
        "nothing": None,
    }
    save_checkpoint(path, state)
    found = load_checkpoint(path)
    assert (found["number"], found["words"], found["nothing"]) == (3, ["a", "b"], None)
    assert found["arrays"]["bytes"].dtype == torch.int8
    assert np.array_equal(found["arrays"]["bytes"], state["arrays"]["bytes"])  # type: ignore[index]
    assert found["arrays"]["empty"].shape == (0, 2)
    assert torch.equal(found["tensor"], torch.ones(2))
    assert [file.name for file in tmp_path.iterdir()] == ["one.pt"]


class Trap:
    """Leaves a trace when it is unpickled."""

    sprung: list[str] = []  # noqa: RUF012 - shared on purpose

    def __reduce__(self) -> tuple[Any, ...]:
        return self.sprung.append, ("sprung",)


def refuse(path: Path) -> None:
    with pytest.raises(JipaeError) as caught:
        load_checkpoint(path)
    assert str(caught.value).startswith(f"{path} is no checkpoint: ")


def test_nothing_in_a_file_is_executed(tmp_path: Path) -> None:
    path = tmp_path / "trap.pt"
    torch.save({"model": Trap()}, path)
    refuse(path)
    assert Trap.sprung == []


@pytest.mark.parametrize(
    "data", [b"", b"no checkpoint at all", b"PK\x03\x04 half of one"], ids=repr
)
def test_what_is_no_checkpoint_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "broken.pt"
    path.write_bytes(data)
    refuse(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    refuse(tmp_path / "missing.pt")


def test_half_a_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "half.pt"
    save_checkpoint(path, build(1, False).state())
    data = path.read_bytes()
    for size in (len(data) // 2, len(data) - 100):
        path.write_bytes(data[:size])
        refuse(path)


def test_a_damaged_checkpoint_is_refused_or_read(tmp_path: Path) -> None:
    path = tmp_path / "damaged.pt"
    save_checkpoint(path, {"words": ["a"], "array": np.arange(20.0), "number": 1})
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(60):
        broken = bytearray(data)
        for place in rng.integers(len(data), size=8):
            broken[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(broken))
        try:
            load_checkpoint(path)
        except JipaeError:
            refused += 1
    assert refused > 5


def test_a_checkpoint_that_cannot_be_written_leaves_the_last_one(tmp_path: Path) -> None:
    path = tmp_path / "one.pt"
    save_checkpoint(path, {"number": 1})
    with pytest.raises(Exception, match="pickle"):
        save_checkpoint(path, {"number": 2, "function": lambda: None})
    assert load_checkpoint(path) == {"number": 1}
