"""Texts that hints are measured with: of fraud, written by hand, and ordinary ones, combined."""

import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path


def _lines(name: str) -> Sequence[str]:
    return (Path(__file__).parent / name).read_text("utf-8").splitlines()


SCAM = _lines("scam.txt")
# Further ones, as single lines: rules that only fit the texts of this file stand out by them.
OTHER_SCAM, OTHER_ORDINARY = _lines("other_scam.txt"), _lines("other_ordinary.txt")

# Openings, questions or statements, and endings, as buyers and sellers write them.
Parts = Sequence[Sequence[str]]

ENGLISH: Parts = (
    (
        "Hi,", "Hello,", "Good evening,", "Hey there,", "Dear seller,", "Hi Anna,", "Morning!",
        "Thanks for the quick reply.", "Sorry for answering late.", "",
    ),
    (
        "is the table still available?", "would you take 80 for it?", "does it fit in a small car?",
        "what are the exact measurements?", "how old is the bike?", "are there scratches?",
        "I can pick it up on Saturday at 10:30.", "could you send me a photo of the back?",
        "is the price negotiable?", "I live two streets away.",
        "does the battery still last 5 hours?",
        "I would pay cash when I collect it.", "is it the 2019 model or the 2021 one?",
        "the size is 180 x 90 x 75 cm, is that right?", "how many kilometres has it done, 120 000?",
        "can I try it before I buy it?", "do you still have the receipt?",
        "is the manual included?", "my budget is 150, is that enough?", "I offer 1.250 for both.",
        "what time suits you tomorrow?", "is a non-smoking household?", "which floor is it on?",
        "I have a van, so I can take it as a whole.", "is the 14 inch one also for sale?",
        "the article number is 402.638.50, I think.", "does it come with the charger?",
        "was it ever repaired?", "could you keep it until Friday?", "is there a lift in the house?",
        "how much is the rent with heating?", "are pets allowed?",
        "may I come for a viewing on 12 May?",
        "the wheel size is 28 inches, correct?", "I could swap it for my camera.",
        "we agreed on 45, see you at 6 pm.", "the train arrives at 17:42.", "is it from IKEA?",
        "I found my old one for 60 at a flea market.", "it weighs about 25 kg.",
        "does the lens have fungus?", "what colour is it in daylight?", "is delivery possible?",
        "I would need two of them.", "has the dog been vaccinated?", "the kitten is 12 weeks old.",
        "ISBN 3-16-148410-0 is the edition that I have.", "you find the house behind the church.",
    ),
    (
        "Best regards, Tom", "Thank you!", "Thanks in advance.", "See you then.", "Cheers, Mia",
        "Looking forward to your answer.", "I'd come right away.", "Have a nice weekend.", "",
        "Kind regards from number 14.",
    ),
)  # fmt: skip
GERMAN: Parts = (
    (
        "Hallo,", "Guten Tag,", "Guten Abend Frau Berg,", "Moin,", "Hi,", "Servus,", "Grüß Gott,",
        "Danke für die schnelle Antwort.", "Entschuldigung, dass ich so spät schreibe.", "",
    ),
    (
        "ist der Tisch noch da?", "würden Sie ihn für 80 Euro abgeben?", "passt er in einen Kombi?",
        "wie sind die genauen Maße?", "wie alt ist das Rad?", "gibt es Kratzer?",
        "ich könnte am Samstag um 10:30 Uhr kommen.",
        "könnten Sie noch ein Foto von hinten machen?",
        "ist der Preis verhandelbar?", "ich wohne zwei Straßen weiter.", "wie lange hält der Akku?",
        "ich zahle bar bei Abholung.", "ist das das Modell von 2019?", "ist noch Garantie drauf?",
        "180 x 90 x 75 cm, stimmt das?", "wie viele Kilometer hat er gelaufen, 120.000?",
        "darf ich es vorher ausprobieren?", "haben Sie die Rechnung noch?",
        "ist alles vollständig?",
        "mein Limit ist 150, reicht das?", "für beide biete ich 1.250.",
        "wann passt es Ihnen morgen?",
        "kommt es aus einem Nichtraucherhaushalt?", "in welchem Stock ist die Wohnung?",
        "ich habe einen Transporter und nehme alles mit.", "ist die Baujahr 2008?",
        "die Artikelnummer ist 402.638.50, oder?", "ist das Ladekabel dabei?",
        "wurde schon etwas repariert?", "könnten Sie ihn bis Freitag zurücklegen?",
        "gibt es im Haus einen Aufzug?", "wie hoch ist die Warmmiete?", "sind Haustiere erlaubt?",
        "wäre eine Besichtigung am 12.05. möglich?", "die Kaution sind zwei Monatsmieten, richtig?",
        "ich könnte meine Kamera dagegen tauschen.", "dann bleibt es bei 45 Euro um 18 Uhr.",
        "mein Zug kommt um 17:42 an.", "ist er von IKEA?", "er wiegt etwa 25 kg.",
        "hat das Objektiv Pilz?", "welche Farbe hat er bei Tageslicht?", "ist Versand möglich?",
        "ich bräuchte zwei davon.", "ist der Hund geimpft?", "das Kätzchen ist 12 Wochen alt.",
        "klingeln Sie bitte bei Müller, Hausnummer 14.", "das Haus steht hinter der Kirche.",
    ),
    (
        "Viele Grüße, Jonas", "Danke!", "Vielen Dank im Voraus!", "Bis dann.", "LG Mia",
        "Ich freue mich auf Ihre Antwort.", "Ich käme sofort.", "Schönes Wochenende.", "",
        "Freundliche Grüße aus Ulm",
    ),
)  # fmt: skip
RUSSIAN: Parts = (
    (
        "Здравствуйте,", "Добрый день,", "Добрый вечер,", "Привет,", "Доброе утро!",
        "Спасибо за быстрый ответ.", "Извините, что поздно пишу.", "Ирина, здравствуйте.", "",
    ),
    (
        "стол ещё продаётся?", "отдадите за 800?", "он поместится в легковую?",
        "какие точные размеры?",
        "сколько лет велосипеду?", "есть ли царапины?", "могу забрать в субботу в 10:30.",
        "пришлите, пожалуйста, фото сзади.", "торг уместен?", "я живу в двух кварталах.",
        "сколько держит батарея?", "заплачу наличными при встрече.", "это модель 2019 года?",
        "гарантия ещё действует?", "180 на 90 на 75 см, верно?", "какой пробег, 120 000?",
        "можно проверить перед покупкой?", "чек сохранился?", "комплект полный?",
        "у меня 1500, хватит?", "за оба дам 12 500.", "во сколько завтра удобно?",
        "какой этаж?", "приеду на своей машине и заберу всё сразу.", "артикул 402.638.50, кажется.",
        "зарядка в комплекте?", "его ремонтировали?", "придержите до пятницы?", "лифт в доме есть?",
        "сколько коммунальные?", "с животными можно?", "можно посмотреть 12 мая?",
        "диаметр колёс 28 дюймов?", "могу обменять на фотоаппарат.",
        "договорились на 450, буду в 18.",
        "электричка приходит в 17:42.", "весит около 25 кг.", "какого цвета при дневном свете?",
        "доставка возможна?", "мне нужно два таких.", "собака привита?", "котёнку 12 недель.",
        "дом за церковью, подъезд 3, квартира 14.", "скидка за самовывоз будет?",
        "почему продаёте?", "вторая обувь какого размера?", "есть ли запах?",
        "подойдёт ребёнку 8 лет?",
    ),
    (
        "С уважением, Олег", "Спасибо!", "Заранее спасибо.", "До встречи.", "Жду ответа.",
        "Приеду сразу.", "Хороших выходных.", "", "Спасибо, Мария",
    ),
)  # fmt: skip


def ordinary(number: int) -> Sequence[str]:
    """Different texts, the same ones each time: one or two sentences with or without a frame."""
    chance = random.Random(27)
    return list(itertools.islice(_distinct(chance), number))


def _distinct(chance: random.Random) -> Iterator[str]:
    known: set[str] = set()
    while True:
        openings, sentences, endings = chance.choice((ENGLISH, GERMAN, RUSSIAN))
        said = chance.sample(sentences, chance.choice((1, 1, 2, 3)))
        text = " ".join((chance.choice(openings), *said, chance.choice(endings))).strip()
        if text not in known:
            known.add(text)
            yield text
