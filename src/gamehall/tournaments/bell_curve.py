"""The normal distribution, and how Student's grows into it as observations come in."""

import math

Z_95 = 1.959963984540054
"""So many standard errors on both sides hold 95 % of a normal distribution."""


def below(z: float) -> float:
    """The likelihood that a normal deviate is less than `z`. Exact in the lower tail."""
    return math.erfc(-z / math.sqrt(2)) / 2


def to_normal(t: float, freedom: float) -> float:
    """The normal deviate that is as rare as `t` is in Student's distribution.

    Wallace's approximation (David L. Wallace, "Bounds on Normal Approximations to Student's and the
    Chi-Square Distributions", 1959); from three degrees of freedom on it is good to a hundredth.
    """
    shrunk = math.sqrt(freedom * math.log1p(t * t / freedom))
    return math.copysign(shrunk * (8 * freedom + 1) / (8 * freedom + 3), t)


def to_student(z: float, freedom: float) -> float:
    """What is in Student's distribution as rare as `z` among normal deviates."""
    widened = z * (8 * freedom + 3) / (8 * freedom + 1)
    # Below one degree of freedom the exponential grows without measure and helps nobody.
    return math.copysign(math.sqrt(freedom * math.expm1(min(widened * widened / freedom, 50))), z)
