"""Every test with a `variant` runs for every game in every named variant."""

import pytest

from tests.conformance.play import all_variants


@pytest.fixture(params=all_variants(), ids=lambda variant: variant.name)
def variant(request):
    """A game by certain rules."""
    return request.param
