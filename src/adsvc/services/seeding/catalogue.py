"""What is sold in the categories of the starter tree, and for about how much."""

from typing import NamedTuple


class Goods(NamedTuple):
    """Names of things, and the range in which two thirds of their prices lie."""

    things: tuple[str, ...]
    lowest: int
    highest: int


# By the slug of a category that has no others below it.
GOODS = {
    "cars": Goods((), 3_000, 24_000),
    "motorcycles": Goods(("Honda CB 500", "Yamaha MT-07", "BMW R 1250 GS", "Vespa Primavera",
        "Kawasaki Z650", "Suzuki SV 650"), 1_500, 9_000),
    "bicycles": Goods(("city bicycle", "touring bicycle", "mountain bike", "road bicycle",
        "cargo bicycle", "children's bicycle", "folding bicycle"), 80, 900),
    "commercial-vehicles": Goods(("Ford Transit", "Mercedes Sprinter", "box trailer",
        "small tractor", "Iveco Daily"), 2_500, 25_000),
    "vehicle-parts": Goods(("winter tyres", "roof box", "bicycle rack", "set of rims",
        "car battery", "child seat"), 20, 300),
    "flats-for-rent": Goods(("flat in an old building", "bright flat with a balcony", "attic flat",
        "flat near the park", "flat near the station"), 550, 1_800),
    "flats-for-sale": Goods(("flat with a garden", "renovated flat", "penthouse",
        "flat in a quiet street"), 150_000, 600_000),
    "houses-for-rent": Goods(("terraced house", "house with a garden", "semi-detached house"),
        1_200, 3_000),
    "houses-for-sale": Goods(("family house", "farmhouse", "terraced house", "old mill",
        "bungalow"), 200_000, 900_000),
    "rooms": Goods(("room in a shared flat", "sublet for the summer", "large room with a balcony"),
        300, 700),
    "holiday-homes": Goods(("cottage by the lake", "flat near the beach", "mountain hut"),
        60, 200),
    "land": Goods(("building plot", "allotment", "orchard", "piece of woodland"), 5_000, 150_000),
    "commercial-property": Goods(("office", "corner shop", "workshop", "warehouse"), 500, 5_000),
    "phones": Goods(("smartphone", "phone with a cracked display", "phone in its box"), 60, 700),
    "computers": Goods(("laptop", "desktop computer", "tablet", "mini computer", "workstation"),
        120, 1_100),
    "tv-audio": Goods(("television", "record player", "pair of loudspeakers", "headphones",
        "amplifier", "radio"), 30, 500),
    "cameras": Goods(("mirrorless camera", "zoom lens", "tripod", "film camera", "camera bag"),
        40, 900),
    "games": Goods(("games console", "handheld console", "controller", "collection of games"),
        20, 300),
    "furniture": Goods(("oak table", "dining table", "bookshelf", "sofa", "desk", "wardrobe",
        "garden table", "bed frame", "armchair", "mirror", "side table", "chest of drawers"),
        30, 400),
    "appliances": Goods(("washing machine", "refrigerator", "coffee machine", "vacuum cleaner",
        "sewing machine", "coffee grinder"), 25, 350),
    "garden": Goods(("lawn mower", "garden bench", "barbecue", "greenhouse", "plant pots"),
        15, 250),
    "tools": Goods(("cordless drill", "circular saw", "workbench", "tool box", "ladder"), 15, 200),
    "womens-clothing": Goods(("winter coat", "summer dress", "wool jumper", "rain jacket"), 8, 80),
    "mens-clothing": Goods(("suit", "leather jacket", "jeans", "linen shirt", "wool coat"), 8, 90),
    "childrens-clothing": Goods(("snow suit", "bundle of clothes", "rain trousers", "jacket"),
        5, 40),
    "shoes": Goods(("hiking boots", "running shoes", "leather shoes", "sandals", "rain boots"),
        10, 90),
    "toys": Goods(("wooden railway", "doll's house", "board game", "building bricks", "puzzle"),
        5, 70),
    "baby": Goods(("stroller", "cot", "baby carrier", "high chair", "bicycle trailer"), 20, 250),
    "pets": Goods(("aquarium", "dog basket", "cat tree", "rabbit hutch", "bird cage"), 10, 120),
    "books": Goods(("set of novels", "cookery books", "box of records", "atlas", "comics"), 3, 50),
    "sports": Goods(("tent", "skis", "rowing machine", "climbing rope", "table tennis table",
        "surfboard"), 20, 300),
    "instruments": Goods(("guitar", "piano", "violin", "drum kit", "accordion", "keyboard"),
        60, 900),
    "collectables": Goods(("stamp album", "oil painting", "model railway", "coins", "clock"),
        10, 400),
    "jobs-offered": Goods(("carpenter", "nurse", "cook", "bicycle mechanic", "accountant",
        "gardener", "driver"), 1_900, 4_200),
    "jobs-wanted": Goods(("experienced cook", "gardener", "student for the weekend",
        "translator"), 1_200, 3_500),
    "craft": Goods(("painter", "electrician", "tiler", "plumber", "roofer"), 35, 90),
    "lessons": Goods(("piano lessons", "German lessons", "help with mathematics",
        "swimming lessons"), 15, 50),
    "transport": Goods(("van with a driver", "help with moving", "transport of furniture"),
        30, 200),
    "care": Goods(("babysitter", "help in the household", "dog walker", "care for the elderly"),
        12, 30),
}  # fmt: skip

# Of the makes of the category `cars`.
MODELS = {
    "audi": ("A3", "A4 Avant", "Q5"),
    "bmw": ("118i", "320d Touring", "X3"),
    "citroen": ("C3", "Berlingo"),
    "dacia": ("Sandero", "Duster"),
    "fiat": ("500", "Panda"),
    "ford": ("Fiesta", "Focus", "Kuga"),
    "hyundai": ("i20", "Kona"),
    "kia": ("Ceed", "Niro"),
    "mazda": ("2", "CX-5"),
    "mercedes-benz": ("A 180", "C 200", "E 220"),
    "opel": ("Corsa", "Astra"),
    "peugeot": ("208", "308"),
    "renault": ("Clio", "Mégane", "Zoe"),
    "seat": ("Ibiza", "Leon"),
    "skoda": ("Fabia", "Octavia", "Enyaq"),
    "tesla": ("Model 3", "Model Y"),
    "toyota": ("Yaris", "Corolla", "Prius"),
    "volkswagen": ("Golf", "Polo", "Passat Variant", "ID.3"),
    "volvo": ("V60", "XC40"),
}

QUALITIES = (
    "Vintage", "Barely used", "Solid", "Small", "Large", "Handmade", "Red", "Blue", "Light",
    "Old", "Modern", "Sturdy", "Restored", "Beautiful", "Simple",
)  # fmt: skip

# For what is neither old nor red: homes, jobs and services.
OCCASIONS = ("Available now", "Urgent", "From next month", "Reliable", "In the centre", "By owner")

DETAILS = (
    "pick-up only", "with original box", "from a smoke-free home", "one scratch", "moving sale",
    "as good as new", "serviced last year", "price negotiable", "a gift I never used",
    "in the family for decades", "shipping possible", "with all papers",
)  # fmt: skip

FIRST_NAMES = ("Anna", "Ben", "Clara", "David", "Elif", "Farid", "Greta", "Hugo", "Irina", "Jonas")

LAST_NAMES = ("Berg", "Costa", "Dietrich", "Engel", "Fischer", "Ivanova", "Kaya", "Lang", "Novak")
