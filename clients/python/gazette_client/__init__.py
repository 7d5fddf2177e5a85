"""Reads eye-tracking exports from a Gazette server: `Gazette(url, token).export("fixations", study)`."""

from .client import Gazette, Studies, Study
from .errors import GazetteError

__all__ = ["Gazette", "GazetteError", "Studies", "Study"]
__version__ = "0.2.0"
