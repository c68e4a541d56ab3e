r"""TeX as text that one can read, and text as LaTeX: \operatorname{Var}(q \cdot k) = d  becomes  Var(q·k) = d."""

import re
import unicodedata

TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\s+|[0-9]+(?:\.[0-9]+)?|.", re.DOTALL)

SIGNS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ",
    "Theta": "Θ", "Lambda": "Λ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "ell": "ℓ", "partial": "∂", "infty": "∞",
    "sum": "∑", "prod": "∏", "int": "∫", "iint": "∬", "sqrt": "√", "top": "ᵀ", "mid": "|", "vert": "|", "lvert": "|",
    "rvert": "|", "lVert": "‖", "rVert": "‖", "Vert": "‖", "langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋",
    "lceil": "⌈", "rceil": "⌉", "dots": "…", "ldots": "…", "cdots": "…", "dotsc": "…", "prime": "′", "circ": "°",
    "emptyset": "∅", "nabla": "∇", "forall": "∀ ", "exists": "∃ ", "lbrace": "{", "rbrace": "}", "backslash": "\\",
}
BINARY = {"cdot": "·", "times": "×", "odot": "⊙", "circ": "∘", "otimes": "⊗"}
"""Between two things, without spaces."""
RELATIONS = {"le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "sim": "∼", "in": "∈",
             "to": "→", "pm": "±", "mp": "∓", "perp": "⊥", "equiv": "≡", "propto": "∝", "ll": "≪", "gg": "≫", "lt": "<",
             "gt": ">", "subset": "⊂", "subseteq": "⊆", "setminus": "∖", "cup": "∪", "cap": "∩", "iff": "⇔",
             "implies": "⇒", "mapsto": "↦", "rightarrow": "→", "Rightarrow": "⇒", "cong": "≅", "land": "∧", "lor": "∨"}
ACCENTS = {"hat": "\u0302", "bar": "\u0304", "overline": "\u0304", "tilde": "\u0303", "widehat": "\u0302",
           "dot": "\u0307", "vec": "\u20d7"}
SPACES = {"quad", "qquad", " ", ",", ";", ":", ">"}
IGNORED = {"left", "right", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "big", "Big", "displaystyle", "limits",
           "textstyle", "nolimits", "!", "nonumber"}
WRAPPERS = {"mathrm", "mathbb", "mathbf", "mathsf", "mathcal", "mathit", "operatorname", "operatorname*", "boldsymbol",
            "text", "textbf", "textit", "texttt", "mbox", "underbrace", "overbrace", "boxed", "mathtt"}
