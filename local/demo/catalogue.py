"""The demo shop's products and pages: names, prices, titles and descriptions."""

from typing import Final

# slug, title, heading, description; then the products: (slug, name, kind, price in pounds)
CATEGORIES: Final = (
    (
        "tents",
        "Tents and Shelters for Hills and Valleys",
        "Tents and shelters",
        "Tents from one to five people, tarps and bothy shelters, all pitched and tested in hill weather by our own crew.",
        (
            ("skarn-2", "Skarn 2", "two-person ridge tent", 289),
            ("skarn-3", "Skarn 3", "three-person ridge tent", 349),
            ("lochan-1", "Lochan 1", "one-person trekking tent", 239),
            ("bealach", "Bealach", "four-season dome tent", 465),
            ("machair", "Machair", "family tunnel tent", 529),
            ("wren-tarp", "Wren", "ultralight silnylon tarp", 119),
            ("cuillin-shelter", "Cuillin", "group bothy shelter", 59),
            ("hazel-bivvy", "Hazel", "hooped bivvy bag", 149),
        ),
    ),
    (
        "backpacks",
        "Backpacks for Day Walks and Long Trails",
        "Backpacks",
        "Backpacks from eighteen to seventy litres with replaceable buckles, sorted by back length and by kind of trip.",
        (
            ("corrie-18", "Corrie 18", "summit day pack", 69),
            ("corrie-28", "Corrie 28", "all-round day pack", 89),
            ("strath-45", "Strath 45", "lightweight trekking pack", 159),
            ("strath-65", "Strath 65", "expedition trekking pack", 199),
            ("burn-12", "Burn 12", "trail running vest", 79),
            ("drover", "Drover", "waxed canvas rucksack", 139),
            ("ghyll-35", "Ghyll 35", "waterproof roll-top pack", 129),
            ("rowan-22", "Rowan 22", "children's hiking pack", 54),
        ),
    ),
    (
        "sleeping-bags",
        "Sleeping Bags and Mats for Every Season",
        "Sleeping bags and mats",
        "Down and synthetic sleeping bags, quilts and mats with honest comfort figures measured in our own cold room.",
        (
            ("eider-200", "Eider 200", "summer down sleeping bag", 179),
            ("eider-500", "Eider 500", "three-season down bag", 279),
            ("eider-900", "Eider 900", "winter down sleeping bag", 399),
            ("moss-quilt", "Moss", "synthetic camping quilt", 129),
            ("ptarmigan", "Ptarmigan", "recycled synthetic bag", 109),
            ("lichen-mat", "Lichen", "insulated air mat", 119),
            ("peat-mat", "Peat", "folding foam mat", 32),
            ("silk-liner", "Selkie", "silk sleeping bag liner", 45),
        ),
    ),
    (
        "footwear",
        "Hiking Boots and Trail Shoes That Can Be Resoled",
        "Footwear",
        "Boots, trail shoes and gaiters fitted by hand, most of them made so that a cobbler can replace the sole.",
        (
            ("fell-boot", "Fell", "leather hiking boot", 189),
            ("scree-mid", "Scree Mid", "fabric walking boot", 139),
            ("scree-low", "Scree Low", "light approach shoe", 119),
            ("bracken", "Bracken", "trail running shoe", 109),
            ("tarn-sandal", "Tarn", "wading sandal", 69),
            ("crampon-boot", "Rime", "winter mountain boot", 319),
            ("gaiter", "Stob", "long waxed gaiter", 49),
            ("camp-clog", "Croft", "felted camp slipper", 39),
        ),
    ),
    (
        "stoves",
        "Camping Stoves, Pots and Fuel Bottles",
        "Stoves and cookware",
        "Gas, spirit and wood stoves with pots that fit them, measured for boiling time and for fuel used in the wind.",
        (
            ("ember-gas", "Ember", "compact gas stove", 45),
            ("ember-remote", "Ember Duo", "remote canister stove", 89),
            ("kindle", "Kindle", "folding wood stove", 64),
            ("spirit-set", "Alder", "spirit burner cook set", 72),
            ("pot-900", "Kettle 900", "titanium cooking pot", 58),
            ("pan-20", "Griddle 20", "non-stick camping pan", 34),
            ("bottle-fuel", "Flint", "aluminium fuel bottle", 24),
            ("windshield", "Lee", "folding stove windshield", 18),
        ),
    ),
)

