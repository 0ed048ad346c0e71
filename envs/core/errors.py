"""The exceptions of this package: each names the offending value and what was expected."""


class JipaeError(ValueError):
    """Base of every error raised for bad input."""


class RulesError(JipaeError):
    """An option, a combination of options, or a configuration file is not valid."""


class CardError(JipaeError):
    """A card, a set of cards or a play could not be read."""


class IllegalActionError(JipaeError):
    """An action is not legal in the position; the position is as it was before."""


class RecordError(JipaeError):
    """A game record is malformed, or does not replay to what it says."""


class AgentError(JipaeError):
    """An agent could not be found or built, or answered with something that is no action."""
