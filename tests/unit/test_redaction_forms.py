"""Passwords that are words, numbers in every dress, keys of many services; and what only looks like them."""

from __future__ import annotations

import time

import pytest

from harness.language import load_packs
from harness.language.redaction import redactor
from harness.redacting import Policy
from harness.redacting.checks import taiwan_id

REDACTOR = redactor(load_packs())
ZERO = "\u200b"

PASSWORDS = [
    ("en", "the password is swordfish", "the password is [password 1]"),
    ("zh", "密码是芝麻开门。", "密码是[密码 1]。"),
    ("en", "“The password is swordfish,” she whispered.", "“The password is [password 1],” she whispered."),
    ("zh", "他低声说：“暗号是天王盖地虎。”", "他低声说：“暗号是[密码 1]。”"),
    ("en", "Password: correcthorsebattery", "Password: [password 1]"),
    ("zh", "密码：correcthorse", "密码：[密码 1]"),
    ("en", 'the password is "open sesame", remember', 'the password is "[password 1]", remember'),
    ("zh", "口令：「芝麻开门吧」", "口令：「[密码 1]」"),
    ("en", "log in with password Zx9hunter22", "log in with password [password 1]"),
    ("zh", "登录密码Zx9hunter22，别说", "登录密码[密码 1]，别说"),
    ("en", "pw is Zx9hunter22", "pw is [password 1]"),
    ("zh", "我的password是swordfish", "我的password是[密码 1]"),
    ("en", "The password for the wifi at home is swordfish and it works", "The password for the wifi at home is [password 1] and it works"),
    ("zh", "家里wifi的密码还是hunter2abc", "家里wifi的密码还是[密码 1]"),
    ("en", "I changed my password to hunter22 yesterday", "I changed my password to [password 1] yesterday"),
    ("zh", "密码改成了hunter22", "密码改成了[密码 1]"),
    ("en", "My password's swordfish!", "My password's [password 1]!"),
    ("zh", "我的密碼是hunter2", "我的密碼是[密码 1]"),
    ("en", "The passphrase is correct horse battery staple.", "The passphrase is [password 1]."),
    ("zh", "驗證碼是482913", "驗證碼是[密码 1]"),
    ("en", "482913 is your verification code", "[password 1] is your verification code"),
    ("en", "login: bob / hunter22", "login: bob / [password 1]"),
    ("en", '{"user": "bob", "password": "swordfish"}', '{"user": "bob", "password": "[password 1]"}'),
    ("en", "<password>swordfish</password>", "<password>[password 1]</password>"),
    ("en", "curl -u bob:hunter22 https://example.org", "curl -u bob:[password 1] https://example.org"),
    ("en", "mysql --password swordfish", "mysql --password [password 1]"),
    ("en", "| password | hunter22 |", "| password | [password 1] |"),
    ("en", "Password:\n  hunter22", "Password:\n  [password 1]"),
    ("zh", "密码：\n  hunter22", "密码：\n  [密码 1]"),
    ("en", f"the pass{ZERO}word is sword{ZERO}fish", f"the pass{ZERO}word is [password 1]"),
    ("zh", f"密{ZERO}码是hunt{ZERO}er2", f"密{ZERO}码是[密码 1]"),
]  # fmt: skip

NO_PASSWORDS = [
    "my password is stronger than yours",
    "password is required",
    "The password is wrong. The password was changed, and the token expired.",
    "Is your password secure? What if the password is missing?",
    "I forgot what the password is. The password is not the problem.",
    "The password reset email is late, and the password field is empty.",
    "The password policy is 12-character minimum; mine is 10 characters long.",
    "a password is like a toothbrush",
    "the password is easy to guess, the password is in the drawer",
    "The password is the name of my dog.",
    "Forgot your password? See https://example.org/reset?x=1",
    "Forgot your password: https://example.org/reset?x=1",
    "Password must be 8-20 characters.",
    "He set the password to something. Change the password to whatever you like.",
    "I told them the password as a joke.",
    "the key is patience, and the secret is patience too",
    "The pass is closed in winter, the pass is 2315 metres high.",
    "My login is broken / annoying, and the code is 1234 lines long.",
    "user: what is the time? assistant: 10:45",
    "我的密码比你的强",
    "密码是必填的，密码是必填项。",
    "密码错误。密码是错的。密码是什么？",
    "密码是安全的吗？要是密码丢了呢？",
    "我忘了密码是什么。密码不是问题。",
    "密码是8位以上，密码是6-16位字母",
    "密码是required字段",
    "密码是随机生成的，口令是随机生成。",
    "密码忘了，密码太短了，密码password写错了",
    "密码是我家狗的名字。",
    "验证码是6位数字，验证码没收到",
    "密码改成什么都行",
]

