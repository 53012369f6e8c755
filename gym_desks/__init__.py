"""gym-desks: text environments in which an agent reads a brief, calls tools and submits.

Importing this package registers its environments with Gymnasium.
"""

from importlib.metadata import version

from gym_desks.core.action import Action, submit
from gym_desks.core.desk import Desk, DeskSpec, Policy
from gym_desks.core.play import Trajectory, play
from gym_desks.errors import GymDesksError
from gym_desks.registration import register_desk, register_desks, registered_ids

__version__ = version("gym-desks")

__all__ = [
    "Action",
    "Desk",
    "DeskSpec",
    "GymDesksError",
    "Policy",
    "Trajectory",
    "__version__",
    "play",
    "register_desk",
    "register_desks",
    "registered_ids",
    "submit",
]

register_desks()