# slug, title and description of each category of the magazine
SECTIONS: Final = (
    (
        "hiking",
        "Hiking Stories and Route Notes",
        "Hiking",
        "Walks we would do again, with route notes, honest timings and the small mistakes that made them memorable.",
    ),
    (
        "camping",
        "Camping Advice From Many Wet Nights",
        "Camping",
        "Pitching, sleeping and waking up dry: advice from people who spend fifty nights a year under nylon and stars.",
    ),
    (
        "repair",
        "Repair Bench: Mending Outdoor Gear",
        "Repair",
        "Needle, glue and patience: step by step repairs that keep jackets, tents, boots and mats out of the bin.",
    ),
    (
        "skills",
        "Outdoor Skills Worth Practising",
        "Skills",
        "Map reading, river crossings, weather signs and other skills that weigh nothing and are always to hand.",
    ),
    (
        "winter",
        "Winter Walking, Snow and Short Days",
        "Winter",
        "How to enjoy short days: clothing, daylight planning, frozen paths and the pleasure of a hot flask at noon.",
    ),
)

# slug, section, title without the shop's name
ARTICLES: Final = (
    ("planning-autumn-walks", "hiking", "Planning Autumn Walks Before Dark"),
    ("coast-path-in-five-days", "hiking", "The Coast Path in Five Easy Days"),
    ("drove-roads", "hiking", "Walking the Old Drove Roads Again"),
    ("first-long-trail", "hiking", "Your First Long Trail, Week by Week"),
    ("walking-with-children", "hiking", "Walking With Children Who Would Rather Not"),
    ("solo-over-the-moor", "hiking", "Alone Over the Moor and Glad of It"),
    ("ridge-in-the-mist", "hiking", "A Ridge in the Mist, Step by Step"),
    ("hut-to-hut", "hiking", "Hut to Hut With One Small Pack"),
    ("pitching-in-wind", "camping", "Pitching a Tent in Strong Wind"),
    ("warm-on-cold-nights", "camping", "Staying Warm on Cold Nights Out"),
    ("bothy-manners", "camping", "Bothy Manners, Briefly Explained"),
    ("choosing-a-pitch", "camping", "Choosing a Pitch by Ground and Sky"),
    ("camping-with-a-dog", "camping", "Camping With a Dog in a Small Tent"),
    ("tarps-for-beginners", "camping", "Tarps for Beginners: Four Shapes"),
    ("quiet-campsites", "camping", "Quiet Campsites and Their Keepers"),
    ("caring-for-leather-boots", "repair", "Caring for Leather Boots at Home"),
    ("mending-a-tent-pole", "repair", "Mending a Tent Pole on the Trail"),
    ("washing-a-down-bag", "repair", "Washing a Down Bag Without Tears"),
    ("new-life-for-zips", "repair", "New Life for Tired Jacket Zips"),
    ("sealing-seams", "repair", "Sealing Seams the Patient Way"),
    ("patching-a-mat", "repair", "Finding and Patching a Leaking Mat"),
    ("packing-a-backpack", "skills", "Packing a Backpack by Weight"),
    ("filtering-water", "skills", "Filtering Water: Three Ways Tested"),
    ("map-and-compass", "skills", "Map and Compass in One Hour"),
    ("crossing-rivers", "skills", "Crossing Rivers Without Drama"),
    ("reading-clouds", "skills", "Reading Clouds Before the Forecast"),
    ("pacing-a-climb", "skills", "Pacing a Climb From the First Step"),
    ("knots-you-need", "skills", "The Six Knots You Really Need"),
    ("winter-daylight", "winter", "Planning Around Winter Daylight"),
    ("first-crampons", "winter", "First Steps in Crampons, Slowly"),
    ("snow-shelters", "winter", "Snow Shelters for an Emergency"),
    ("layers-that-breathe", "winter", "Layers That Breathe in the Cold"),
    ("frozen-lochs", "winter", "Frozen Lochs and How to Read Them"),
    ("hot-flask-lunches", "winter", "Hot Flask Lunches for Short Days"),
)

