"""The words of workbooks for people, in the languages that pages are written in."""

from __future__ import annotations

from dataclasses import dataclass

from pckv.base.words import ENGLISH, Language

# By the English text, with the same places for values.
GERMAN = {
    # Sheets and headings.
    "Results": "Ergebnisse",
    "About this file": "Über diese Datei",
    "Answer": "Antwortmöglichkeit",
    "First answer": "Erste Antwortmöglichkeit",
    "Second answer": "Zweite Antwortmöglichkeit",
    "Group": "Gruppe",
    "Share of people": "Anteil der Personen",
    "Share within the group": "Anteil in der Gruppe",
    "from": "von",
    "to": "bis",
    "Average": "Durchschnitt",
    "Average ({unit})": "Durchschnitt ({unit})",
    "Average of the reported answers": "Durchschnitt der gemeldeten Antworten",
    "Clear?": "Eindeutig?",
    "Of these: {level}": "Davon: {level}",
    "Of these: above {value}": "Davon: über {value}",
    "Of these: below {value}": "Davon: unter {value}",
    "{share} say at most": "{share} geben höchstens an",
    "Chosen more often in": "Öfter gewählt in",
    "than in": "als in",
    "Difference (percentage points)": "Unterschied (Prozentpunkte)",
    "Chose both": "Beides gewählt",
    "Second, among those who chose the first": "Zweite unter denen, die die erste gewählt haben",
    "First, among those who chose the second": "Erste unter denen, die die zweite gewählt haben",
    "Times as often as by chance": "So viel Mal so oft wie durch Zufall",
    "Chosen together": "Zusammen gewählt",
    "May be longer?": "Vielleicht länger?",
    "Round": "Runde",
    "First day": "Erster Tag",
    "Change (percentage points)": "Änderung (Prozentpunkte)",
    "Changed between the rounds": "Geändert zwischen den Runden",
    "Warning": "Warnung",
    # Cells.
    "yes": "ja",
    "not distinguishable from noise": "vom Rauschen nicht zu unterscheiden",
    "unknown": "unbekannt",
    "and": "und",
    "all other answers": "alle anderen Antworten",
    "responses do not tell it from another of these": "Antworten unterscheiden das nicht von einer anderen hier",
    "more often than by chance": "häufiger als durch Zufall",
    "less often than by chance": "seltener als durch Zufall",
    # What the second sheet says of the survey.
    "Survey": "Umfrage",
    "Question": "Frage",
    "Responses": "Antworten",
    "Day": "Stand",
    "Confidence": "Sicherheit",
    "Privacy": "Schutz der Antworten",
    "Strong": "Stark",
    "Balanced": "Ausgewogen",
    "Light": "Leicht",
    "ε = {epsilon} per response": "ε = {epsilon} je Antwort",
    "ε = {epsilon} (δ = {delta}) towards a recipient who sees only the batch, if the mixer follows the protocol and "
    "at least {honest} responses are honest; ε = {local} of a response alone": "ε = {epsilon} (δ = {delta}) gegenüber "
    "einem Empfänger, der nur das Bündel sieht, wenn sich der Mixer an das Verfahren hält und mindestens {honest} "
    "Antworten ehrlich sind; ε = {local} bei einer einzelnen Antwort",
    # What it says of the results.
    "Result": "Ergebnis",
    "There are no responses yet.": "Es gibt noch keine Antworten.",
    "Do not use these numbers: honest responses do not give such counts, whatever people chose.": "Verwenden Sie "
    "diese Zahlen nicht: Ehrliche Antworten ergeben solche Summen nicht, was auch immer die Personen gewählt haben.",
    "Some responses were copied, made up, or made by a faulty program: find where they come from, and count again "
    "without them, or repeat the survey.": "Einige Antworten wurden kopiert, erfunden oder von einem fehlerhaften "
    "Programm erstellt: Stellen Sie fest, woher sie kommen, und zählen Sie ohne sie, oder wiederholen Sie die Umfrage.",
    "Clearly above zero: {clear} of {all}.": "Klar über null: {clear} von {all}.",
    "Of one person, at most this many answers count: {padding}. If people have more, true shares are higher than "
    "these; the ranges include that.": "Von einer Person zählen höchstens so viele Angaben: {padding}. Wenn "
    "Personen mehr machen, sind die wahren Anteile höher als diese; die Bereiche schließen das ein.",
    "Of one person, at most this many answers count: {padding}. If people have more, true shares may be higher "
    "than the ranges say.": "Von einer Person zählen höchstens so viele Angaben: {padding}. Wenn Personen mehr "
    "machen, sind die wahren Anteile vielleicht höher, als die Bereiche sagen.",
    "The ranges hold whatever {hostile} of the responses say.": "Die Bereiche gelten, was auch immer {hostile} der "
    "Antworten sagen.",
    "Differences that stand out from the noise: {number}.": "Unterschiede, die sich vom Rauschen abheben: {number}.",
    "Pairs that stand out from the noise: {number}.": "Paare, die sich vom Rauschen abheben: {number}.",
    "Answers found: {number}.": "Gefundene Antworten: {number}.",
    "An answer of {characters} characters that {share} of people have is found four times out of five.": "Eine "
    "Antwort mit {characters} Zeichen, die {share} der Personen geben, wird in vier von fünf Fällen gefunden.",
    "Only the first {characters} characters are found: answers marked so may be longer.": "Gefunden werden nur die "
    "ersten {characters} Zeichen: So gekennzeichnete Antworten sind vielleicht länger.",
    "Changes that stand out from the noise: {number}.": "Änderungen, die sich vom Rauschen abheben: {number}.",
    "Shares of a round are smoothed: they are from all rounds together.": "Anteile einer Runde sind geglättet: Sie "
    "stammen aus allen Runden zusammen.",
    # How to read it.
    "How to read it": "Wie man das liest",
    "Every number is an estimate, since answers were made noisy before they were sent. The range “from … to” holds "
    "the true number with a confidence of {level}: keep these columns when you pass the table on.": "Jede Zahl ist "
    "eine Schätzung, denn die Antworten wurden verrauscht, bevor sie gesendet wurden. Der Bereich „von … bis“ enthält "
    "die wahre Zahl mit einer Sicherheit von {level}: Behalten Sie diese Spalten, wenn Sie die Tabelle weitergeben.",
    "Where the share is empty, the answer is not distinguishable from noise: it may have been chosen by none, or by "
    "as many as the end of its range says.": "Wo der Anteil leer ist, ist die Antwort vom Rauschen nicht zu "
    "unterscheiden: Vielleicht hat sie niemand gewählt, vielleicht aber auch so viele, wie das Ende ihres Bereichs "
    "sagt.",
    "Where a share has no “from”, it is above zero, by an unknown amount.": "Wo zu einem Anteil „von“ fehlt, liegt er "
    "über null; um wie viel, ist nicht bekannt.",
    "An average that is empty is unknown.": "Ein leerer Durchschnitt ist unbekannt.",
}


@dataclass(frozen=True)
class SheetWords:
    """Texts and numbers in the language of a reader."""

    language: Language = ENGLISH

    def __call__(self, text: str, **values: object) -> str:
        """Return an English text in the language, with values in its places."""
        return (text if self.language == ENGLISH else GERMAN[text]).format(**values)

    def number(self, written: str) -> str:
        """Return what English writes with decimal points as the language does."""
        return written if self.language == ENGLISH else written.translate(str.maketrans(",.", ".,"))

    def count(self, number: int) -> str:
        """Return a whole number."""
        return self.number(f"{number:,}")
