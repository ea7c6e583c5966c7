"""How Hypothesis runs here."""

import os

from hypothesis import HealthCheck, settings

# The 200 ms deadline of an example fails on slow machines, not on wrong code. In CI the examples
# are always the same, so that a red build is the fault of the change.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")