AUTHORS: Final = ("Morag Sinclair", "Ewan Harker", "Priya Raman", "Tomas Lind")

# slug, name, ingredients
RECIPES: Final = (
    (
        "lentil-pot",
        "One-Pot Red Lentil Supper",
        ("200 g red lentils", "1 onion", "2 carrots", "1 stock cube"),
    ),
    (
        "bannock-bread",
        "Bannock Bread on a Camp Pan",
        ("250 g flour", "2 tsp baking powder", "1 pinch of salt"),
    ),
    (
        "peanut-noodles",
        "Peanut Noodles for Cold Camps",
        ("150 g noodles", "3 tbsp peanut butter", "1 tsp chilli"),
    ),
    (
        "apple-porridge",
        "Apple and Cinnamon Trail Porridge",
        ("120 g oats", "1 apple", "1 tsp cinnamon"),
    ),
    (
        "couscous-bowl",
        "Apricot Couscous Without a Stove",
        ("160 g couscous", "8 dried apricots", "1 lemon"),
    ),
    (
        "potato-curry",
        "Potato Curry for Two Hungry Walkers",
        ("4 potatoes", "1 tin of tomatoes", "1 tbsp curry powder"),
    ),
    (
        "bean-chilli",
        "Smoky Bean Chilli From Dried Beans",
        ("200 g dried beans", "1 pepper", "1 tsp smoked paprika"),
    ),
    (
        "chocolate-pot",
        "Summit Chocolate Pot With Sea Salt",
        ("100 g dark chocolate", "200 ml milk", "1 pinch of salt"),
    ),
)

# slug, name, title
REGIONS: Final = (
    ("harrowdale", "Harrowdale", "Harrowdale: Valley Paths and Quarry Tracks"),
    ("ardle-glen", "Ardle Glen", "Ardle Glen: Waterfalls and Quiet Corries"),
    ("west-moor", "West Moor", "West Moor: Heather, Hares and Big Skies"),
    ("saltmarsh-coast", "Saltmarsh Coast", "Saltmarsh Coast: Cliffs and Wide Tides"),
    ("pine-hills", "Pine Hills", "Pine Hills: Forest Rides and Viewpoints"),
    ("slate-edge", "Slate Edge", "Slate Edge: Steep Steps and Old Mines"),
)

TRAIL_LOG: Final = (
    ("day-1", "Trail Log Day 1: Quarry to Upper Tarn"),
    ("day-2", "Trail Log Day 2: Over the Pine Saddle"),
    ("day-3", "Trail Log Day 3: Rain on the Moor"),
    ("day-4", "Trail Log Day 4: The Long Valley"),
    ("day-5", "Trail Log Day 5: Down to the Sea"),
)