NUMBERS = [
    ("en", f"Card 4111{ZERO} 1111{ZERO} 1111{ZERO} 1111", "Card [card 1]"),
    ("zh", f"卡号6222{ZERO}0212{ZERO}3456{ZERO}7890{ZERO}128", "卡号[银行卡 1]"),
    ("en", "4111 1111-1111.1111", "[card 1]"),
    ("zh", "就是6222 0212-3456 7890-128", "就是[银行卡 1]"),
    ("en", "4111/1111/1111/1111 or 5500_0000_0000_0004", "[card 1] or [card 2]"),
    ("en", "first 4111 1111\n1111 1111 then", "first [card 1] then"),
    ("zh", "先是4111 1111\n1111 1111，完了", "先是[银行卡 1]，完了"),
    ("en", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "[card 1]"),
    ("en", "7 of 4111 1111-1111 1111 left", "7 of [card 1] left"),
    ("zh", "４１１１－１１１１　１１１１―１１１１", "[银行卡 1]"),
    ("en", "٤١١١١١١١١١١١١١١١", "[card 1]"),
    ("zh", "①③⑧00138000", "[电话 1]"),
    ("zh", "1️⃣3️⃣8️⃣0️⃣0️⃣1️⃣3️⃣8️⃣0️⃣0️⃣0️⃣！", "[电话 1]！"),
    ("zh", "手机号一三八零零一三八零零零", "手机号[电话 1]"),
    ("zh", "打幺三八〇〇 幺三八〇〇〇给我", "打[电话 1]给我"),
    ("zh", "身份证一一零一零五一九四九一二三一零零二X", "身份证[身份证号 1]"),
    ("zh", "号码4111111111111111，五月到期", "号码[银行卡 1]，五月到期"),
    ("en", "my number is five five five, one two three, four five six seven", "my number is [phone 1]"),
    ("en", "it is one three eight double zero one three eight triple zero", "it is [phone 1]"),
    ("en", "card four one one one one one one one one one one one one one one one", "card [card 1]"),
    ("en", "138.0013.8000 or 139-0013 9000", "[phone 1] or [phone 2]"),
    ("zh", "138.0013.8000或者139-0013 9000", "[电话 1]或者[电话 2]"),
    ("zh", "身份證號是110105 1949-1231 002X", "身份證號是[身份证号 1]"),
    ("en", "110105.19491231.002X", "[ID number 1]"),
    ("en", "SSN 123 45 6789", "SSN [ID number 1]"),
    ("zh", "A123456789是我的身分證字號", "[身份证号 1]是我的身分證字號"),
    ("zh", "我的電話是138 0013 8000，帳號：6222 0212 3456 7890 123", "我的電話是[电话 1]，帳號：[银行卡 1]"),
]

NO_NUMBERS = [
    "there are 15000000000 bacteria in it, and 13800000000 is a big number",
    "10 20 30 40 50 60 70 80, 1 2 3 4 5 6 7 8 9 10 11 12",
    "One two three four five six seven eight nine ten!",
    "I got 150 20 30 40 50 in a row",
    "2026-11-30 2026-12-01 2026.12.02, 1/2/2024 3/4/2024",
    "The years 2020 2021 2022 2023 were hard.",
    "£1,234,567.89 and 40.7127837, -74.0059413",
    "UUID 123e4567-e89b-12d3-a456-426614174000, md5 0123456789abcdef0123456789abcdef",
    "Order number 4111 1111-1111 1111, ISBN 9783161484100",
    "rows 3 1 5 9 5 5 5 10 1 12 10 12 12 and 1 4 9 4 4 9 9 0 9 9 9 12 13",
    "it began at 1337085034.5 and ended at 1337085500.3",
    "ids ab4ee7c8-2840-4744-8547-44371c79563e, 44911340-4872-4ef7-968f-94d6ef44ae51",
    "user: nora, room12 is hers",
    "数一数：零一二三四五六七八九，行3 1 5 9 5 5 5 10 1 12 10 12 12",
    "开始于1337085034.5，编号ab4ee7c8-2840-4744-8547-44371c79563e",
    "一二三四五六七，七六五四三二一，一二三四五六日",
    "二〇二六年十一月三十日，第13812345678號",
    "訂單號13812345678還沒到，運單號4111 1111-1111 1111也是。",
    "里面有15000000000个细菌，13800000000是个大数",
    "10 20 30 40 50 60 70 80，2020 2021 2022 2023",
    "书号9783161484100，共1、2、3、4、5、6、7、8、9",
]

