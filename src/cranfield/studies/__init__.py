"""Each study answers one question a user has; the command of the same name and the server call the same function."""

from ._convert import convert as convert
from ._evaluate import evaluate as evaluate
from ._lint import lint as lint
