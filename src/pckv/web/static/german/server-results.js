// German of the sentences about results: verdicts, alarms, trends, discoveries and charts, by their English templates.
export default {
  // Titles of tables.
  "{}, {}, realised ε {}, method {}": "{1}, {2:raw}, ε {3} umgesetzt, Methode {4:raw}",
  "{}, {}, realised ε {} of a report alone, mixed, method {}":
    "{1}, {2:raw}, ε {3} einer einzelnen Antwort umgesetzt, gemischt, Methode {4:raw}",
  "{}, {}, realised ε {}, method {}, intervals hold whatever {} of the reports say":
    "{1}, {2:raw}, ε {3} umgesetzt, Methode {4:raw}, die Bereiche gelten, was auch immer {5} der Antworten sagen",

  // The facts of a repeated survey.
  "rounds without end of {} days from {} on": "Runden von je {1} Tagen ohne Ende, ab dem {2}",
  "rounds without end of {} day from {} on": "Runden von je {1} Tag ohne Ende, ab dem {2}",
  "{} rounds of {} days from {} on": "{1} Runden von je {2} Tagen, ab dem {3}",
  "{} rounds of {} day from {} on": "{1} Runden von je {2} Tag, ab dem {3}",
  "{} round of {} days from {} on": "{1} Runde von {2} Tagen, ab dem {3}",
  "{} round of {} day from {} on": "{1} Runde von {2} Tag, ab dem {3}",
  "{}; a device reports in every round": "{1}; ein Gerät antwortet in jeder Runde",
  "{}; a device reports in one round out of {}": "{1}; ein Gerät antwortet in einer von {2} Runden",

  // Verdicts of estimates.
  "There are no reports yet.": "Es gibt noch keine Antworten.",
  "Do not use these numbers: honest reports do not give such counts, whatever people hold.":
    "Verwenden Sie diese Zahlen nicht: Ehrliche Antworten ergeben solche Zählungen nicht, was auch immer die Personen gewählt haben.",
  "Some reports were copied, made up, or made by a faulty client: find where they come from, and count again without them, or collect again.":
    "Einige Antworten wurden kopiert, erfunden oder von einem fehlerhaften Programm erstellt: Stellen Sie fest, woher sie kommen, oder wiederholen Sie die Umfrage.",
  "1 of {} keys stands out from the noise{}; {}.": "1 von {1} Antwortmöglichkeiten liegt klar über null{2}; {3}.",
  "{} of {} keys {} out from the noise{}; {}.": "{1} von {2} Antwortmöglichkeiten liegen klar über null{4}; {5}.",
  "The key stands out from the noise{}.": "Die Antwortmöglichkeit liegt klar über null{1}.",
  "Both keys stand out from the noise{}.": "Beide Antwortmöglichkeiten liegen klar über null{1}.",
  "All {} keys stand out from the noise{}.": "Alle {1} Antwortmöglichkeiten liegen klar über null{2}.",
  "No key stands out from the noise{}: {}. More people or a larger ε would help.":
    "Keine Antwortmöglichkeit liegt klar über null{1}: {2}. Mit mehr Antworten ließe sich mehr erkennen.",
  "No key stands out from the noise{}: {}. Fewer hostile reports or a larger ε would help.":
    "Keine Antwortmöglichkeit liegt klar über null{1}: {2}. Mit weniger gefälschten Antworten lässt sich mehr erkennen.",
  "The key does not stand out from the noise{}: {}. More people or a larger ε would help.":
    "Diese Antwortmöglichkeit liegt nicht klar über null{1}: {2}. Mit mehr Antworten ließe sich mehr erkennen.",
  "The key does not stand out from the noise{}: {}. Fewer hostile reports or a larger ε would help.":
    "Diese Antwortmöglichkeit liegt nicht klar über null{1}: {2}. Mit weniger gefälschten Antworten lässt sich mehr erkennen.",
  ", whatever {} of the reports say{}": ", was auch immer {1} der Antworten sagen{2}",
  " (at most {} % of such flags are false, on average)": " (im Mittel ist höchstens {1} % solcher Befunde falsch)",
  "each may be zero": "Jede kann auch null sein",
  "it may be zero": "Sie kann auch null sein",
  "the others may be zero": "die übrigen können auch null sein",
  "the one that does not may be zero": "die übrige kann auch null sein",
  "how frequent they are is unknown": "Wie oft jede einzelne gewählt wurde, ist unbekannt",
  "how frequent it is is unknown": "Wie häufig sie ist, ist unbekannt",
  "how frequent the others are is unknown": "wie häufig die übrigen sind, ist unbekannt",
  "how frequent the one that does not is is unknown": "wie häufig die übrige ist, ist unbekannt",
  "not distinguishable from noise": "vom Rauschen nicht zu unterscheiden",
  "the noise": "Rauschen",
  "the noise, whatever {} of the reports say": "Rauschen, was auch immer {1} der Antworten sagen,",
  unknown: "unbekannt",
  "all unlisted keys": "alle nicht aufgeführten",
  "intervals hold whatever {} of the reports say": "die Bereiche gelten, was auch immer {1} der Antworten sagen",
  "Up to {} of people may hold keys that are not listed":
    "Bis zu {1} der Personen wählen vielleicht etwas, das nicht zur Auswahl stand",
  "{} of people hold keys that are not listed ({} to {})":
    "{1} der Personen wählen etwas, das nicht zur Auswahl stand ({2} bis {3})",
  "Up to {} of people may hold keys that are not listed.":
    "Bis zu {1} der Personen wählen vielleicht etwas, das nicht zur Auswahl stand.",
  "{} of people hold keys that are not listed ({} to {}).":
    "{1} der Personen wählen etwas, das nicht zur Auswahl stand ({2} bis {3}).",
  "Of the intervals of keys that stand out, at most {} miss the truth by chance, on average: each has the level {} %, since these keys were selected. Others have {} %":
    "Von den Bereichen der Antwortmöglichkeiten, die sich abheben, verfehlen im Mittel höchstens {1} durch Zufall den wahren Wert: Jeder hat die Sicherheit {2} %, weil sie ausgewählt wurden. Die übrigen haben {3} %",
  "Of the intervals of keys that stand out, at most {} miss the truth by chance, on average: each has the level {} %, since these keys were selected. Others have {} %.":
    "Von den Bereichen der Antwortmöglichkeiten, die sich abheben, verfehlen im Mittel höchstens {1} durch Zufall den wahren Wert: Jeder hat die Sicherheit {2} %, weil sie ausgewählt wurden. Die übrigen haben {3} %.",
  "{} of the keys share their numbers with each other: reports do not tell such keys apart, and the estimates of each are those of all that have its number.":
    "{1} der Antwortmöglichkeiten haben dieselbe Nummer wie eine andere: Antworten unterscheiden sie nicht, und die Schätzung einer jeden ist die aller mit ihrer Nummer.",
  "The mean of 1 key is unknown for that reason: the mean of the reported pairs stands beside.{}":
    "Der Durchschnitt von 1 Antwortmöglichkeit ist deshalb unbekannt: Daneben steht der Durchschnitt der Angaben, die gesendet wurden.{1}",
  "The means of {} keys are unknown for that reason: the mean of the reported pairs stands beside.{}":
    "Die Durchschnitte von {1} Antwortmöglichkeiten sind deshalb unbekannt: Daneben steht der Durchschnitt der Angaben, die gesendet wurden.{2}",
  " By the answers, a padding of {} would hide at most a tenth as much.":
    " Nach den Antworten würde ein Padding von {1} höchstens ein Zehntel davon verbergen.",

  // What people with many pairs hide.
  "No participant holds more than {}, by contract.": "Mehr als {1} wählt niemand; so ist die Umfrage angelegt.",
  "How many pairs people hold is not known, and a report stands for at most {}. If people hold more, true frequencies are higher, {}{}":
    "Eine Antwort steht für höchstens {1}, und ob Personen mehr machen, ist nicht bekannt. Wenn ja, sind die wahren Anteile höher, {2}{3}",
  "How many keys people hold is not known, and a report stands for at most {}. If people hold more, true frequencies are higher, {}{}":
    "Eine Antwort steht für höchstens {1}, und ob Personen mehr wählen, ist nicht bekannt. Wenn ja, sind die wahren Anteile höher, {2}{3}",
  "up to {} times{}": "bis zum {1}-Fachen{2}",
  "perhaps many times{}": "vielleicht um ein Vielfaches{1}",
  "up to {} times": "bis zum {1}-Fachen",
  "perhaps many times": "vielleicht um ein Vielfaches",
  ", and if people with many pairs give other values than the rest, {} are off. The intervals include both.":
    ", und auch {1} können abweichen. Die Bereiche schließen beides ein.",
  ". The intervals include that.": ". Die Bereiche schließen das ein.",
  "the means, shares and quantiles of values": "Durchschnitte, Anteile und Quantile der Werte",
  "the means": "die Durchschnitte",
  "Up to {} of people may hold more than the {} that a report stands for: frequencies may be too low by up to {} points for that reason{}":
    "Bis zu {1} der Personen haben vielleicht mehr als {2} gewählt, die Grenze einer Antwort: Anteile können um bis zu {3} Prozentpunkte zu niedrig sein{4}",
  "Up to {} of people may hold more than the {} that a report stands for: frequencies may be too low by up to {} point for that reason{}":
    "Bis zu {1} der Personen haben vielleicht mehr als {2} gewählt, die Grenze einer Antwort: Anteile können um bis zu {3} Prozentpunkt zu niedrig sein{4}",
  "{} of people hold more than {} ({} to {}), but a report stands for at most {}. So frequencies may be too low by up to {} points{}":
    "Etwa {1} der Personen haben mehr als {2} gewählt, die Grenze einer Antwort: Anteile können um bis zu {6} Prozentpunkte zu niedrig sein{7}",
  "{} of people hold more than {} ({} to {}), but a report stands for at most {}. So frequencies may be too low by up to {} point{}":
    "Etwa {1} der Personen haben mehr als {2} gewählt, die Grenze einer Antwort: Anteile können um bis zu {6} Prozentpunkt zu niedrig sein{7}",
  "frequency: the share of people who hold a key{}":
    "Häufigkeit: der Anteil der Personen, die eine Antwortmöglichkeit wählen{1}",
  "; mean: of the values they give it{}": "; Durchschnitt: der Werte, die sie dafür nennen{1}",
  "; a person with m > {} {} counts as {}/m in the estimates, and as any other one in what the intervals hold for{}":
    "; eine Person mit m > {1} {2} zählt in den Schätzungen als {3}/m und in dem, wofür die Bereiche gelten, wie jede andere{4}",
  ", except reported_mean_low to reported_mean_high: the mean of the reported pairs":
    ", außer von reported_mean_low bis reported_mean_high: der Durchschnitt der gesendeten Angaben",
  "{} point": "{1} Prozentpunkt",
  "{} points": "{1} Prozentpunkte",
  "±{} point": "±{1} Prozentpunkt",
  "±{} points": "±{1} Prozentpunkte",
  "{} pair": "{1:number} Angabe",
  "{} pairs": "{1:number} Angaben",
  "{} key": "{1:number} Antwortmöglichkeit",
  "{} keys": "{1:number} Antwortmöglichkeiten",
  pairs: "Angaben",
  keys: "Antwortmöglichkeiten",
  texts: "Texte",
  "{} report": "{1:number} Antwort",
  "{} reports": "{1:number} Antworten",
  "{} round": "{1} Runde",
  "{} rounds": "{1} Runden",
  "{} panel": "{1} Panel",
  "{} panels": "{1} Panels",
  "one batch of a mixer": "ein Bündel eines Mixers",
  "one batch of a mixer per round, whose reports of one device add up":
    "je Runde ein Bündel eines Mixers, wobei sich die Antworten eines Geräts addieren",
  "One batch of a mixer": "Ein Bündel eines Mixers",
  "One batch of a mixer per round, whose reports of one device add up":
    "Je Runde ein Bündel eines Mixers, wobei sich die Antworten eines Geräts addieren",
  "{}; towards a recipient who sees only that batch: {}.":
    "{1}; gegenüber einem Empfänger, der nur dieses Bündel sieht: {2}.",
  "{}; towards a recipient who sees only that batch: {}":
    "{1}; gegenüber einem Empfänger, der nur dieses Bündel sieht: {2}",

  // Groups, and two together.
  "of {} tested (at most {} of such flags are false, on average)":
    "von {1} geprüften (im Mittel sind höchstens {2} solcher Befunde falsch)",
  "whatever {} of the reports say, of {} tested (at most {} of such flags are false, on average)":
    "was auch immer {1} der Antworten sagen, von {2} geprüften (im Mittel sind höchstens {3} solcher Befunde falsch)",
  "Within the labels of “{}”, 1 share of a key stands out from the noise, of {} tested (at most {} of such flags are false, on average).":
    "Innerhalb der Gruppen von „{1:raw}“ liegt 1 von {2} Anteilen klar über null. Im Mittel sind höchstens {3} solcher Aussagen falsch.",
  "Within the labels of “{}”, {} shares of keys stand out from the noise, of {} tested (at most {} of such flags are false, on average).":
    "Innerhalb der Gruppen von „{1:raw}“ liegen {2} von {3} Anteilen klar über null. Im Mittel sind höchstens {4} solcher Aussagen falsch.",
  "Within the labels of “{}”, no key stands out from {}.":
    "Innerhalb der Gruppen von „{1:raw}“ hebt sich keine Antwortmöglichkeit vom {2} ab.",
  "Within the labels of “{}”, 1 share of a key stands out from {}, {}.":
    "Innerhalb der Gruppen von „{1:raw}“ hebt sich 1 Anteil einer Antwortmöglichkeit vom {2} ab, {3}.",
  "Within the labels of “{}”, {} shares of keys stand out from {}, {}.":
    "Innerhalb der Gruppen von „{1:raw}“ heben sich {2} Anteile von Antwortmöglichkeiten vom {3} ab, {4}.",
  "1 difference of shares between labels of “{}” stands out from {}, {}.":
    "1 Unterschied von Anteilen zwischen Gruppen von „{1:raw}“ hebt sich vom {2} ab, {3}.",
  "{} differences of shares between labels of “{}” stand out from {}, {}.":
    "{1} Unterschiede von Anteilen zwischen Gruppen von „{2:raw}“ heben sich vom {3} ab, {4}.",
  "No difference of shares between labels of “{}” stands out from {}.":
    "Kein Unterschied von Anteilen zwischen Gruppen von „{1:raw}“ hebt sich vom {2} ab.",
  "Means are not compared between labels: only shares are.":
    "Durchschnitte werden zwischen Gruppen nicht verglichen, nur Anteile.",
  "No two keys together stand out from {}.":
    "Keine zwei zusammen gewählten Antwortmöglichkeiten heben sich vom {1} ab.",
  "1 pair of keys stands out from {}, {}.": "1 Kombination zweier Antwortmöglichkeiten hebt sich vom {1} ab, {2}.",
  "{} pairs of keys stand out from {}, {}.":
    "{1} Kombinationen zweier Antwortmöglichkeiten heben sich vom {2} ab, {3}.",
  "That two keys are held together more or less often than by chance does not stand out from {}.":
    "Dass zwei Antwortmöglichkeiten häufiger oder seltener als durch Zufall zusammen gewählt werden, hebt sich vom {1} nicht ab.",
  "1 pair of keys is held together more often than by chance, and {} less often, {}.":
    "1 Kombination zweier Antwortmöglichkeiten wird häufiger als durch Zufall zusammen gewählt, und {1} seltener, {2}.",
  "{} pairs of keys are held together more often than by chance, and {} less often, {}.":
    "{1} Kombinationen zweier Antwortmöglichkeiten werden häufiger als durch Zufall zusammen gewählt, und {2} seltener, {3}.",
  "more often than by chance": "häufiger als durch Zufall",
  "less often than by chance": "seltener als durch Zufall",
  "hold both": "wählen beide",
  "held together": "zusammen gewählt",
  "first key": "erste Antwortmöglichkeit",
  "second key": "zweite Antwortmöglichkeit",
  "second, of holders of the first": "die zweite, von denen mit der ersten",
  "first, of holders of the second": "die erste, von denen mit der zweiten",
  "more often in": "häufiger in",
  "than in": "als in",
  key: "Antwortmöglichkeit",
  frequency: "Häufigkeit",
  mean: "Durchschnitt",
  label: "Gruppe",
  share: "Anteil",
  deviation: "Abweichung",
  collides: "gleiche Nummer",
  "reported mean": "Durchschnitt der Angaben",
  "{} % interval": "{1}-%-Bereich",
  "realised ε {}": "ε {1} umgesetzt",
  "realised ε {} per report": "ε {1} je Antwort umgesetzt",
  "realised ε {} of a report alone, mixed": "ε {1} einer einzelnen Antwort umgesetzt, gemischt",
  "only {}": "nur {1}",
  "at most {}": "höchstens {1}",
  "at least {}": "mindestens {1}",
  "at least": "mindestens",
  "at most": "höchstens",
  "at {}": "bei {1}",
  "{} to {}": "{1} bis {2}",

  // Trends of repeated surveys.
  "{} of {} keys changed between rounds {} and {} (at most {} of such flags are false, on average).":
    "{1} von {2} Antwortmöglichkeiten haben sich zwischen den Runden {3} und {4} verändert (im Mittel sind höchstens {5} solcher Befunde falsch).",
  "1 of {} keys changed between rounds {} and {} (at most {} of such flags are false, on average).":
    "1 von {1} Antwortmöglichkeiten hat sich zwischen den Runden {2} und {3} verändert (im Mittel sind höchstens {4} solcher Befunde falsch).",
  "On average at most {} of these keys have a change outside its interval: each interval has the level {} %, since the keys were selected.":
    "Im Mittel liegt die Veränderung bei höchstens {1} von diesen außerhalb ihres Bereichs: Jeder Bereich hat die Sicherheit {2} %, weil sie ausgewählt wurden.",
  "No change stands out from the noise between rounds {} and {}.":
    "Zwischen den Runden {1} und {2} hebt sich keine Veränderung vom Rauschen ab.",
  "A change of any key {} stands out at least four times out of five{}; smaller ones may not.":
    "Eine Veränderung irgendeiner Antwortmöglichkeit {1} hebt sich in mindestens vier von fünf Fällen ab{2}; kleinere vielleicht nicht.",
  "by {}": "um {1}",
  ", and one by {}": ", ebenso eine um {1}",
  ", and one by {}, and one by {}": ", ebenso eine um {1} und eine um {2}",
  "{} point {}": "{1:number} Prozentpunkt {2}",
  "{} points {}": "{1:number} Prozentpunkte {2}",
  "from {} to {}": "von {1} bis {2}",
  "from round {} to round {}": "von Runde {1} auf Runde {2}",
  "from rounds {} to round {}": "von den Runden {1:raw} auf Runde {2}",
  "from rounds {} to rounds {}": "von den Runden {1:raw} auf die Runden {2:raw}",
  "from round {} to rounds {}": "von Runde {1} auf die Runden {2:raw}",
  "{} and {}": "{1} und {2}",
  "These are too few reports to see any change four times out of five.":
    "Das sind zu wenige Antworten, um irgendeine Veränderung in vier von fünf Fällen zu sehen.",
  "below {} may hide": "unter {1} kann sich verbergen",
  "any may hide": "jede kann sich verbergen",
  "Changes are those of reported pairs: of a person who holds more than the {} that a report stands for, only some count. If people hold more or fewer pairs than before, that alone can look like a change of a key, or hide one; the intervals of changes do not include it.":
    "Veränderungen sind die der gesendeten Angaben: Von einer Person, die mehr als die {1:dative} macht, für die eine Antwort steht, zählen nur einige. Machen die Personen mehr oder weniger Angaben als zuvor, so kann allein das wie eine Veränderung aussehen oder eine verbergen; die Bereiche der Veränderungen schließen das nicht ein.",
  "Changes are those of reported keys: of a person who holds more than the {} that a report stands for, only some count. If people hold more or fewer keys than before, that alone can look like a change of a key, or hide one; the intervals of changes do not include it.":
    "Veränderungen sind die der gesendeten Angaben: Von einer Person, die mehr als die {1:dative} wählt, für die eine Antwort steht, zählen nur einige. Wählen die Personen mehr oder weniger als zuvor, so kann allein das wie eine Veränderung aussehen oder eine verbergen; die Bereiche der Veränderungen schließen das nicht ein.",
  "In round {}, 1 of {} differs from what the other rounds lead to expect, as up to {} do by noise alone, on average. There the smoothed interval contains that of the round alone, which is shown as well.":
    "In Runde {1} weicht 1 von {2} von dem ab, was die anderen Runden erwarten lassen; durch das Rauschen allein tun das im Mittel bis zu {3}. Dort enthält der geglättete Bereich den der Runde allein, der auch gezeigt wird.",
  "In round {}, {} of {} keys {} from what the other rounds lead to expect, as up to {} do by noise alone, on average. There the smoothed interval contains that of the round alone, which is shown as well.":
    "In Runde {1} weichen {2} von {3} Antwortmöglichkeiten von dem ab, was die anderen Runden erwarten lassen; durch das Rauschen allein tun das im Mittel bis zu {5}. Dort enthält der geglättete Bereich den der Runde allein, der auch gezeigt wird.",
  "The trend is that of all labels of “{}” together: the estimates of a round tell them apart.":
    "Der Verlauf ist der aller Gruppen von „{1:raw}“ zusammen: Die Schätzungen einer Runde unterscheiden sie.",
  "The trend is that of single keys: the estimates of a round have those of two keys together.":
    "Der Verlauf ist der einzelner Antwortmöglichkeiten: Zusammen gewählte stehen in den Schätzungen einer Runde.",
  "{} ({}), {}, {}, {}, {}": "{1} ({2}), {3}, {4:raw}, {5}, {6}",
  smoothed: "geglättet",
  "changed between": "verändert zwischen",
  points: "Prozentpunkte",
  "pooled, {} rounds": "zusammen, {1} Runden",
  "last round": "letzte Runde",
  "alone {}": "allein {1}",
  "key of the estimates": "Antwortmöglichkeit der Schätzungen",

  // Discovery of unknown answers.
  "No key was found among {}. {}": "Unter {1} wurde kein Text gefunden. {2}",
  "{} key found among {}. {}": "Unter {2} wurde {1} Text gefunden. {3}",
  "{} keys found among {}. {}": "Unter {2} wurden {1} Texte gefunden. {3}",
  "{} found among {}. {}": "Gefunden unter {2}: {1}. {3}",
  "A key of {} characters that {} of the people hold is found four times out of five; shorter ones are found more easily.":
    "Ein Text von {1} Zeichen, den {2} der Personen nennen, wird in vier von fünf Fällen gefunden; kürzere werden leichter gefunden.",
  "These are too few for a key of {} characters, even if all people hold it.":
    "Das sind zu wenige für einen Text von {1} Zeichen, selbst wenn ihn alle nennen.",
  "Of the intervals of these keys, at most {} miss the truth by chance, on average: each has the level {} %, since the keys were selected.":
    "Von den Bereichen dieser Texte verfehlen im Mittel höchstens {1} durch Zufall den wahren Wert: Jeder hat die Sicherheit {2} %, weil sie ausgewählt wurden.",
  "A report stands for 1 key of a person at most. A person who holds more counts for less, so that true frequencies may be higher than the intervals say.":
    "Eine Antwort steht für höchstens 1 Text einer Person. Eine Person, die mehr nennt, zählt für jeden weniger; die wahren Anteile können deshalb höher sein, als die Bereiche sagen.",
  "A report stands for {} keys of a person at most. A person who holds more counts for less, so that true frequencies may be higher than the intervals say.":
    "Eine Antwort steht für höchstens {1} Texte einer Person. Eine Person, die mehr nennt, zählt für jeden weniger; die wahren Anteile können deshalb höher sein, als die Bereiche sagen.",
  "A report stands for {} of a person at most. A person who holds more counts for less, so that true frequencies may be higher than the intervals say.":
    "Eine Antwort steht für höchstens {1} einer Person. Eine Person, die mehr nennt, zählt für jeden weniger; die wahren Anteile können deshalb höher sein, als die Bereiche sagen.",
  "1 key may be longer: only the first {} characters are found. Complete such keys before you measure them: a measurement counts whole keys, written alike, capital letters too.":
    "1 Text geht vielleicht weiter: Gefunden werden höchstens {1} Zeichen. Ergänzen Sie ihn, bevor Sie ihn messen: Gezählt werden ganze Texte in gleicher Schreibweise, auch mit gleichen Großbuchstaben.",
  "{} keys may be longer: only the first {} characters are found. Complete such keys before you measure them: a measurement counts whole keys, written alike, capital letters too.":
    "{1} Texte gehen vielleicht weiter: Gefunden werden höchstens {2} Zeichen. Ergänzen Sie diese, bevor Sie sie messen: Gezählt werden ganze Texte in gleicher Schreibweise, auch mit gleichen Großbuchstaben.",
  "{} may be longer: only the first {} characters are found. Complete such keys before you measure them: a measurement counts whole keys, written alike, capital letters too.":
    "{1} gehen vielleicht weiter: Gefunden werden höchstens {2} Zeichen. Ergänzen Sie diese, bevor Sie sie messen: Gezählt werden ganze Texte in gleicher Schreibweise, auch mit gleichen Großbuchstaben.",
  "{}, {}, at most {} false discoveries on average": "{1}, {2}, im Mittel höchstens {3} falsche Funde",
  "task {} has more groups than reports: {} groups, {} reports":
    "Die Umfrage „{1:raw}“ hat mehr Gruppen als Antworten: {2} Gruppen, {3} Antworten",

  // Alarms, and impossible counts.
  "Single reports of this mechanism cannot be tested, only their counts: copied reports that keep every count possible are not found.":
    "Einzelne Antworten dieses Verfahrens lassen sich nicht prüfen, nur ihre Zählungen: Kopierte Antworten, mit denen jede Zählung möglich bleibt, werden nicht gefunden.",
  "Nothing unusual about the random parts of the reports.":
    "An den zufälligen Teilen der Antworten ist nichts auffällig.",
  "These reports are unusual, and numbers that come from them may be wrong.":
    "Diese Antworten sind auffällig, und die Zahlen daraus sind vielleicht falsch.",
  "Find where these reports come from, and count again without them: nothing is dropped.":
    "Stellen Sie fest, woher diese Antworten kommen: Sie sind alle mitgezählt.",
  "{}: a chance of at most {} if all reports were honest.":
    "{1}: Wären alle Antworten ehrlich, läge die Wahrscheinlichkeit dafür höchstens bei {2:raw}.",
  "the functions that reports name treat {} keys alike {} standard errors more often than by chance":
    "die Funktionen in den Antworten behandeln {1} Antwortmöglichkeiten um {2} Standardfehler häufiger gleich als durch Zufall",
  "{} reports name the same function, where {} expected": "{1} Antworten nennen dieselbe Funktion, erwartet werden {2}",
  "{} are": "{1}",
  "fewer than {} are": "weniger als {1}",
  "{} reports name the function of an earlier one, where {} expected":
    "{1} Antworten nennen die Funktion einer früheren, erwartet werden {2}",
  "{} pairs of reports name the same function, where {} are expected":
    "{1}-mal nennen zwei Antworten dieselbe Funktion, erwartet werden {2}",
  "{} reports name functions whose {} is {}, where {} are expected":
    "{1} Antworten nennen Funktionen mit {2} {3}, erwartet werden {4}",
  "digit {}": "Ziffer {1}",
  number: "Nummer",
  "first number": "erster Zahl",
  "second number": "zweiter Zahl",
  "{} of {} reports answer the size question, where {} are expected":
    "{1} von {2} Antworten beantworten die Mengenfrage, erwartet werden {3}",
  "{} bits per report are set, where {} to {} are expected":
    "{1} Bits je Antwort sind gesetzt, erwartet werden {2} bis {3}",
  "one report sets {} of {} bits, where {} to {} are expected":
    "eine Antwort setzt {1} von {2} Bits, erwartet werden {3} bis {4}",
  "“{}” is counted {} times in {}, where at most {} are expected whatever people hold{}":
    "„{1:raw}“ wird {2}-mal in {3} gezählt, erwartet werden höchstens {4}, was auch immer die Personen wählen{5}",
  "“{}” is counted {} times in {}, where at least {} are expected whatever people hold{}":
    "„{1:raw}“ wird {2}-mal in {3} gezählt, erwartet werden mindestens {4}, was auch immer die Personen wählen{5}",
  "“{}” with the value {} is counted {} times in {}, where {} are expected whatever people hold{}":
    "„{1:raw}“ mit dem Wert {2} wird {3}-mal in {4} gezählt, erwartet werden {5}, was auch immer die Personen wählen{6}",
  "The label “{}” is counted {} times in {}, where {} are expected whatever people hold{}":
    "Die Gruppe „{1:raw}“ wird {2}-mal in {3} gezählt, erwartet werden {4}, was auch immer die Personen wählen{5}",
  "“{}” within the label “{}” is counted {} times in {}, where {} are expected whatever people hold{}":
    "„{1:raw}“ in der Gruppe „{2:raw}“ wird {3}-mal in {4} gezählt, erwartet werden {5}, was auch immer die Personen wählen{6}",
  "“{}” together with “{}” is counted {} times in {}, where {} are expected whatever people hold{}":
    "„{1:raw}“ zusammen mit „{2:raw}“ wird {3}-mal in {4} gezählt, erwartet werden {5}, was auch immer die Personen wählen{6}",
  "all keys together are counted {} times in {}, where {} are expected whatever people hold{}":
    "alle Antwortmöglichkeiten zusammen werden {1}-mal in {2} gezählt, erwartet werden {3}, was auch immer die Personen wählen{4}",
  "the answer “{} pairs” is given {} times in {}, where {} are expected whatever people hold{}":
    "die Antwort „{1} Angaben“ wird {2}-mal in {3} gegeben, erwartet werden {4}, was auch immer die Personen wählen{5}",
  " (and {} other count of this kind)": " (und {1} weitere Zählung dieser Art)",
  " (and {} other counts of this kind)": " (und {1} weitere Zählungen dieser Art)",
  "The results are not shown. Some of the counts are impossible, whatever people answered: reports were copied, made up, or sent by a faulty program. Numbers that come from them would be wrong. Those who run this collection see which counts these are.":
    "Die Ergebnisse werden nicht gezeigt. Einige Zählungen sind unmöglich, was auch immer geantwortet wurde: Antworten wurden kopiert, erfunden oder von einem fehlerhaften Programm gesendet. Zahlen daraus wären falsch. Wer die Umfrage durchführt, sieht, welche Zählungen es sind.",
  "The results are not shown. Some of the counts are impossible, whatever people answered: responses were copied, made up, or sent by a faulty program. Numbers that come from them would be wrong. The operator of this survey sees which counts these are.":
    "Die Ergebnisse werden nicht gezeigt. Einige Zählungen sind unmöglich, was auch immer geantwortet wurde: Antworten wurden kopiert, erfunden oder von einem fehlerhaften Programm gesendet. Zahlen daraus wären falsch. Wer die Umfrage durchführt, sieht, welche Zählungen es sind.",

  // The batch of a survey through a mixer.
  "{} The last attempt failed, and is repeated: {}.":
    "{1} Der letzte Versuch ist gescheitert und wird wiederholt: {2}.",
  "Reports go to the mixer of {} and come together from {} on{}. Fewer than {} are deleted unread.":
    "Die Antworten gehen an den Mixer von {1:raw} und kommen ab {2} zusammen an{3}. Sind es weniger als {4}, werden sie ungelesen gelöscht.",
  "; as it said on {}, {} wait": "; nach seinen Angaben vom {1} warten {2}",
  "A batch of {} sealed report has come and is being opened.":
    "Ein Bündel von {1} versiegelten Antwort ist angekommen und wird geöffnet.",
  "A batch of {} sealed reports has come and is being opened.":
    "Ein Bündel von {1} versiegelten Antworten ist angekommen und wird geöffnet.",
  "Fewer than {} had come to the mixer of {} by {}: it deleted them unread, and there are no results.":
    "Bis {3} kamen beim Mixer von {2:raw} weniger als {1} an: Er hat sie ungelesen gelöscht, und es gibt keine Ergebnisse.",
  "{}, which runs the mixer, withdrew the task: its reports were deleted unread, and there are no results.":
    "{1:raw} betreibt den Mixer und hat die Umfrage zurückgezogen: Ihre Antworten wurden ungelesen gelöscht, und es gibt keine Ergebnisse.",
  "{} came from the mixer of {}; {} more could not be read.":
    "{1} kamen vom Mixer von {2:raw}; {3} weitere waren nicht lesbar.",
  "{} came from the mixer of {}; 1 more could not be read.":
    "{1} kamen vom Mixer von {2:raw}; 1 weitere war nicht lesbar.",
  "{} came from the mixer of {}.": "{1} kamen vom Mixer von {2:raw}.",

  // Charts.
  "{} most frequent of {} keys": "die {1} häufigsten von {2} Antwortmöglichkeiten",
  "{}: {} most frequent of {} keys": "{1:raw}: die {2} häufigsten von {3} Antwortmöglichkeiten",
  "{}: {} keys": "{1:raw}: {2} Antwortmöglichkeiten",
  "{}: {} key": "{1:raw}: {2} Antwortmöglichkeit",
  "{}: {} most frequent of {} keys within each group of “{}”":
    "{1:raw}: die {2} häufigsten von {3} Antwortmöglichkeiten in jeder Gruppe von „{4:raw}“",
  "{}: {} keys within each group of “{}”": "{1:raw}: {2} Antwortmöglichkeiten in jeder Gruppe von „{3:raw}“",
  "{} most frequent of {} keys within each group of “{}”":
    "die {1} häufigsten von {2} Antwortmöglichkeiten in jeder Gruppe von „{3:raw}“",
  "{} within each group of “{}”": "{1} in jeder Gruppe von „{2:raw}“",
  "{}: {} of {} keys in pairs": "{1:raw}: {2} von {3} Antwortmöglichkeiten, je zwei zusammen",
  "{}: {} keys in pairs": "{1:raw}: {2} Antwortmöglichkeiten, je zwei zusammen",
  "{} of {} keys": "{1} von {2} Antwortmöglichkeiten",
  "{} in pairs": "{1}, je zwei zusammen",
  "{}: {} rounds": "{1:raw}: {2} Runden",
  "{}: no key was found": "{1:raw}: kein Text gefunden",
  "{}: {} key found": "{1:raw}: {2} Text gefunden",
  "{}: {} keys found": "{1:raw}: {2} Texte gefunden",
  "{}: the {} most frequent of {} keys found": "{1:raw}: die {2} häufigsten von {3} gefundenen Texten",
  "{} key found": "{1} Text gefunden",
  "{} keys found": "{1} Texte gefunden",
  "{} found": "gefunden: {1}",
  "no key was found": "kein Text gefunden",
  "No key was found": "Kein Text gefunden",
  "the {} most frequent of {} keys found": "die {1} häufigsten von {2} gefundenen Texten",
  "the {} most frequent of {}": "die {1} häufigsten von {2}",
  "{}, {}, ε = {}, method {}, {} % intervals{}": "{1}, {5}-%-Bereiche{6}",
  ", {}": ", {1}",
  "impossible counts, do not use: {}": "unmögliche Zählungen, nicht verwenden: {1}",
  "{}, {}, ε = {}, method {}": "{1}",
  "{}, {}, ε = {}, method {}, intervals hold whatever {} of the reports say":
    "{1}, die Bereiche gelten, was auch immer {5} der Antworten sagen",
  " of a report alone": " einer einzelnen Antwort",
  " after selection (false coverage rate){}": " nach der Auswahl{1}",
  ", intervals hold whatever {} of the reports say{}":
    ", die Bereiche gelten, was auch immer {1} der Antworten sagen{2}",
  ", those of shares that stand out after selection (false coverage rate){}":
    ", die von Anteilen, die sich abheben, nach der Auswahl{1}",
  ", grey: {}": ", grau: {1}",
  "grey: {}": "grau: {1}",
  "grey line: overall; grey bar: {}": "grauer Strich: insgesamt; grauer Balken: {1}",
  ", grey line: overall; grey bar: {}": ", grauer Strich: insgesamt; grauer Balken: {1}",
  "red: the truth": "rot: die Wahrheit",
  "blue: more often together than by chance": "blau: häufiger zusammen als durch Zufall",
  "red: less often": "rot: seltener",
  "grey: does not stand out": "grau: hebt sich nicht ab",
  ", blue: more often together than by chance, red: less often, grey: does not stand out":
    ", blau: häufiger zusammen als durch Zufall, rot: seltener, grau: hebt sich nicht ab",
  "{}, ε = {}; on average at most {} of the intervals miss{}":
    "{1}; im Mittel verfehlen höchstens {3} der Bereiche den wahren Wert{4}",
  "; …: may be longer": "; …: vielleicht länger",
  "line: smoothed, with {} % intervals; points: single rounds; {}, ε = {}, {} panels":
    "Linie: geglättet, mit {1}-%-Bereichen; Punkte: einzelne Runden; {2}, ε = {3}, {4} Panels",
  "bars: intervals of rounds that differ from the others; {}":
    "Balken: Bereiche von Runden, die von den anderen abweichen; {1}",
  "red: the key changed between these rounds; {}": "rot: Veränderung zwischen diesen Runden; {1}",
  "share of people": "Anteil der Personen",
  "share of holders": "Anteil unter denen, die sie wählen",
  "share of holders at or below": "Anteil mit höchstens diesem Wert",
  "mean, in {}": "Durchschnitt ({1:raw})",
  value: "Wert",
  "value, in {}": "Wert ({1:raw})",
  "true frequency": "wahre Häufigkeit",
  "true mean": "wahrer Durchschnitt",
  quantile: "Quantil",
  group: "Gruppe",
  overall: "insgesamt",
  "this is": "das ist",
  "share within the group": "Anteil in der Gruppe",
  "held together more often than by chance": "häufiger als durch Zufall zusammen gewählt",
  "held together less often than by chance": "seltener als durch Zufall zusammen gewählt",
  "does not stand out": "hebt sich nicht ab",
  "{} ({} to {})": "{1} ({2} bis {3})",
  "the pair": "die beiden",
  and: "und",
  lift: "gegenüber Zufall",
  partner: "zusammen mit",
  round: "Runde",
  opens: "beginnt",
  reports: "Antworten",
  change: "Veränderung",
  "this round alone": "diese Runde allein",
  "alone at least": "allein mindestens",
  "alone at most": "allein höchstens",
  series: "Reihe",
  people: "Personen",
  "half the 95 % range of a frequency": "halber 95-%-Bereich eines Anteils",
  "half the 95 % range of a mean": "halber 95-%-Bereich eines Durchschnitts",
  error: "Fehler",
  expected: "erwartet",
  today: "heute",
  "this plan": "dieser Plan",
  now: "jetzt",
};