KEYS = [
    "https://files.example.org/c?sv=2020-08-04&sig={}abcd%2Fefgh1234567890%3D",
    "https://api.example.org/v1?user_token={}abcdef0123456789",
    "https://hooks.slack.com/services/{}T00000000/B00000000/ABCDEFGHIJKLMNOP",
    "https://discord.com/api/webhooks/{}123456789012345678/abcdefghijklmnopqrstuvwxyzABCDEFGH012345",
    "ftp://anonymous:{}me@example.org",
    "{}ya29.a0AfH6SMBx1234567890abcdefgh",
    "{}GOCSPX-abcdefghijklmnopqrstuvwx12",
    "{}dapi0123456789abcdef0123456789abcdef",
    "{}shpat_0123456789abcdef0123456789abcdef",
    "{}hvs.CAESIJabcdefghijk1234567890",
    "{}key-0123456789abcdef0123456789abcdef",
    "{}glsa_abcdefghijklmnopqrstuvwxyz012345_abcdef01",
    "{}0123456789abcdef0123456789abcdef.AbCdEfGhIjKlMnOp",
    "{}eyJhbGciOiJkaXIifQ..48V1_ALb6US04U3b.5eym8TW_c8SuK0.XFBoMYUZodet",
    "Cookie: {}session=abcdef0123456789abcdef",
    "{}AGE-SECRET-KEY-1QQPQYZ8J0Q0Q0Q0Q0Q0Q0Q0Q0Q0Q0Q0Q0Q0Q0Q0Q0Q0Q0Q",
    "{}PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\nAAAAB3\nAAAAgQ\nPrivate-MAC: 0a1b2c",
    "{}b3BlbnNzaC1rZXktdjEAAAAA\nQyNTUxOQAAACB\n-----END OPENSSH PRIVATE KEY-----",
]


@pytest.mark.parametrize(("code", "said", "kept"), PASSWORDS + NUMBERS)
def test_it_is_found_in_every_dress(code: str, said: str, kept: str) -> None:
    done = REDACTOR.redact(said, language=code)
    assert done.text == kept
    assert REDACTOR.redact(done.text, language=code).count == 0


@pytest.mark.parametrize("said", NO_PASSWORDS + NO_NUMBERS)
def test_what_is_said_of_one_stays(said: str) -> None:
    assert REDACTOR.redact(said).text == said


@pytest.mark.parametrize("form", KEYS)
@pytest.mark.parametrize("around", ["use {} now", "用{}吧"])
def test_keys_of_many_services(form: str, around: str) -> None:
    secret = form.partition("{}")[2]
    if not form.startswith(("{}b3Blbn", "Cookie")):  # which fill their text, or their line
        form = around.format(form.replace("{}", "{{}}")).replace("{{}}", "{}")
    found = REDACTOR.redact(form.format(""))
    assert secret not in found.text
    assert found.count == 1


@pytest.mark.parametrize(
    ("code", "first", "again"),
    [
        ("en", "Call 138 0013 8000", "it is one three eight double zero one three eight triple zero"),
        ("zh", "打13800138000", "就是幺三八零零幺三八零零零"),
        ("en", "4111 1111 1111 1111", f"4111{ZERO}1111-1111.1111"),
        ("zh", "6222021234567890128", "６２２２０２１２３４５６７８９０１２８"),
    ],
)
def test_in_another_dress_it_is_the_same(code: str, first: str, again: str) -> None:
    known = {one.mark: one.reference for one in REDACTOR.redact(first, language=code).new}
    assert known
    done = REDACTOR.redact(again, known, language=code)
    assert (done.count, done.new) == (1, ())


@pytest.mark.parametrize(
    ("code", "said", "kept"),
    [
        ("en", "Not [card 1] but 4111 1111 1111 1111", "Not [card 1] but [card 2]"),
        ("zh", "不是[银行卡 1]，是4111 1111 1111 1111", "不是[银行卡 1]，是[银行卡 2]"),
    ],
)
def test_a_typed_reference_stands_for_nothing_else(code: str, said: str, kept: str) -> None:
    assert REDACTOR.redact(said, language=code).text == kept


def test_check_of_an_identity_card() -> None:
    assert taiwan_id("A123456789")
    assert not taiwan_id("A123456788")


HOSTILE = [
    "1 ", "1_", "1\n", "4111 ", "1" + ZERO, ZERO, "one ", "double ", "一", "幺 ", "password is ", "password for the a a a ", "password to ",
    'password "a', "密码我的", "密码是“", "密码是我", "--password ", "-u a:", "?a_", "<password>", "login a password ", "cookie:a=", "eyJ.",
    "-----END PRIVATE KEY-----", "abcdABCD", "PuTTY-User-Key-File-2", "the seed phrase is a ", "passphrase is a a a ", "1234 is your a a ",
    "login is a/", "[card 1]", "第1",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE, ids=repr)
def test_time_grows_with_the_length(unit: str) -> None:
    """Four times the text takes four times as long, with room for noise; nothing takes a second."""
    asked = redactor(load_packs(), Policy(kinds=("keys", "cards", "ids", "phones", "emails")))

    def taken(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]
        times = []
        for _ in range(3):
            started = time.process_time()
            asked.redact(text)
            times.append(time.process_time() - started)
        return min(times)

    short, long = taken(2000), taken(8000)
    assert long < 8 * short + 0.05
    assert long < 1.0
