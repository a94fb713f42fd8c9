"""The trip to Hangzhou in two languages: what was said before, and seven messages with what tools gave for them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from harness.state import ToolResult


@dataclass(frozen=True)
class Trip:
    persona: str
    goal: str
    before: tuple[tuple[str, str], ...]
    """What was said in an earlier session, with the replies."""
    turns: tuple[tuple[str, tuple[ToolResult, ...], str], ...]
    """Message, tool results, reply."""
    second: str
    """Name of the second hotel."""
    preference: str
    """Words of the preference that was told in the earlier session."""

    @property
    def replies(self) -> list[str]:
        return [*(reply for _, reply in self.before), *(reply for *_, reply in self.turns)]


def _weather(city: str, text: str) -> tuple[ToolResult, ...]:
    return (ToolResult(name="weather", arguments={"city": city, "days": 7}, text=text),)


def _hotels(city: str, near: str, *hotels: tuple[str, int]) -> tuple[ToolResult, ...]:
    found = {"hotels": [{"name": name, "price": price} for name, price in hotels]}
    text = json.dumps(found, ensure_ascii=False)
    return (ToolResult(name="hotel_search", arguments={"city": city, "near": near}, text=text),)


TRIPS = {
    "zh": Trip(
        persona="lin",
        goal="安排下周去杭州的出差",
        before=(
            ("我常去杭州出差，那边天气说变就变。", "那你得看预报。"),
            ("上回没带伞，淋了一身雨。", "下回包里放一把伞吧。"),
            ("靠近西湖的酒店太吵，睡不好。", "西湖边上人多。"),
            ("我喜欢安静的房间，最好不靠马路。", "好，我记住了。"),
            ("我对羽绒过敏。", "那枕头要换一种。"),
        ),
        turns=(
            (
                "我下周要去杭州出差，那边天气怎么样？",
                _weather("杭州", "周一到周三小雨，18到22度；周四转晴"),
                "下周前三天有小雨，十八到二十二度，周四转晴。",
            ),
            ("那要带伞吗？", (), "带一把吧，前三天都有雨。"),
            (
                "帮我找几家靠近西湖的酒店。",
                _hotels("杭州", "西湖", ("湖滨国际酒店", 880), ("柳莺宾馆", 560), ("断桥饭店", 420)),
                "找到三家：湖滨国际酒店、柳莺宾馆和断桥饭店。",
            ),
            ("第二家吧，预算600以内。", (), "柳莺宾馆五百六一晚，在预算里。"),
            ("那个离西湖远吗？", (), "柳莺宾馆走到湖边五分钟。"),
            ("我上次说的那个偏好还记得吗？", (), "记得，你喜欢安静的房间。"),
            ("好，那就订柳莺宾馆。", (), "好，柳莺宾馆，给你要安静的房间。"),
        ),
        second="柳莺宾馆",
        preference="安静的房间",
    ),
    "en": Trip(
        persona="mia",
        goal="arrange next week's trip to Hangzhou",
        before=(
            ("The weather in Hangzhou changes by the hour when I go there for work.", "So take a coat to Hangzhou."),
            ("I forgot my umbrella there and got soaked.", "An umbrella weighs nothing."),
            ("The hotels close to the lake were too loud to sleep in.", "Hotels by a lake are busy."),
            ("I like quiet hotel rooms, away from the street.", "Got it."),
            ("I'm allergic to feathers.", "Then ask for another pillow."),
        ),
        turns=(
            (
                "I'm off to Hangzhou for work next week. How's the weather there?",
                _weather("Hangzhou", "Light rain Monday to Wednesday, 18 to 22 degrees; sunny from Thursday"),
                "Light rain until Wednesday. Sun from Thursday on.",
            ),
            ("So should I take an umbrella?", (), "Take one, it rains for three days."),
            (
                "Which hotels are close to West Lake?",
                _hotels(
                    "Hangzhou", "West Lake", ("Lakeside Grand", 880), ("Willow Inn", 560), ("Broken Bridge House", 420)
                ),
                "I found three: the Lakeside Grand, the Willow Inn and the Broken Bridge House.",
            ),
            ("The second one, then, and keep it under 600.", (), "The Willow Inn is 560 a night, so that fits."),
            ("Is that one far from the lake?", (), "The Willow Inn is five minutes on foot."),
            (
                "Do you remember that preference I told you about last time?",
                (),
                "You like quiet hotel rooms, away from the street.",
            ),
            ("Good, then book the Willow Inn.", (), "The Willow Inn it is, with a quiet room."),
        ),
        second="Willow Inn",
        preference="quiet hotel rooms",
    ),
}
