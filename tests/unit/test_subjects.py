"""Whom a clause is about, and what it says of him, in the first person's form."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.understanding.facts.subjects import SPEAKER, Subject, Subjects

ME: Subject = (SPEAKER, "")


def subjects(code: str, third: str = "") -> Subjects:
    return Subjects(load_packs().get(code), third)


@pytest.mark.parametrize(
    ("code", "clause", "subject"),
    [
        ("en", "I live in Graz", ME),
        ("en", "well, so I live in Graz", ME),
        ("en", "Nadia lives in Graz", ("Nadia", "")),
        ("en", "Nadia's job is dull", ("Nadia", "")),
        ("en", "my sister's job is dull", ("", "my sister")),
        ("en", "the weather is fine", None),
        ("zh", "我住在格拉茨", ME),
        ("zh", "哈哈,那我住在格拉茨", ME),
        ("zh", "小唐住在格拉茨", ("小唐", "")),
        ("zh", "小唐的工作很无聊", ("小唐", "")),
        ("zh", "我姐姐的工作很无聊", ("", "我姐姐")),
        ("zh", "天气真好", None),
    ],
)
def test_whom_a_clause_is_about(code: str, clause: str, subject: Subject | None) -> None:
    found = subjects(code).resolve(clause, None)
    assert (found and found[0]) == subject


@pytest.mark.parametrize(
    ("code", "first", "second"),
    [("en", "Nadia lives in Graz", "she plays chess"), ("zh", "小唐住在格拉茨", "她会下象棋")],
)
def test_a_pronoun_means_who_was_spoken_of_last(code: str, first: str, second: str) -> None:
    one = subjects(code)
    assert one.resolve(second, None) is None, "nobody was spoken of"
    found = one.resolve(first, None)
    assert found is not None
    assert one.resolve(second, None) == (found[0], {"en": "play chess", "zh": "会下象棋"}[code])
    assert subjects(code, "Olga").resolve(second, None) == (("Olga", ""), {"en": "play chess", "zh": "会下象棋"}[code])


@pytest.mark.parametrize(
    ("code", "presented", "then"),
    [("en", "this is Nadia", "she lives in Graz"), ("zh", "这是小唐", "她住在格拉茨")],
)
def test_who_is_presented_is_meant_next(code: str, presented: str, then: str) -> None:
    one = subjects(code)
    assert one.resolve(presented, None) is None
    found = one.resolve(then, None)
    assert found is not None
    assert found[0] == ({"en": "Nadia", "zh": "小唐"}[code], "")


@pytest.mark.parametrize(
    ("code", "sentence", "name"),
    [
        ("en", "Do you know Nadia?", "Nadia"),
        ("en", "Do you know the way?", ""),
        ("zh", "你认识小唐吗？", "小唐"),
        ("zh", "你知道路吗？", ""),
    ],
)
def test_who_is_brought_up(code: str, sentence: str, name: str) -> None:
    one = subjects(code)
    one.mention(sentence)
    assert one.third == (name, "")


@pytest.mark.parametrize(
    ("code", "sentence", "said", "who"),
    [
        ("en", "Nadia told me she loves chess", "she loves chess", ("Nadia", "")),
        ("en", "my aunt said she hates rain", "she hates rain", ("", "my aunt")),
        ("en", "Nadia told me that it rains", "", ("", "")),
        ("zh", "小唐跟我说她喜欢下棋", "她喜欢下棋", ("小唐", "")),
        ("zh", "我姑姑说她讨厌下雨", "她讨厌下雨", ("", "我姑姑")),
        ("zh", "小唐跟我说下雨了", "", ("", "")),
    ],
)
def test_what_others_said_of_themselves(code: str, sentence: str, said: str, who: Subject) -> None:
    one = subjects(code)
    assert one.reported(sentence) == said
    assert one.third == who


@pytest.mark.parametrize(
    ("code", "clause", "rest"), [("en", "and have a parrot", "have a parrot"), ("zh", "还养了一只鹦鹉", "养了一只鹦鹉")]
)
def test_a_clause_without_a_subject_goes_on(code: str, clause: str, rest: str) -> None:
    assert subjects(code).resolve(clause, ME) == (ME, rest)
    assert subjects(code).resolve(clause, None) is None