FRACTIONS = {"frac", "tfrac", "dfrac"}
VULGAR = {unicodedata.normalize("NFKC", sign).replace("⁄", "/"): sign for sign in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"}
RAISED = str.maketrans("0123456789+-−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

LATEX_SIGNS = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$",
               "√": r"$\surd$", "≈": r"$\approx$", "≤": r"$\le$", "≥": r"$\ge$", "∞": r"$\infty$", "…": r"\dots{}",
               "–": "--", "—": "---", "“": "``", "”": "''", "’": "'", "×": r"$\times$", "±": r"$\pm$", "·": r"$\cdot$",
               "∎": r"$\square$", "\u00a0": "~",
               **{sign: f"\\{sign}" for sign in "#$%&_{}"}}
"""Signs that LaTeX would take for markup or, in its oldest engine, does not have."""


def readable(tex: str) -> str:
    """TeX as a line of text: as near to what is typeset as signs allow."""
    text = _Reader(TOKEN.findall(tex)).read()
    text = re.sub(r"[ \n]+", " ", text)
    text = re.sub(r"(?<=[(⟨⌈⌊\[]) | (?=[)⟩⌉⌋\],;.])", "", text)
    return text.replace(",;", ";").strip()


def latex_text(text: str) -> str:
    """Text as LaTeX that shows the same signs."""
    return "".join(map(_latex_sign, text))


def _latex_sign(sign: str) -> str:
    if sign in LATEX_SIGNS:
        return LATEX_SIGNS[sign]
    kind = unicodedata.decomposition(sign).partition(" ")[0]
    plain = unicodedata.normalize("NFKC", sign)
    if kind in ("<super>", "<sub>"):
        return f"${'^' if kind == '<super>' else '_'}{{{plain}}}$"
    if kind == "<fraction>":
        over, under = plain.split("⁄")
        return rf"$\frac{{{over}}}{{{under}}}$"
    return sign


def _argument(tokens: list[str]) -> str:
    """Take the next argument from tokens: a group without its braces, or one token."""
    while tokens and tokens[0].isspace():
        tokens.pop(0)
    if not tokens:
        return ""
    if tokens[0] != "{":
        first, rest = (tokens[0][:1], tokens[0][1:]) if tokens[0][0].isdigit() else (tokens[0], "")
        tokens[:1] = [rest] if rest else []  # \frac12: the first digit is the argument
        return first
    depth, taken = 0, []
    while tokens:
        token = tokens.pop(0)
        depth += (token == "{") - (token == "}")
        taken.append(token)
        if not depth:
            break
    return "".join(taken[1:-1])


class _Reader:
    """Reads TeX as text."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.text = ""
        self.named = False
        """The last thing was a name such as Var, which needs a space before a letter."""
        self.big = False
        """It was a quotient, or a sum with what it runs over: what follows begins with a space."""
        self.matrix = False

    def read(self) -> str:
        """All of it."""
        while self.tokens:
            token = self.tokens.pop(0)
            if not token.isspace():
                self._take(token)
        return self.text

    def _take(self, token: str) -> None:
        name = token[1:] if token[0] == "\\" and len(token) > 1 else ""
        if token == "{":
            self.tokens.insert(0, token)
            self._add(self._part())
        elif token in "^_":
            self._script(token)
        elif token == "&":
            self.text += ", " if self.matrix else " "
        elif token in "+=<>" or token == "-":
            self._operator("−" if token == "-" else token)
        elif token == "'":
            self.text += "′"
        elif token in ",;":
            self.text += f"{token} "
        elif name:
            self._command(name)
        else:
            self._add(token)

    def _command(self, name: str) -> None:
        if name in SPACES:
            self.text += " "
        elif name == "\\":
            self.text += "; "
        elif name in RELATIONS:
            self._operator(RELATIONS[name])
        elif name in BINARY:
            self.text = self.text.rstrip() + BINARY[name]
            self.named = False
        elif name in FRACTIONS:
            self._fraction()
        elif name in ("binom", "tbinom", "dbinom"):
            self._add(f"C({self._part()}, {self._part()})")
        elif name == "sqrt":
            self._add("√" + _alone(self._part()))
        elif name in ACCENTS:
            self._add(self._part() + ACCENTS[name])
        elif name in ("begin", "end"):
            environment = self._part()
            if environment == "array" and name == "begin":
                self._part()
            self.matrix = name == "begin" and environment.endswith("matrix")
            if environment.endswith("matrix"):
                self.text += "[" if name == "begin" else "]"
            elif environment == "cases":
                self.text += "{" if name == "begin" else ""
        elif name in ("bmod", "mod", "pmod"):
            self._operator("mod")
        elif name in SIGNS:
            self._add(SIGNS[name])
        elif name in WRAPPERS:
            upright = "".join(_argument(self.tokens)) if name in ("text", "mbox") else self._part()
            if name.startswith("operatorname") and self.text[-1:].isalnum():
                self.text += " "
            self._add(upright)
            self.named = name.startswith("operatorname")
        elif name in ("{", "}", "%", "#", "$", "_", "|"):
            self._add("‖" if name == "|" else name)
        elif name not in IGNORED:
            self._add(name.rstrip("*"))
            self.named = True

    def _add(self, text: str) -> None:
        if self.named and (text[:1].isalnum() or text[:1] in "√|‖∑" or self.big):
            self.text += " "
        elif text[:1].isalpha() and len(text) > 1 and self.text[-1:].isalnum() and text.isascii() and text.isalpha():
            self.text += " "  # a name after a letter or a number
        self.text += text
        self.named = self.big = False

    def _operator(self, sign: str) -> None:
        before = self.text.rstrip()
        unary = sign in "−+±∓" and (not before or before[-1] in "([{⟨|=<>≤≥≈,;·→±∼^/")
        self.text = (self.text + sign) if unary else f"{before} {sign} "
        self.named = False

    def _fraction(self) -> None:
        over, under = self._part(), self._part()
        sign = VULGAR.get(f"{over}/{under}")
        if self.text[-1:].isdigit() or not sign and (self.text[-1:].isalnum() or self.text[-1:] == ")"):
            self.text += " "
        self._add(sign or f"{_wrapped(over)}/{_wrapped(under)}")
        self.named = self.big = not sign

    def _script(self, token: str) -> None:
        part = self._part()
        moved = part.translate(RAISED if token == "^" else LOWERED)
        signs = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ" if token == "^" else "₀₁₂₃₄₅₆₇₈₉"
        big = self.big or self.text[-1:] in tuple("∑∏∫∬")
        named = self.named or big
        if part in ("T", "ᵀ") and token == "^":
            self.text += "ᵀ"
        elif part in ("*", "′", "+"):
            self.text += part
        elif part and all(sign in signs for sign in moved):
            self.text += moved
        elif part:
            self.text += token + (part if re.fullmatch(r"[a-z]{2,3}", part) else _alone(part))
        self.named, self.big = named, big

    def _part(self) -> str:
        """The next argument as text."""
        argument = TOKEN.findall(_argument(self.tokens))
        takes_more = FRACTIONS | WRAPPERS | {"sqrt"} | set(ACCENTS)
        if len(argument) == 1 and argument[0][:1] == "\\" and argument[0][1:] in takes_more:
            needed = 2 if argument[0][1:] in FRACTIONS else 1
            argument += [f"{{{_argument(self.tokens)}}}" for _ in range(needed)]  # as in \sqrt\frac12
            argument = TOKEN.findall("".join(argument))
        reader = _Reader(argument)
        reader.matrix = self.matrix
        return reader.read().strip()


def _wrapped(text: str) -> str:
    """In brackets if it is a sum or a quotient."""
    return f"({text})" if re.search(r"[ /+−]", text) and not re.fullmatch(r"\([^()]*\)", text) else text


def _alone(text: str) -> str:
    """In brackets if it is more than one letter or number."""
    alone = re.fullmatch(r"\d+|[^\W\d][\u0300-\u036f]?[₀-₉²³]*(_\w)?|[^\w(]|\([^()]*\)|<.*>", text)
    return text if alone else f"({text})"
