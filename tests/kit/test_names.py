from __future__ import annotations

from gym_desks.kit.names import first_names


def test_the_splits_share_no_name_and_have_about_as_many():
    train, held_out = first_names("train"), first_names("eval")
    assert not set(train) & set(held_out)
    assert len({*train, *held_out}) == len(train) + len(held_out) >= 600
    assert min(len(train), len(held_out)) >= 300


def test_names_are_single_ascii_words_in_order():
    for split in ("train", "eval"):
        names = first_names(split)
        assert list(names) == sorted(names)
        assert all(name.isascii() and name.isalpha() and name.istitle() for name in names)


def test_a_name_stays_in_its_half():
    assert first_names("train")[:3] == ("Aaron", "Abel", "Abram")
    assert first_names("eval")[:3] == ("Abdul", "Abigail", "Ada")
