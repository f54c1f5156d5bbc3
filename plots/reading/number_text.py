"""Numbers as readers see them: enough digits to compare with a printed value, powers of ten as such."""
import math


class RoundedNumber(float):
    """A number with the digits that it is to be shown with."""

    def __new__(cls, value, digits):
        number = super().__new__(cls, value)
        number.digits = digits
        return number


class PrintedNumber(float):
    """A number as a paper prints it, with its zeros at the end."""

    def __new__(cls, text):
        number = super().__new__(cls, text)
        number.digits = len(text.lower().partition("e")[0].lstrip("-").replace(".", "").lstrip("0")) or 1
        return number


def digits_beside(value, compared):
    """Digits of a number that stands beside a printed one: as many as that has, two at least; counts in full."""
    if value is None or compared is None or float(value).is_integer():
        return 10
    return max(2, len(f"{abs(compared):.10g}".partition("e")[0].replace(".", "").lstrip("0")))


def is_ratio(quantity):
    """Whether a record's quantity is compared with others of its kind, so that three digits tell them apart and more say nothing."""
    return quantity.startswith(("speedup", "ratio_"))


def _parts(value, digits):
    """Mantissa and exponent (empty for none) as text."""
    if value is None:
        return "–", ""
    if not math.isfinite(value):
        return {math.inf: "∞", -math.inf: "−∞"}.get(value, "not a number"), ""
    written = f"{value:#.{value.digits}g}" if isinstance(value, PrintedNumber) else f"{value:.{digits}g}"
    mantissa, _, exponent = written.partition("e")
    mantissa = mantissa.removesuffix(".")
    return mantissa.replace("-", "−"), str(int(exponent)) if exponent else ""


def plain(value, digits=10):
    """Text for captions: 4.02·10⁻⁵."""
    mantissa, exponent = _parts(value, digits)
    return mantissa + (f"·10{exponent.translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}" if exponent else "")


def latex(value, digits=10):
    """Text for a LaTeX table: $4.02\\times10^{-5}$."""
    mantissa, exponent = _parts(value, digits)
    if value is None:
        return "--"
    if not math.isfinite(value):
        return {math.inf: r"$\infty$", -math.inf: r"$-\infty$"}.get(value, "not a number")
    power = rf"\times10^{{{exponent}}}" if exponent else ""
    return f"${mantissa.replace('−', '-')}{power}$"
