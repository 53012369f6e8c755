"""Articles in LaTeX, through pandoc."""

from __future__ import annotations

import sys

import pytest

from gym_desks.desks.deshuffle.corpus import latex
from gym_desks.desks.deshuffle.corpus.latex import is_main, read_latex
from gym_desks.desks.deshuffle.corpus.model import folded
from gym_desks.errors import CorpusError, MissingExtra

try:
    latex._pandoc()
except MissingExtra as missing:
    pytest.skip(str(missing), allow_module_level=True)

DOCUMENT = r"\documentclass{article}\title{On \emph{tides}}\begin{document}%s\end{document}"


@pytest.fixture
def read(tmp_path):
    def from_body(body, **files):
        for name, text in files.items():
            (tmp_path / f"{name}.tex").write_text(text, encoding="utf-8")
        main = tmp_path / "article.tex"
        main.write_text(DOCUMENT % body, encoding="utf-8")
        return read_latex(main)

    return from_body


def kept(article):
    return [folded(unit.text) for unit in article.units if not unit.reason]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"A \emph{plain} \textbf{text} ``quoted''.", "A plain text “quoted”."),
        (r"Tides \citep{moon2001} rise \citep[p.~3]{sun}.", "Tides rise."),
        (r"As \citet{moon2001} said.", "As moon2001 said."),
        (r"In Figure~\ref{fig:tide}.", "In Figure tide."),
        (r"Of $a_1 < b$ and \verb|f(x)|.", "Of $a_1 < b$ and f(x)."),
        (r"A \href{http://example.org}{link}.", "A link."),
        (r"A note\footnote{gone} here.", "A note here."),
        (r"\newcommand{\tide}{the tide}Macros give \tide.", "Macros give the tide."),
        ("Half % a comment\nline", "Half line"),
        (r"\begin{quote}a quotation\end{quote}", "a quotation"),
    ],
)
def test_inline_commands_become_their_text(body, text, read):
    assert kept(read(body)) == [text]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (r"\begin{figure}\includegraphics{a.png}\caption{gone}\end{figure}", "figure"),
        (r"\begin{tabular}{l}a\\b\end{tabular}", "table"),
        (r"\begin{verbatim}code\end{verbatim}", "code"),
    ],
)
def test_what_is_no_running_text_is_left_out_with_a_reason(body, reason, read):
    article = read(body)
    assert [unit.reason for unit in article.units] == [reason]


def test_kinds_of_units(read):
    article = read(
        r"\section*{Head}Text: \begin{itemize}\item one \item two\end{itemize}"
        "\n\n"
        r"\begin{equation}\label{eq:a} a = b\end{equation}"
        "\n\n"
        r"\subsection{Sub}\begin{description}\item[t] d\end{description}"
    )
    assert [(unit.kind, folded(unit.text), unit.level) for unit in article.units] == [
        ("heading", "Head", 1),
        ("paragraph", "Text:", 0),
        ("item", "one", 0),
        ("item", "two", 0),
        ("formula", r"$$\begin{equation} a = b \end{equation}$$", 0),
        ("heading", "Sub", 2),
        ("item", "t", 0),
        ("item", "d", 0),
    ]


def test_inputs_are_taken_in_and_missing_ones_passed_over(read):
    article = read(
        r"\input{absent.tex}\input one \include{two.tex}",
        one=r"One and \input{three.tex}.",
        two="\n\nTwo.",
        three="three",
    )
    assert kept(article) == ["One and three.", "Two."]


def test_an_input_that_takes_itself_in_ends(read):
    assert kept(read(r"\input{loop}", loop=r"Once. \input{loop}")) == ["Once."]


def test_a_commented_input_is_not_taken_in(read):
    assert kept(read("Text % \\input{one}\nend, 5\\% \\input{one}", one="one")) == [
        "Text end, 5% one"
    ]


def test_inputs_from_outside_the_folder_are_not_opened(read, tmp_path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside.tex"
    outside.write_text("secret", encoding="utf-8")
    (tmp_path / "link.tex").symlink_to(outside)
    outside.with_suffix(".sty").write_text(r"\newcommand{\told}{secret}", encoding="utf-8")
    article = read(
        rf"Text \input{{{outside}}} \input{{../{outside.name}}} \input{{link}}"
        rf" \input {outside} \usepackage{{{outside.with_suffix('')}}}\told{{}} Text"
    )
    assert " ".join(kept(article)) == "Text Text"


def test_the_title_may_stand_in_a_metadata_file(tmp_path):
    (tmp_path / "metadata.tex").write_text(
        r"\def \articleTITLE{[Re] Tides}\title{\articleTITLE}", encoding="utf-8"
    )
    main = tmp_path / "article.tex"
    main.write_text(r"\begin{document}Text\end{document}", encoding="utf-8")
    article = read_latex(main)
    assert (article.title, kept(article)) == ("[Re] Tides", ["Text"])


def test_the_title_is_plain_text(read):
    assert read("Text").title == "On tides"


def test_what_pandoc_cannot_read_is_refused(read):
    with pytest.raises(CorpusError, match="no LaTeX that pandoc can read"):
        read("One.\n\n\\begin{quote} never closed\n\nTwo.")


def test_macros_that_never_end_are_refused(read):
    with pytest.raises(CorpusError, match=r"article\.tex"):
        read(r"\newcommand{\a}{\a\a}\a")


def test_an_article_that_takes_too_long_is_refused(read, monkeypatch):
    monkeypatch.setattr(latex, "TIMEOUT", 0)
    with pytest.raises(CorpusError, match=r"article\.tex: pandoc took more than 0 seconds"):
        read("Text")


def test_a_pandoc_of_the_machine_will_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pypandoc", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtra, match=r"gym-desks\[corpus\]"):
        latex._pandoc()
    program = tmp_path / "pandoc"
    program.touch(mode=0o755)
    assert latex._pandoc() == str(program)


def test_only_files_with_a_document_are_articles(tmp_path):
    part = tmp_path / "part.tex"
    part.write_text("Text", encoding="utf-8")
    assert not is_main(part)
