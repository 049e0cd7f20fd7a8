// The sentences of the participant's page of a discovery, in each of its languages.

const EN = {
  text_all: "Write down everything that applies to you, one at a time.",
  text_alphabet: "The first {count} characters count, and these can be found: {alphabet}",
  text_added: "{key} added.",
  text_unknown: "This survey cannot find anything with “{letter}” in it. Write it with the characters below.",
  text_spaces: "{alphabet} and spaces",
  text_cut: "counts as “{text}”",
  text_privacy:
    "Your words are not sent: a report is about their first characters only, at most {count} of them, and noise hides those as well. How many it is about has nothing to do with what you write.",
  text_odds:
    "If nothing that you write begins with “{key}”, a report about beginnings of that length claims it all the same with probability {absent}. If something does, it claims it with probability {held}.",
  text_asked: {
    one: "It is about the first character, and nothing behind it.",
    other: "It is about the first {count} characters, and nothing behind them.",
  },
  own_begins: "It claims that you wrote something that begins with:",
  example_begins: "It claims that they wrote something that begins with:",
  text_start: "{text} …",
  text_whole: "{text}, and nothing more",
  text_none: "It claims nothing that begins like what was entered.",
  text_others: "Of all other beginnings of that length it claims {share}, by chance.",
};

const DE = {
  text_all: "Schreiben Sie alles auf, was auf Sie zutrifft, eines nach dem anderen.",
  text_alphabet: "Die ersten {count} Zeichen zählen, und diese lassen sich finden: {alphabet}",
  text_added: "{key} hinzugefügt.",
  text_unknown:
    "Diese Umfrage kann nichts finden, worin „{letter}“ vorkommt. Schreiben Sie es mit den Zeichen unten.",
  text_spaces: "{alphabet} und Leerzeichen",
  text_cut: "zählt als „{text}“",
  text_privacy:
    "Ihre Worte werden nicht gesendet: Ein Bericht betrifft nur ihre ersten Zeichen, höchstens {count}, und auch diese verbirgt Rauschen. Wie viele es sind, hat nichts mit dem zu tun, was Sie schreiben.",
  text_odds:
    "Beginnt nichts, was Sie schreiben, mit „{key}“, behauptet ein Bericht über Anfänge dieser Länge es dennoch mit Wahrscheinlichkeit {absent}. Beginnt etwas so, behauptet er es mit Wahrscheinlichkeit {held}.",
  text_asked: {
    one: "Er betrifft das erste Zeichen und nichts dahinter.",
    other: "Er betrifft die ersten {count} Zeichen und nichts dahinter.",
  },
  own_begins: "Er behauptet, dass Sie etwas geschrieben haben, das so beginnt:",
  example_begins: "Er behauptet, dass etwas geschrieben wurde, das so beginnt:",
  text_start: "{text} …",
  text_whole: "{text} und nichts weiter",
  text_none: "Er behauptet nichts, was so beginnt wie das, was eingegeben wurde.",
  text_others: "Von allen anderen Anfängen dieser Länge behauptet er zufällig {share}.",
};

export const TEXTS = { en: EN, de: DE };