# path, kind, title, heading, description, which patterns the text is made of
PLAIN_PAGES: Final = (
    (
        "/about/",
        "page",
        "About Our Shop, Workshop and Magazine",
        "About Alderfell",
        "Who we are, how Alderfell began in a shed with three sewing machines, and what we promise to everyone who buys.",
        "company",
    ),
    (
        "/contact/",
        "contact",
        "Contact: Write, Call or Drop In",
        "Contact us",
        "How to reach our shop and workshop in Harrowdale: address, telephone, opening hours and the quickest way to us.",
        "company",
    ),
    (
        "/imprint/",
        "legal",
        "Imprint and Company Details",
        "Imprint",
        "Company details, responsible persons and registered address of Alderfell Outdoor Ltd, as the law asks for them.",
        "policy",
    ),
    (
        "/privacy/",
        "legal",
        "Privacy: What We Store and Why",
        "Privacy",
        "Which data our shop stores, for how long and why, and how you can see, correct or delete what we know of you.",
        "policy",
    ),
    (
        "/shipping/",
        "page",
        "Shipping Costs, Carriers and Times",
        "Shipping",
        "Parcel prices, carriers and delivery times for the mainland, the islands and abroad, with no small print at all.",
        "policy",
    ),
    (
        "/returns/",
        "page",
        "Returns, Exchanges and Refunds",
        "Returns",
        "Send things back within sixty days, exchange sizes without cost, and get refunds to the account you paid from.",
        "policy",
    ),
    (
        "/warranty/",
        "page",
        "Warranty and Lifetime Repairs",
        "Warranty and repairs",
        "What our warranty covers, how lifetime repairs work, and what a new zip, sole or buckle costs at our workshop.",
        "policy",
    ),
    (
        "/press/",
        "page",
        "Press Releases and Picture Archive",
        "Press",
        "Press releases, company figures and pictures for free use by newspapers, magazines and other friendly people.",
        "company",
    ),
    (
        "/careers/",
        "page",
        "Careers in Shop and Workshop",
        "Careers",
        "Open positions in the workshop, the warehouse and the magazine, with salaries, hours and honest descriptions.",
        "company",
    ),
    (
        "/newsletter/",
        "page",
        "Newsletter: One Letter a Month",
        "Newsletter",
        "One letter a month with a walk, a repair and a recipe, never more, and gone again with a single click at the end.",
        "company",
    ),
    (
        "/rental/",
        "page",
        "Rental: Tents, Packs and Boots",
        "Rental",
        "Rent tents, packs, boots and stoves by the day or the week, tested after every trip and ready when you arrive.",
        "company",
    ),
)

# question, answer of the questions page: each answer is one paragraph of 15 to 80 words
QUESTIONS: Final = (
    (
        "How long does delivery take?",
        (
            "Parcels leave our warehouse within one working day and reach the mainland two days later. Islands take up to "
            "five days, and we send a message with a tracking number as soon as the carrier has scanned the box."
        ),
    ),
    (
        "Can I return boots I have worn?",
        (
            "Yes, as long as you wore them indoors. Walk on a carpet for an evening, climb some stairs, and send them back "
            "within sixty days if they pinch. Mud on the sole means they are yours."
        ),
    ),
    (
        "Do you repair equipment from other makers?",
        (
            "We do when the fabric is sound and the part can be had. Send two pictures to the workshop first, and you will "
            "get an honest price before anything is unstitched."
        ),
    ),
    (
        "Which sleeping bag is right for autumn?",
        (
            "For most people a three-season bag with a comfort figure near minus two degrees is enough until the end of "
            "October. Those who feel the cold should add a liner and a thicker mat rather than a heavier bag."
        ),
    ),
    (
        "How do I measure my back length?",
        (
            "Bend your head forward and find the bone that stands out at the base of the neck. Measure from there down to the "
            "level of the hip bones, along the spine, and compare the figure with the table of each pack."
        ),
    ),
    (
        "Is there a shop I can visit?",
        (
            "There is one shop, next to the workshop in Harrowdale, open from Monday to Saturday. You can try packs with "
            "weights in them, and on dry days we pitch tents in the yard."
        ),
    ),
    (
        "Do you ship gas canisters?",
        (
            "Gas travels by road only, so canisters go to mainland addresses with a separate carrier. On the islands please "
            "buy them locally; our stoves take every canister with a standard thread."
        ),
    ),
)
