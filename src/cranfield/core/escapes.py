"""Escape text for LaTeX and Markdown."""

from collections.abc import Mapping

_FORMULAS = dict(
    zip(
        "αβγδεθλμπρστφχωΓΔΠΣΦ·√∞∓±≤≥≈×∝∫†‡↓",
        (
            *"alpha beta gamma delta epsilon theta lambda mu pi rho sigma tau varphi chi omega".split(),
            *"Gamma Delta Pi Sigma Phi cdot surd infty mp pm leq geq approx times propto int".split(),
            *"dagger ddagger downarrow".split(),
        ),
        strict=True,
    )
)
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    # After \\ a star or a bracket would be taken for an argument of the line break.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    # Signs of formulas, which plain fonts lack.
    **{sign: f"$\\{name}$" for sign, name in _FORMULAS.items()},
    **{sign: f"$^{plain}$" for sign, plain in zip("²³⁻¹ⁿ", "23-1n", strict=True)},
    **{sign: f"$_{plain}$" for sign, plain in zip("₊₋ᵢⱼ₀₂₃₍₎", "+-ij023()", strict=True)},
    "−": "$-$",
    "½": r"$\frac{1}{2}$",
}
_MARKDOWN = {sign: f"\\{sign}" for sign in "\\`*_[]{}|~$!"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def escape_latex(text: str) -> str:
    """Return the text with every character that LaTeX would interpret or its fonts lack as a command."""
    return _replace(text, _LATEX)


def escape_markdown(text: str) -> str:
    """Return the text with every character that Markdown or HTML would interpret escaped."""
    return _replace(text, _MARKDOWN)


def _replace(text: str, signs: Mapping[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in text)
