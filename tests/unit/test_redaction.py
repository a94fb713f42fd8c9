"""Secrets leave a text before it is stored, and ordinary numbers stay."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given, strategies as st

from harness.language import load_packs
from harness.language.redaction import redactor
from harness.logs import redact
from harness.redacting import KINDS, Policy
from harness.redacting.checks import hong_kong_id, iban, luhn, resident_id
from harness.settings.sections import REDACTED, RedactionSettings

REDACTOR = redactor(load_packs())
RESIDENT = "11010519491231002X"
"""The example of the standard, of nobody."""
KEY = "sk-proj-" + "a1B2c3D4e5F6g7H8"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKCAQ\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    ("en", "My card is 4111 1111 1111 1111, it expires in May.", "My card is [card 1], it expires in May."),
    ("zh", "我的卡是4111 1111 1111 1111，五月到期。", "我的卡是[银行卡 1]，五月到期。"),
    ("en", "4111-1111-1111-1111", "[card 1]"),
    ("zh", "卡号是６２２２０２１２３４５６７８９０１２８", "卡号是[银行卡 1]"),
    ("en", "The account number is 6222 0212 3456 7890 123.", "The account number is [card 1]."),
    ("zh", "账号：6222 0212 3456 7890 123", "账号：[银行卡 1]"),
    ("en", "Amex 3782 822463 10005, cvv 1234", "Amex [card 1], cvv [card code 1]"),
    ("zh", "安全码是123", "安全码是[卡安全码 1]"),
    ("en", "IBAN DE89 3704 0044 0532 0130 00 please", "IBAN [account 1] please"),
    ("zh", "汇到DE89370400440532013000吧", "汇到[账号 1]吧"),
    ("en", "Call me on 555 123 4567 tonight", "Call me on [phone 1] tonight"),
    ("zh", "今晚打我电话 555 123 4567", "今晚打我电话 [电话 1]"),
    ("en", "It's +44 7911 123456 or (415) 555-2671.", "It's [phone 1] or [phone 2]."),
    ("zh", "我手机13800138000，座机010-62345678", "我手机[电话 1]，座机[电话 2]"),
    ("en", "The desk can be reached at 01632960123.", "The desk can be reached at [phone 1]."),
    ("zh", "前台是01062345678。", "前台是[电话 1]。"),
    ("en", "My number is 138 0013 8000.", "My number is [phone 1]."),
    ("zh", "１３８－００１３－８０００", "[电话 1]"),
    ("zh", "+86 138 0013 8000", "[电话 1]"),
    ("en", "My SSN is 123-45-6789.", "My SSN is [ID number 1]."),
    ("zh", f"身份证{RESIDENT}", "身份证[身份证号 1]"),
    ("en", f"the id {RESIDENT} is mine", "the id [ID number 1] is mine"),
    ("zh", "１１０１０５ １９４９１２３１ ００２Ｘ", "[身份证号 1]"),
    ("en", "My passport number is E12345678.", "My passport number is [ID number 1]."),
    ("zh", "护照号码是E12345678。", "护照号码是[身份证号 1]。"),
    ("zh", "身份证号是110105194912310020", "身份证号是[身份证号 1]"),
    ("en", f"use {KEY} for it", "use [API key 1] for it"),
    ("zh", f"用{KEY}就行", "用[密钥 1]就行"),
    ("en", "AKIAIOSFODNN7EXAMPLE and ghp_" + "a1" * 18, "[API key 1] and [token 1]"),
    ("en", "Authorization: Bearer abcdef.123456-xyz", "Authorization: Bearer [token 1]"),
    ("zh", "请求头是 Bearer abcdef.123456-xyz", "请求头是 Bearer [令牌 1]"),
    ("en", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_def-123 fails", "[token 1] fails"),
    ("en", "postgres://bob:hunter2@db.example.org:5432/app is down", "[connection string 1] is down"),
    ("zh", "数据库是redis://:p4ss@cache:6379/0，连不上", "数据库是[连接串 1]，连不上"),
    ("en", f"here:\n{PEM}\nthanks", "here:\n[private key 1]\nthanks"),
    ("zh", f"私钥：\n{PEM}", "私钥：\n[私钥 1]"),
    ("en", "My password is hunter2!", "My password is [password 1]!"),
    ("zh", "密码是hunter2，别告诉别人", "密码是[密码 1]，别告诉别人"),
    ("en", "DB_PASSWORD=swordfish", "DB_PASSWORD=[password 1]"),
    ("zh", "验证码是482913", "验证码是[密码 1]"),
    ("en", "My PIN is 4829.", "My PIN is [password 1]."),
]


@pytest.mark.parametrize(("code", "said", "kept"), SECRETS)
def test_a_secret_is_replaced_by_a_reference(code: str, said: str, kept: str) -> None:
    done = REDACTOR.redact(said, language=code)
    assert done.text == kept
    assert done.new
    assert REDACTOR.redact(done.text, language=code).count == 0


ORDINARY = [
    "I have 13800 followers and pay 1,380,013 a month.",
    "We sold 13812345678 units, and 13800138000 people saw it.",
    "Order 01632960123 is late, ticket 13812345678 too; invoice no. 4111111111111111 too.",
    "It was 2023, then 2024 2025 2026.",
    "See you 2026-11-30 12:00:00, or on 12.03.1990.",
    "Pi is 3.14159265358979 and 1700000000000 is a timestamp.",
    "The score was 21-19, 18-21, 22-20.",
    "Build 22621.1234 on 192.168.100.200 port 8080, room 1234567.",
    "The token: patience. The secret: never give up on 100000000 things.",
    "My password is something I always forget. The password: please.",
    "My phone is old, my card is blue and my passport is red.",
    "That cost $13800138000, can you believe it?",
    "Call me at 5, or text me at 10:30.",
    "Try 02 04 15 17 23 25 in the lottery.",
    "I was born in 1990 and moved in 2012 to 1204 Elm Street, 90210.",
    "I ran 10 km in 45:30, that's 1000000 steps.",
    "Chapter 12, page 345, line 6789, note 10.",
    "ISBN 978-3-16-148410-0 is on my shelf.",
    "The bearer of this letter may pass.",
    "I rode bus 4111, then 1111, 1111 and 1111 of them waited.",
    "我有13800个粉丝，房租1380013元。",
    "今年卖了13800138000件，一共13812345678块钱。",
    "订单号13812345678还没到，运单号4111111111111111也是。",
    "2023年 2024年 2025年 2026年",
    "2026-11-30 12:00:00见，或者2026年11月30日。",
    "圆周率是3.14159265358979，时间戳是1700000000000。",
    "比分是21-19，18-21，22-20。",
    "版本22621.1234，地址192.168.100.200，端口8080，房间1234567。",
    "密码是我的生日，口令为什么这么长？",
    "我的手机很旧，卡是蓝色的，护照是红色的。",
    "花了¥13800138000，你信吗？",
    "五点打电话给我，或者10:30发消息。",
    "试试02 04 15 17 23 25这注。",
    "我1990年出生，2012年搬到3号楼1201室，邮编100084。",
    "我跑了10公里，用了45:30，1000000步。",
    "第12章，345页，6789行。",
    "书号978-3-16-148410-0在我的书架上。",
    "QQ群123456789，欢迎加入。",
    "我在2010年到2020年之间工作了3650天。",
]


@pytest.mark.parametrize("said", ORDINARY)
def test_ordinary_numbers_stay(said: str) -> None:
    assert REDACTOR.redact(said).text == said


@pytest.mark.parametrize(
    ("code", "first", "second", "kept"),
    [
        ("en", "Card 4111 1111 1111 1111.", "Was it 4111-1111-1111-1111 or 5500 0000 0000 0004?", "Was it [card 1] or [card 2]?"),
        ("zh", "手机是13800138000。", "是+86 138-0013-8000还是13900139000？", "是[电话 1]还是[电话 2]？"),
    ],
)  # fmt: skip
def test_the_same_secret_has_the_same_reference(code: str, first: str, second: str, kept: str) -> None:
    known = {one.mark: one.reference for one in REDACTOR.redact(first, language=code).new}
    assert REDACTOR.redact(second, known, language=code).text == kept


@pytest.mark.parametrize("said", ["Write to nora@example.org.", "发到nora@example.org吧"])
def test_mail_addresses_only_when_asked_for(said: str) -> None:
    assert REDACTOR.redact(said).text == said
    asked = redactor(load_packs(), Policy(kinds=("emails",)))
    assert "nora" not in asked.redact(said).text


@pytest.mark.parametrize("kind", ["keys", "cards", "ids", "phones"])
def test_kinds_can_be_switched_off(kind: str) -> None:
    said = f"{KEY} · 4111 1111 1111 1111 · {RESIDENT} · 13800138000"
    one = redactor(load_packs(), Policy(kinds=(kind,)))
    assert one.redact(said).count == 1
    assert redactor(load_packs(), Policy(enabled=False)).redact(said).text == said


def test_the_settings_know_the_same_kinds() -> None:
    assert REDACTED == KINDS
    assert RedactionSettings().kinds == Policy().kinds


def test_check_digits() -> None:
    assert luhn("4111111111111111")
    assert not luhn("4111111111111112")
    assert resident_id(RESIDENT)
    assert not resident_id("110105194912310021")
    assert not resident_id("110105194913310020")
    assert iban("DE89370400440532013000")
    assert not iban("DE88370400440532013000")
    assert hong_kong_id("A1234563")
    assert not hong_kong_id("A1234564")


def test_logs_have_no_secrets() -> None:
    line = redact(f"failed for {KEY} and 4111 1111 1111 1111 at postgres://bob:hunter2@db/app")
    assert "4111" not in line
    assert "hunter2" not in line
    assert KEY not in line
    assert redact("turn 12 of session 8f3a took 1.234 s") == "turn 12 of session 8f3a took 1.234 s"


@given(st.text(max_size=200))
def test_any_text_can_be_redacted(text: str) -> None:
    done = REDACTOR.redact(text)
    assert done.count == len(REDACTOR.find(text))
    assert (done.text == text) == (done.count == 0)


@given(st.text(alphabet="0123456789 -+()./xX", max_size=120))
def test_what_is_left_is_found_clean(text: str) -> None:
    spans = REDACTOR.find(text)
    assert all(one.start < one.end for one in spans)
    assert all(one.end <= other.start for one, other in itertools.pairwise(spans))


HOSTILE = [
    "1" * 8000,
    "1 " * 4000,
    "(1" * 4000,
    "a.a-" * 2000,
    "eyJ" * 2600,
    "a://" * 2000,
    "+1 " * 2600,
    "AB12 " * 1600,
    "-----BEGIN PRIVATE KEY-----" * 300,
    "password:" * 880,
    "密码是" * 2600,
    "电话" * 4000,
    "卡1234567 " * 800,
    "a@" * 4000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:6])
def test_a_long_text_takes_no_longer_than_its_length(text: str) -> None:
    asked = redactor(load_packs(), Policy(kinds=("keys", "cards", "ids", "phones", "emails")))
    started = time.process_time()
    asked.redact(text)
    assert time.process_time() - started < 1.0


@pytest.mark.parametrize(
    "said",
    [
        "I went to the market yesterday and bought 12 eggs for 3.50, then called my sister about the 2024 trip.",
        "我昨天去市场买了12个鸡蛋，花了35块钱，然后给妹妹打了电话，聊了2024年的旅行。",
    ],
)
def test_an_ordinary_message_costs_next_to_nothing(said: str) -> None:
    best = 1.0
    for _ in range(5):
        started = time.process_time()
        for _ in range(100):
            REDACTOR.redact(said)
        best = min(best, (time.process_time() - started) / 100)
    assert best < 0.0003
