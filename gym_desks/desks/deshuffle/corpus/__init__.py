"""Papers for the deshuffle desk: what a corpus is, where it comes from, how one is made."""

from gym_desks.desks.deshuffle.corpus.build import ArticleReport, BuildReport, build
from gym_desks.desks.deshuffle.corpus.fields import FieldMap
from gym_desks.desks.deshuffle.corpus.hub import download
from gym_desks.desks.deshuffle.corpus.jsonl import read_papers
from gym_desks.desks.deshuffle.corpus.load import load_corpus
from gym_desks.desks.deshuffle.corpus.model import Block, Corpus, LoadReport, Paper, Tally

__all__ = [
    "ArticleReport",
    "Block",
    "BuildReport",
    "Corpus",
    "FieldMap",
    "LoadReport",
    "Paper",
    "Tally",
    "build",
    "download",
    "load_corpus",
    "read_papers",
]
