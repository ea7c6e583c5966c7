"""Numbers as text, for the terminal and the page."""

MOST_SHOWN, LEAST_SHOWN = 0.9995, 0.0005
"""Of likelihoods beyond these, only the bound is shown."""
MINUS = "\N{MINUS SIGN}"
"""As wide as a digit."""


def likelihood(share: float) -> str:
    """Return a likelihood in per cent with a digit after the point, never 0 or 100."""
    if share > MOST_SHOWN:
        return "> 99.9 %"
    return "< 0.1 %" if share < LEAST_SHOWN else percent(share, 1)


def in_hundred(share: float) -> str:
    """Return a likelihood in whole per cent, never 0 or 100."""
    if share > 0.995:
        return ">99"
    return "<1" if share < 0.005 else f"{100 * share:.0f}"


def percent(share: float, digits: int) -> str:
    return f"{share:.{digits}%}".replace("%", " %")


def signed(number: float, digits: int = 0) -> str:
    """Return a number with its sign; 0 has no sign."""
    written = f"{number:+,.{digits}f}"
    is_nothing = not any(digit in written for digit in "123456789")
    return written[1:] if is_nothing else written.replace("-", MINUS)


def milliseconds(seconds: float) -> str:
    """Return seconds in milliseconds, with at least two digits."""
    number = 1_000 * seconds
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"
