// German of the sentences about plans and facts of a survey, by their English templates.
export default {
  // Lights.
  "Enough people": "Genug Personen",
  "Enough people for frequent keys": "Genug Personen für häufige Antwortmöglichkeiten",
  "Too few people": "Zu wenige Personen",
  "With {} at ε = {}{}, no key is sure to stand out from the noise, not even one that all people hold.":
    "Bei {1} und ε = {2}{3} hebt sich keine Antwortmöglichkeit sicher vom Rauschen ab, nicht einmal eine, die alle wählen.",
  "With {} at ε = {}{}, the key stands out, four times out of five, if at least {} of people hold it.":
    "Bei {1} und ε = {2}{3} hebt sich die Antwortmöglichkeit in vier von fünf Fällen ab, wenn mindestens {4} der Personen sie wählen.",
  "With {} at ε = {}{}, a key stands out, four times out of five, if at least {} of people hold it.":
    "Bei {1} und ε = {2}{3} hebt sich eine Antwortmöglichkeit in vier von fünf Fällen ab, wenn mindestens {4} der Personen sie wählen.",
  "With {} at ε = {}{}, a key stands out, four times out of five, if at least {} of people hold it; you named {}.":
    "Bei {1} und ε = {2}{3} hebt sich eine Antwortmöglichkeit in vier von fünf Fällen ab, wenn mindestens {4} der Personen sie wählen; Sie haben {5} genannt.",
  "With {} at ε = {}{}, keys that at least {} of people hold stand out from the noise: all of them together, four times out of five.":
    "Bei {1} und ε = {2}{3} heben sich Antwortmöglichkeiten, die mindestens {4} der Personen wählen, vom Rauschen ab: in vier von fünf Fällen alle zusammen.",
  "With {} at ε = {}{}, those of the {} most frequent keys that at least {} of people hold stand out from the noise: all of them together, four times out of five.":
    "Bei {1} und ε = {2}{3} heben sich von den {4} häufigsten Antwortmöglichkeiten jene vom Rauschen ab, die mindestens {5} der Personen wählen: in vier von fünf Fällen alle zusammen.",
  " of a mixed report": " einer gemischten Antwort",
  "{} person": "{1} Person",
  "{} people": "{1} Personen",
  "{} people, about {} in each round": "{1} Personen (etwa {2} je Runde)",
  "{} people, about {} in each round,": "{1} Personen (etwa {2} je Runde)",
  "In all cases considered that is {} of these {} keys.":
    "In allen betrachteten Fällen gilt das von diesen {2} Antwortmöglichkeiten für {1}.",
  "Of these {} keys that is {}), {}), and {}).":
    "Von diesen {1} Antwortmöglichkeiten gilt das für {2}), {3}) und {4}).",
  "Of these {} keys that is {}), and {}).": "Von diesen {1} Antwortmöglichkeiten gilt das für {2}) und {3}).",
  "{} if a few keys prevail, as by Zipf's law ({}": "{1}, wenn wenige überwiegen wie nach dem Zipfschen Gesetz ({2}",
  "{} if they decline evenly ({}": "{1}, wenn sie gleichmäßig abnehmen ({2}",
  "{} if all keys are equally frequent ({}": "{1}, wenn alle gleich häufig sind ({2}",
  "{} each": "je {1}",
  none: "keine",
  all: "alle",
  "This assumes at most one {} per person; if people hold {}, it takes {} with this padding: name the number of {}s to plan for it.":
    "Dabei ist höchstens eine Angabe je Person angenommen; machen die Personen {2}, braucht es mit diesem Padding {3}: Nennen Sie die Zahl der Angaben, um damit zu planen.",
  "This assumes at most one {} per person; if people hold {}, no key is sure to stand out with this padding: name the number of {}s to plan for it.":
    "Dabei ist höchstens eine Angabe je Person angenommen; machen die Personen {2}, hebt sich mit diesem Padding keine Antwortmöglichkeit sicher ab: Nennen Sie die Zahl der Angaben, um damit zu planen.",
  "A key that {} of people hold comes out{} with a 95 % range of about {}.":
    "Eine Antwortmöglichkeit, die {1} der Personen wählen, ergibt sich{2} mit einem 95-%-Bereich von etwa {3:dative}.",
  "A key that {} of people hold comes out{} with a 95 % range of about {}; {}.":
    "Eine Antwortmöglichkeit, die {1} der Personen wählen, ergibt sich{2} mit einem 95-%-Bereich von etwa {3:dative}; {4}.",
  " of one round": " in einer Runde",
  "its mean is no better than a guess": "ihr Durchschnitt ist nicht besser als geraten",
  "its mean is no better than a guess; {}": "ihr Durchschnitt ist nicht besser als geraten; {1}",
  "its mean with ±{}, for values from {} to {}": "ihr Durchschnitt mit ±{1}, bei Werten von {2} bis {3}",
  "its mean with ±{}, for values from {} to {}; {}": "ihr Durchschnitt mit ±{1}, bei Werten von {2} bis {3}; {4}",
  "the shares of its {} levels are no better than a guess":
    "die Anteile ihrer {1} Stufen sind nicht besser als geraten",
  "the share of one of its {} levels with {}": "der Anteil einer ihrer {1} Stufen mit {2:dative}",
  "no better than a guess": "nicht besser als geraten",
  "This and all ranges below are those of the noise and of the bias that is expected of the padding; the ranges that estimates print also allow for what people with more than {} may hide, and are wider for it.":
    "Dieser und alle folgenden Bereiche umfassen das Rauschen und die Verzerrung, die vom Padding zu erwarten ist; die Bereiche der Ergebnisse umfassen auch, was Personen mit mehr als {1:dative} verbergen können, und sind deshalb breiter.",
  "{} levels ({}) instead of two, each with its best setting: the error of a frequency is {} times as large, that of a mean {} times in the middle of the range and {} times near its ends, with method corrected, for keys that are well above the noise. Bayes, the default method, may gain or lose: on real ratings its means were off 0.7 to 1.3 times as much with five levels as with two.":
    "{1} Stufen ({2:list}) statt zwei, jeweils bestmöglich eingestellt: Der Fehler einer Häufigkeit ist {3}-mal so groß, der eines Durchschnitts {4}-mal in der Mitte des Bereichs und {5}-mal nahe den Enden, mit der Methode corrected und bei Antwortmöglichkeiten weit über dem Rauschen. Bayes, die übliche Methode, kann dabei gewinnen oder verlieren: Bei echten Bewertungen waren die Fehler der Durchschnitte mit fünf Stufen 0,7- bis 1,3-mal so groß wie mit zwei.",
  "For a key of {}, no number of people is enough.":
    "Für eine Antwortmöglichkeit mit {1} genügt keine Zahl von Personen.",
  "For all of them to stand out even at {}, no number of people is enough.":
    "Damit sich alle selbst bei {1} abheben, genügt keine Zahl von Personen.",
  "To know the shares of levels, no number of people is enough.":
    "Um die Anteile der Stufen zu kennen, genügt keine Zahl von Personen.",
  "For a key of {}, you need {}.": "Für eine Antwortmöglichkeit mit {1} brauchen Sie {2}.",
  "For all of them to stand out even at {}, you need {}.": "Damit sich alle selbst bei {1} abheben, brauchen Sie {2}.",
  "To know the shares of levels, you need {}.": "Um die Anteile der Stufen zu kennen, brauchen Sie {1}.",
  "{} at this ε of a report.": "{1} bei diesem ε einer Antwort.",
  "For a key of {}, {} at this ε of a report.": "Für eine Antwortmöglichkeit mit {1} {2} bei diesem ε einer Antwort.",
  "For all of them to stand out even at {}, {} at this ε of a report.":
    "Damit sich alle selbst bei {1} abheben, {2} bei diesem ε einer Antwort.",
  "To know the shares of levels, {} at this ε of a report.":
    "Um die Anteile der Stufen zu kennen, {1} bei diesem ε einer Antwort.",
  "about {} are enough": "genügen etwa {1}",
  "no number of people is enough": "genügt keine Zahl von Personen",
  "about {}": "etwa {1}",
  "about {}, or ε = {}": "etwa {1} oder ε = {2}",
  "ε = {}": "ε = {1}",
  "{} people ({} per round)": "{1} Personen ({2} je Runde)",
  "Assumed: {}, {}; {}.{}": "Angenommen: {1}, {2}; {3}.{4}",
  "{} per person": "{1} je Person",
  "{} pair per person": "{1} Angabe je Person",
  "{} pairs per person": "{1} Angaben je Person",
  "{} key per person": "{1} gewählte Antwortmöglichkeit je Person",
  "{} keys per person": "{1} gewählte Antwortmöglichkeiten je Person",
  "{} to {} pairs per person, {} on average": "{1} bis {2} Angaben je Person, im Mittel {3}",
  "{} to {} keys per person, {} on average": "{1} bis {2} gewählte Antwortmöglichkeiten je Person, im Mittel {3}",
  "{} to {} pairs, {} on average": "{1} bis {2} Angaben, im Mittel {3}",
  "{} to {} keys, {} on average": "{1} bis {2} Antwortmöglichkeiten, im Mittel {3}",
  "of whom {} hold any pair: {} ({} over all people)":
    "von denen {1} überhaupt eine Angabe machen: {2} ({3} über alle Personen)",
  "of whom {} hold any key: {} ({} over all people)":
    "von denen {1} überhaupt etwas wählen: {2} ({3} über alle Personen)",
  "the key is held by {}": "die Antwortmöglichkeit wählen {1}",
  "the key is held by {}, or by as few as {}": "die Antwortmöglichkeit wählen {1} oder nur {2}",
  "the keys that matter are held by {} each": "die wichtigen Antwortmöglichkeiten wählen je {1}",
  "the most frequent of {} keys is held by {}, number {} by {}":
    "die häufigste von {1} Antwortmöglichkeiten wählen {2}, Nummer {3} wählen {4}",
  "the most frequent key is held by {}, number {} by {}": "die häufigste wählen {1}, Nummer {2} wählen {3}",
  " A person with fewer than {} pairs in the earlier task is counted as if they held {}, so these frequencies and what follows from them may be too high: give the frequency of the keys that matter if you know it.":
    " Wer in der früheren Umfrage weniger als {1} Angaben machte, zählt hier wie mit {2}; deshalb können diese Häufigkeiten und was daraus folgt zu hoch sein: Nennen Sie die Häufigkeit der wichtigen Antwortmöglichkeiten, wenn Sie sie kennen.",
  "Within a label that {} of people have, a key that {} of them hold comes out with a 95 % range of about {}.":
    "In einer Gruppe mit {1} der Personen ergibt sich eine Antwortmöglichkeit, die {2} von ihnen wählen, mit einem 95-%-Bereich von etwa {3:dative}.",
  "Two keys stand out from the noise as held together {}, or more often, if {} of people hold both.":
    "Zwei zusammen gewählte Antwortmöglichkeiten heben sich {1} oder häufiger vom Rauschen ab, wenn {2} der Personen beide wählen.",
  "about {} of the time": "in etwa {1} der Fälle",
  "No two keys stand out from the noise as held together.":
    "Keine zwei zusammen gewählten Antwortmöglichkeiten heben sich vom Rauschen ab.",
  "a single key stands out from the noise{} about {} of the time, or more often, if {} of people hold it and sets are as large as assumed":
    "eine einzelne Antwortmöglichkeit hebt sich{1} in etwa {2} der Fälle oder häufiger vom Rauschen ab, wenn {3} der Personen sie wählen und so viel gewählt wird wie angenommen",
  "no key stands out from the noise{} {} of the time":
    "keine Antwortmöglichkeit hebt sich{1} in {2} der Fälle vom Rauschen ab",
  "A single key stands out from the noise{} about {} of the time, or more often, if {} of people hold it and sets are as large as assumed. Rarer keys are often not distinguishable from noise.":
    "Eine einzelne Antwortmöglichkeit hebt sich{1} in etwa {2} der Fälle oder häufiger vom Rauschen ab, wenn {3} der Personen sie wählen und so viel gewählt wird wie angenommen. Seltenere sind oft vom Rauschen nicht zu unterscheiden.",
  "No key stands out from the noise{} {} of the time.":
    "Keine Antwortmöglichkeit hebt sich{1} in {2} der Fälle vom Rauschen ab.",
  " among {} keys that are asked for": " unter {1} gesuchten Texten",
  " among {} keys that are asked for in one round": " unter {1} gesuchten Texten in einer Runde",
  " in one round": " in einer Runde",

  "Assumed: {} people, {} key per person; {}.":
    "Angenommen: {1} Personen, je Person {2} gewählte Antwortmöglichkeit; {3}.",
  "Assumed: {} people, about {} in each round, {} key per person; {}.":
    "Angenommen: {1} Personen (etwa {2} je Runde), je Person {3} gewählte Antwortmöglichkeit; {4}.",
  "Assumed: {} people, {} keys per person; {}.":
    "Angenommen: {1} Personen, je Person {2} gewählte Antwortmöglichkeiten; {3}.",
  "Assumed: {} people, about {} in each round, {} keys per person; {}.":
    "Angenommen: {1} Personen (etwa {2} je Runde), je Person {3} gewählte Antwortmöglichkeiten; {4}.",
  "Assumed: {} people, {} pair per person; {}.": "Angenommen: {1} Personen, je Person {2} Angabe; {3}.",
  "Assumed: {} people, about {} in each round, {} pair per person; {}.":
    "Angenommen: {1} Personen (etwa {2} je Runde), je Person {3} Angabe; {4}.",
  "Assumed: {} people, {} pairs per person; {}.": "Angenommen: {1} Personen, je Person {2} Angaben; {3}.",
  "Assumed: {} people, about {} in each round, {} pairs per person; {}.":
    "Angenommen: {1} Personen (etwa {2} je Runde), je Person {3} Angaben; {4}.",
  "Assumed: {} people, {} to {} keys per person, {} on average; {}.":
    "Angenommen: {1} Personen, je Person {2} bis {3} gewählte Antwortmöglichkeiten, im Mittel {4}; {5}.",
  "Assumed: {} people, about {} in each round, {} to {} keys per person, {} on average; {}.":
    "Angenommen: {1} Personen (etwa {2} je Runde), je Person {3} bis {4} gewählte Antwortmöglichkeiten, im Mittel {5}; {6}.",
  "Assumed: {} people, {} to {} pairs per person, {} on average; {}.":
    "Angenommen: {1} Personen, je Person {2} bis {3} Angaben, im Mittel {4}; {5}.",
  "Assumed: {} people, about {} in each round, {} to {} pairs per person, {} on average; {}.":
    "Angenommen: {1} Personen (etwa {2} je Runde), je Person {3} bis {4} Angaben, im Mittel {5}; {6}.",
  "Assumed: {}, of whom {} hold any key: {} ({} over all people); {}.":
    "Angenommen: {1}, von denen {2} überhaupt etwas wählen: {3} ({4} über alle Personen); {5}.",
  "Assumed: {}, of whom {} hold any pair: {} ({} over all people); {}.":
    "Angenommen: {1}, von denen {2} überhaupt eine Angabe machen: {3} ({4} über alle Personen); {5}.",
  "A person with fewer than {} pairs in the earlier task is counted as if they held {}, so these frequencies and what follows from them may be too high: give the frequency of the keys that matter if you know it.":
    "Wer in der früheren Umfrage weniger als {1} Angaben machte, zählt hier wie mit {2}; deshalb können diese Häufigkeiten und was daraus folgt zu hoch sein: Nennen Sie die Häufigkeit der wichtigen Antwortmöglichkeiten, wenn Sie sie kennen.",
  "no key stands out from the noise among {} keys that are asked for {} of the time":
    "keine Antwortmöglichkeit hebt sich unter {1} gesuchten Texten in {2} der Fälle vom Rauschen ab",
  "No key stands out from the noise among {} keys that are asked for {} of the time.":
    "Keine Antwortmöglichkeit hebt sich unter {1} gesuchten Texten in {2} der Fälle vom Rauschen ab.",
  "with {}, no key stands out from the noise among {} keys that are asked for {} of the time":
    "bei {1} hebt sich unter {2} gesuchten Texten keine Antwortmöglichkeit in {3} der Fälle vom Rauschen ab",
  "no key stands out from the noise among {} keys that are asked for in one round {} of the time":
    "keine Antwortmöglichkeit hebt sich unter {1} gesuchten Texten in einer Runde in {2} der Fälle vom Rauschen ab",
  "No key stands out from the noise among {} keys that are asked for in one round {} of the time.":
    "Keine Antwortmöglichkeit hebt sich unter {1} gesuchten Texten in einer Runde in {2} der Fälle vom Rauschen ab.",
  "with {}, no key stands out from the noise among {} keys that are asked for in one round {} of the time":
    "bei {1} hebt sich unter {2} gesuchten Texten in einer Runde keine Antwortmöglichkeit in {3} der Fälle vom Rauschen ab",
  "no key stands out from the noise in one round {} of the time":
    "keine Antwortmöglichkeit hebt sich in einer Runde in {1} der Fälle vom Rauschen ab",
  "No key stands out from the noise in one round {} of the time.":
    "Keine Antwortmöglichkeit hebt sich in einer Runde in {1} der Fälle vom Rauschen ab.",
  "with {}, no key stands out from the noise in one round {} of the time":
    "bei {1} hebt sich in einer Runde keine Antwortmöglichkeit in {2} der Fälle vom Rauschen ab",

  // What is recommended, and compared with what.
  Recommended: "Empfohlen",
  "{} with padding {}: a report has {} bytes and stands for up to {}.":
    "{1:raw} mit Padding {2}: Eine Antwort hat {3} Bytes und steht für bis zu {4}.",
  "{} with padding {}: a report has {} and stands for up to {}.":
    "{1:raw} mit Padding {2}: Eine Antwort hat {3} und steht für bis zu {4}.",
  "{} bytes": "{1} Bytes",
  "Sealed, it has {} bytes.": "Versiegelt hat sie {1} Bytes.",
  "Only settings were considered in which one hostile report counts as at most {} people for a key.":
    "Betrachtet wurden nur Einstellungen, in denen eine gefälschte Antwort für eine Antwortmöglichkeit so viel zählt wie höchstens {1} Personen.",
  "Only settings were considered in which one hostile report counts as at most {}.":
    "Betrachtet wurden nur Einstellungen, in denen eine gefälschte Antwort so viel zählt wie höchstens {1}.",
  "{} people for a key": "{1} Personen für eine Antwortmöglichkeit",
  "q = {}: {} words, {} more error than {} (q = {}: {}).":
    "q = {1}: {2} Wörter, {3} mehr Fehler als {4:raw} (q = {5}: {6}).",
  "q = {}: {} words, {} more error than {}.": "q = {1}: {2} Wörter, {3} mehr Fehler als {4:raw}.",
  "q = {}: {} words, {} more error than {}; too many words to decode all keys together, only those asked for.":
    "q = {1}: {2} Wörter, {3} mehr Fehler als {4:raw}; zu viele Wörter, um alle Antwortmöglichkeiten zusammen zu zählen, nur die gesuchten.",
  "q = {}, r = {}, o = {}: {} words; the error of a rare key relative to {}: frequency {}, mean {}":
    "q = {1}, r = {2}, o = {3}: {4} Wörter; der Fehler einer seltenen Antwortmöglichkeit gegenüber {5:raw}: Häufigkeit {6}, Durchschnitt {7}",
  "q = {}, r = {}, o = {}: {} words; the error of a rare key relative to {}: frequency {}":
    "q = {1}, r = {2}, o = {3}: {4} Wörter; der Fehler einer seltenen Antwortmöglichkeit gegenüber {5:raw}: Häufigkeit {6}",
  "q = {}, r = {}, o = {}: {} words; the error of a rare key relative to {}: frequency {}.":
    "q = {1}, r = {2}, o = {3}: {4} Wörter; der Fehler einer seltenen Antwortmöglichkeit gegenüber {5:raw}: Häufigkeit {6}.",
  "q = {}, r = {}, o = {}: {} words; the error of a rare key relative to {}: frequency {}, mean {}.":
    "q = {1}, r = {2}, o = {3}: {4} Wörter; der Fehler einer seltenen Antwortmöglichkeit gegenüber {5:raw}: Häufigkeit {6}, Durchschnitt {7}.",
  "{}; too many words to decode all keys together, only those asked for.":
    "{1}; zu viele Wörter, um alle Antwortmöglichkeiten zusammen zu zählen, nur die gesuchten.",
  "t = {}: {} in one of {} symbols; counting a report adds to up to {} counters.":
    "t = {1}: {2} in einem von {3} Symbolen; eine Antwort erhöht bis zu {4} Zähler.",
  "t = {}: {} in one of {} symbols; a tally keeps the words, which are checked against every key that is asked for.":
    "t = {1}: {2} in einem von {3} Symbolen; aufbewahrt werden die Wörter, die mit jedem gesuchten Text verglichen werden.",
  "one pair": "eine Angabe",
  "one key": "eine Antwortmöglichkeit",
  "one item": "ein Eintrag",
  "up to {} pairs": "bis zu {1} Angaben",
  "up to {} keys": "bis zu {1} Antwortmöglichkeiten",
  "up to {} items": "bis zu {1} Einträge",
  "The mechanism": "Das Verfahren",
  meaning: "Bedeutung",
  name: "Name",
  "a report supports the key that it was made from": "eine Antwort stützt die Antwortmöglichkeit, aus der sie entstand",
  "a report supports any other key": "eine Antwort stützt irgendeine andere",
  "if it supports the former, then with the {} of its value":
    "wenn sie die erste stützt, dann mit der Stufe ihres Werts",
  "parameter of {}": "Parameter von {1:raw}",
  "ε of the {}": "ε: {1}",
  "its part; all parts compose to {}": "sein Teil; alle Teile ergeben zusammen {1}",
  "Mechanisms compared for {}; 95 % ranges at a frequency of {}":
    "Verfahren im Vergleich für {1}; 95-%-Bereiche bei einer Häufigkeit von {2}",
  "frequencies and means alike": "Häufigkeiten und Durchschnitte gleichermaßen",
  frequencies: "Häufigkeiten",
  means: "Durchschnitte",
  "frequencies, also where larger sets bias them": "Häufigkeiten, auch wo größere Mengen sie verzerren",
  "{} is not chosen: {}.": "{1:raw} wird nicht gewählt: {2}.",
  "fewer keys are sure to stand out": "weniger Antwortmöglichkeiten heben sich sicher ab",
  "{} more squared error": "{1} mehr quadratischer Fehler",
  "slower counting for {} less squared error": "langsameres Zählen für {1} weniger quadratischen Fehler",
  "larger reports for {} less squared error": "größere Antworten für {1} weniger quadratischen Fehler",
  "{} for {} less squared error": "{1} für {2} weniger quadratischen Fehler",
  "slower counting": "langsameres Zählen",
  "larger reports": "größere Antworten",
  "its reports have {} bytes": "seine Antworten haben {1} Bytes",
  "its {} words are too many to decode all keys together":
    "seine {1} Wörter sind zu viele, um alle Antwortmöglichkeiten zusammen zu zählen",
  "its reports cannot say how many {}s people hold, and no largest number of {}s is known":
    "seine Antworten können nicht sagen, wie viele Angaben die Personen machen, und keine größte Zahl ist bekannt",
  mechanism: "Verfahren",
  parameters: "Parameter",
  padding: "Padding",
  bytes: "Bytes",
  rule: "Regel",
  "at a frequency of": "bei einer Häufigkeit von",
  "→ least predicted error": "→ geringster vorhergesagter Fehler",
  "{} of the people hold at most that many": "{1} der Personen wählen höchstens so viele",
  "if those keys are {} times as rare": "wenn diese Antwortmöglichkeiten {1}-mal so selten sind",
  "  {} of the people hold at most that many": "  {1} der Personen wählen höchstens so viele",
  "  if those keys are {} times as rare": "  wenn diese Antwortmöglichkeiten {1}-mal so selten sind",
  "Other ways to choose, with their 95 % ranges": "Andere Regeln der Wahl, mit ihren 95-%-Bereichen",

  // Ranges, and how many people they need.
  "Expected 95 % ranges with {} people, method corrected, the bias of a short padding included":
    "Zu erwartende 95-%-Bereiche bei {1} Personen, Methode corrected, mit der Verzerrung durch ein kurzes Padding",
  "Expected 95 % ranges of one round with {} people, method corrected, the bias of a short padding included":
    "Zu erwartende 95-%-Bereiche einer Runde mit {1} Personen, Methode corrected, mit der Verzerrung durch ein kurzes Padding",
  "The share is that of one level among the holders of a key. Guessing the same share for all levels would typically be off by {} where any shares are equally likely.":
    "Der Anteil ist der einer Stufe unter denen, die eine Antwortmöglichkeit wählen. Wer für alle Stufen denselben Anteil rät, liegt typischerweise um {1} daneben, wenn alle Anteile gleich wahrscheinlich sind.",
  "Guessing the overall mean for every key would typically be off by {} where means are spread over the whole range.":
    "Wer für jede Antwortmöglichkeit den Gesamtdurchschnitt rät, liegt typischerweise um {1} daneben, wenn sich die Durchschnitte über den ganzen Bereich verteilen.",
  "The default method, bayes, pulls noisy estimates together and is closer on average.":
    "Die übliche Methode, bayes, zieht verrauschte Schätzungen zusammen und ist im Mittel näher am wahren Wert.",
  relative: "relativ",
  "mean, of [{}, {}]": "Durchschnitt, von [{1}, {2}]",
  "share of a level": "Anteil einer Stufe",
  "a rarer key": "eine seltenere",
  "the most frequent": "die häufigste",
  "number {}": "Nummer {1}",
  "as you named it": "wie von Ihnen genannt",
  "±{}": "±{1}",
  "±{} %": "±{1} %",
  "People with more {}s than the padding": "Personen mit mehr Angaben als dem Padding",
  "People may hold at most {}: they choose up to that many.":
    "Höchstens {1} sind erlaubt: Die Personen wählen bis zu so viele.",
  "No participant can hold more than {}.": "Mehr als {1} sind nicht möglich.",
  "{} of people are assumed to hold more than {}; a random choice of theirs is reported, and reports show {} of the most frequent key's frequency.{}":
    "Angenommen ist, dass {1} der Personen mehr als {2} wählen; gesendet wird eine zufällige Auswahl davon, und die Antworten zeigen {3} der Häufigkeit der häufigsten Antwortmöglichkeit.{4}",
  "People are assumed to hold at most {}; of more, a random choice would be reported.{}":
    "Angenommen ist, dass die Personen höchstens {1} wählen; von mehr würde eine zufällige Auswahl gesendet.{2}",
  " How many hold more is not measured.": " Wie viele mehr wählen, wird nicht gemessen.",
  " {} of the reports measure how many hold more, with a 95 % range of about {}, which makes all ranges {} times as wide.":
    " {1} der Antworten messen, wie viele mehr wählen, mit einem 95-%-Bereich von etwa {2:dative}; dadurch werden alle Bereiche {3}-mal so breit.",
  "People needed{} for a 95 % range of a frequency of {}{}, method corrected":
    "Nötige Personen{1} für einen 95-%-Bereich einer Häufigkeit von {2}{3}, Methode corrected",
  " at ε = {} of a report": " bei ε = {1} einer Antwort",
  range: "Bereich",
  "people in all": "Personen insgesamt",
  "per round": "je Runde",
  "out of reach": "nicht erreichbar",
  "Out of reach: what people with more {}s than the padding hide is more than this.":
    "Nicht erreichbar: Was Personen mit mehr Angaben als dem Padding verbergen, ist mehr als das.",

  // Hostile reports, and the rule of the light.
  "Hostile reports": "Gefälschte Antworten",
  "One hostile report counts as {} people for a key, {}; if 1 % of the reports are hostile, they can raise the frequency of a key by {}.":
    "Eine gefälschte Antwort zählt für eine Antwortmöglichkeit so viel wie {1} Personen, {2}; ist 1 % der Antworten gefälscht, können sie die Häufigkeit einer Antwortmöglichkeit um {3} erhöhen.",
  "One hostile report counts as {} people for a key, {}; if 1 % of the reports are hostile, they can raise the frequency of a key by {}, or those of {} keys by {} each.":
    "Eine gefälschte Antwort zählt für eine Antwortmöglichkeit so viel wie {1} Personen, {2}; ist 1 % der Antworten gefälscht, können sie die Häufigkeit einer Antwortmöglichkeit um {3} erhöhen oder die von {4} um je {5}.",
  "on average": "im Mittel",
  "on average over the collector's coins": "im Mittel über die Münzen des Servers",
  "If the collector draws the functions of reports, by coins: {}":
    "Wenn der Server die Funktionen der Antworten mit Münzen zieht: {1}",
  "Within a label that {} of people have, one hostile report raises a share as much as {} people raise a frequency: shares there are those of fewer people.":
    "In einer Gruppe mit {1} der Personen erhöht eine gefälschte Antwort einen Anteil so sehr, wie {2} Personen eine Häufigkeit erhöhen: Anteile dort sind die von weniger Personen.",
  "A share of {} here and one within a label that {} of people have are said to differ about {} of the time if they are about {} apart; smaller differences often stay hidden.":
    "Ein Anteil von {1} hier und einer in einer Gruppe mit {2} der Personen gelten in etwa {3} der Fälle als verschieden, wenn sie etwa {4} auseinanderliegen; kleinere Unterschiede bleiben oft verborgen.",
  "If a share of {} here and one within a label that {} of people have are less than about {} apart, that mostly stays hidden; so may larger differences, since people may hold more than a report stands for.":
    "Liegen ein Anteil von {1} hier und einer in einer Gruppe mit {2} der Personen weniger als etwa {3} auseinander, bleibt das meist verborgen; auch größere Unterschiede vielleicht, da Personen mehr wählen können, als eine Antwort nennt.",
  "Whatever the share within a label that {} of people have is, it is not sure to be said to differ from one of {} here.":
    "Welchen Anteil eine Gruppe mit {1} der Personen auch hat: Dass er sich von {2} hier unterscheidet, wird nicht sicher gefunden.",
  "For two keys together, a hostile report counts as much as for one; if keys alone were asked about, it would count as {} people.":
    "Für zwei zusammen gewählte Antwortmöglichkeiten zählt eine gefälschte Antwort so viel wie für eine; würde nur nach einzelnen gefragt, zählte sie wie {1} Personen.",
  "How the light is chosen": "Wie die Ampel gewählt wird",
  "The light compares the frequency from which keys stand out with what is plausible for the ten most frequent keys, or all if there are fewer: a few prevail (Zipf's law), they decline evenly, or all keys are equally frequent. Enough people (green): all of them stand out in each case. Too few people (red): fewer than a quarter do if a few prevail. Enough people for frequent keys (amber): anything between. Where you name a frequency, it is green if keys of that frequency stand out, and red if not even those of twice that frequency do.{}":
    "Die Ampel vergleicht die Häufigkeit, ab der sich Antwortmöglichkeiten abheben, mit dem, was für die zehn häufigsten (oder alle, wenn es weniger sind) plausibel ist: Wenige überwiegen (Zipfsches Gesetz), sie nehmen gleichmäßig ab, oder alle sind gleich häufig. Genug Personen (grün): In jedem Fall heben sich alle ab. Zu wenige Personen (rot): Weniger als ein Viertel hebt sich ab, wenn wenige überwiegen. Genug Personen für häufige Antwortmöglichkeiten (gelb): alles dazwischen. Nennen Sie eine Häufigkeit, so ist die Ampel grün, wenn sich Antwortmöglichkeiten dieser Häufigkeit abheben, und rot, wenn nicht einmal solche der doppelten Häufigkeit es tun.{1}",
  " With more than two levels, green also requires that the error of a level's share is at most {} of that of guessing the same share for all levels.":
    " Bei mehr als zwei Stufen verlangt Grün auch, dass der Fehler des Anteils einer Stufe höchstens {1} dessen beträgt, der entsteht, wenn man für alle Stufen denselben Anteil rät.",
  "A single key is taken to be held by {} of people: all who hold a pair. Or it is the rarer of two answers that those give, and held by {} if the answers decline evenly, or {} if both are equally frequent. The mechanism is chosen for the first; green takes the least.":
    "Von einer einzelnen Antwortmöglichkeit wird angenommen, dass {1} der Personen sie wählen: alle, die überhaupt etwas angeben. Oder sie ist die seltenere von zwei Antworten, die diese geben; dann wählen sie {2}, wenn die Antworten gleichmäßig abnehmen, oder {3}, wenn beide gleich häufig sind. Das Verfahren wird für den ersten Fall gewählt; für Grün zählt der kleinste Anteil.",

  // Groups, two together, and rounds.
  "Within a label that {} of people have, one of {}: 95 % ranges":
    "In einer Gruppe mit {1} der Personen, einer von {2}: 95-%-Bereiche",
  "Relative to a task without labels, the error of a frequency over all people is {} times as large, that of a share within the label {} times. One task per label, to which people with that label are invited, would tell the collector the label of every participant; the error of a share is then {} times as large.":
    "Gegenüber einer Umfrage ohne Gruppen ist der Fehler einer Häufigkeit über alle Personen {1}-mal so groß, der eines Anteils in der Gruppe {2}-mal. Eine eigene Umfrage je Gruppe, zu der nur diese Personen eingeladen werden, würde dem Server die Gruppe aller Teilnehmenden verraten; der Fehler eines Anteils ist dann {3}-mal so groß.",
  "Within the label, no key stands out from the noise.":
    "In der Gruppe hebt sich keine Antwortmöglichkeit vom Rauschen ab.",
  "Within the label, a key stands out from the noise {}, or more often, if {} of the people with the label hold it.":
    "In der Gruppe hebt sich eine Antwortmöglichkeit {1} oder häufiger vom Rauschen ab, wenn {2} der Personen in der Gruppe sie wählen.",
  "mean within the label": "Durchschnitt in der Gruppe",
  "true share": "wahrer Anteil",
  "over all people": "über alle Personen",
  "within the label": "in der Gruppe",
  "one task per label": "eine Umfrage je Gruppe",
  "Two keys together: 95 % ranges": "Zwei zusammen gewählte Antwortmöglichkeiten: 95-%-Bereiche",
  "There are {} pair; a key's frequency has {} times the error that it has if keys alone are asked about.":
    "Es gibt {1} Kombination; die Häufigkeit einer Antwortmöglichkeit hat den {2}-fachen Fehler gegenüber einer Umfrage nur nach einzelnen.",
  "There are {} pairs; a key's frequency has {} times the error that it has if keys alone are asked about.":
    "Es gibt {1} Kombinationen; die Häufigkeit einer Antwortmöglichkeit hat den {2}-fachen Fehler gegenüber einer Umfrage nur nach einzelnen.",
  "There are {}; {}.": "Es gibt {1}; {2}.",
  "a key's frequency has {} times the error that it has if keys alone are asked about":
    "die Häufigkeit einer Antwortmöglichkeit hat den {1}-fachen Fehler gegenüber einer Umfrage nur nach einzelnen",
  "If keys were held independently of each other, {} of the {} pair of keys that matter would stand out.{}":
    "Würden Antwortmöglichkeiten unabhängig voneinander gewählt, so höben sich von {2} Kombination wichtiger Antwortmöglichkeiten {1} ab.{3}",
  "If keys were held independently of each other, {} of the {} pairs of keys that matter would stand out.{}":
    "Würden Antwortmöglichkeiten unabhängig voneinander gewählt, so höben sich von {2} Kombinationen wichtiger Antwortmöglichkeiten {1} ab.{3}",
  "If keys were held independently of each other, {} of the {} of keys that matter would stand out.{}":
    "Würden Antwortmöglichkeiten unabhängig voneinander gewählt, so höben sich von {2} unter den wichtigen {1} ab.{3}",
  " To be known to go together, two keys must be held by about {} of people more than so, and by yet more where people hold more keys than the padding.":
    " Damit bekannt wird, dass zwei zusammengehören, müssen sie von etwa {1} der Personen mehr als so gewählt werden, und von noch mehr, wenn die Personen mehr wählen als das Padding.",
  "true share of both": "wahrer Anteil beider",
  "of all people": "von allen Personen",
  "of the holders of a key of {}": "von denen mit einer Antwortmöglichkeit von {1}",
  "As a series: {} panels, about {} reports per round; 95 % ranges of frequencies":
    "Als wiederholte Umfrage: {1} Panels, etwa {2} Antworten je Runde; 95-%-Bereiche von Häufigkeiten",
  "Any {} rounds in a row hold at most one report of a device; over all {} rounds it spends at most ε = {}.":
    "Unter {1} Runden in Folge ist höchstens eine Antwort eines Geräts; über alle {2} Runden verbraucht es höchstens ε = {3}.",
  "{} rounds pooled": "{1} Runden zusammen",
  "{} rounds smoothed, no change": "{1} Runden geglättet, ohne Veränderung",
  "smoothed, drift {} per round": "geglättet, Drift {1} je Runde",
  "one round": "eine Runde",

  // Unknown answers.
  "What is found": "Was gefunden wird",
  "No text of {} character is sure to be found, even if all people hold it":
    "Kein Text von {1} Zeichen wird sicher gefunden, selbst wenn ihn alle nennen",
  "No text of {} characters is sure to be found, even if all people hold it":
    "Kein Text von {1} Zeichen wird sicher gefunden, selbst wenn ihn alle nennen",
  "No text of {} is sure to be found, even if all people hold it":
    "Kein Text von {1} wird sicher gefunden, selbst wenn ihn alle nennen",
  "No text of {} is sure to be found, even if all people hold it.":
    "Kein Text von {1} wird sicher gefunden, selbst wenn ihn alle nennen.",
  "no text of {} is sure to be found, even if all people hold it":
    "wird kein Text von {1} sicher gefunden, selbst wenn ihn alle nennen",
  "A text of {} that {} of the people hold is found {}":
    "Ein Text von {1}, den {2} der Personen nennen, wird {3} gefunden",
  "A text of {} that {} of the people hold is found {}; shorter ones are found at lower frequencies.":
    "Ein Text von {1}, den {2} der Personen nennen, wird {3} gefunden; kürzere werden bei kleineren Anteilen gefunden.",
  "No text of {} is sure to be found, even if all people hold it; shorter ones are found at lower frequencies.":
    "Kein Text von {1} wird sicher gefunden, selbst wenn ihn alle nennen; kürzere werden bei kleineren Anteilen gefunden.",
  "a text of {} that {} of the people hold is found {}":
    "wird ein Text von {1}, den {2} der Personen nennen, {3} gefunden",
  "The light: {} (green) if texts are found that {} of the people hold, {} (red) if not even those are that {} hold, and {} (amber) for anything between.":
    "Die Ampel: {1} (grün), wenn Texte gefunden werden, die {2} der Personen nennen, {3} (rot), wenn nicht einmal jene, die {4} nennen, und {5} (gelb) für alles dazwischen.",
  "{} of the time": "in {1} der Fälle",
  "with {}, a text of {} that {} of the people hold is found {} of the time":
    "bei {1} wird ein Text von {2}, den {3} der Personen nennen, in {4} der Fälle gefunden",
  "{} character": "{1} Zeichen",
  "{} characters": "{1} Zeichen",
  "{} participant": "{1} Person",
  "{} participants": "{1} Teilnehmende",
  "{} group": "{1} Gruppe",
  "{} groups": "{1} Gruppen",
  "{} are in {}, each of which reports prefixes of another length, at ε {}. More people, a larger ε or fewer characters find rarer texts.":
    "{1} sind in {2:dative}, die Textanfänge von jeweils anderer Länge senden, mit ε {3}. Mehr Personen, ein größeres ε oder weniger Zeichen finden seltenere Texte.",

  // Surveys through a mixer.
  "Can a party outside your organisation run a mixer?":
    "Kann jemand außerhalb Ihrer Organisation einen Mixer betreiben?",
  "If fewer reports than the batch arrive, they are deleted unread, and there is no result.":
    "Kommen weniger Antworten an, als das Bündel braucht, werden sie ungelesen gelöscht, und es gibt kein Ergebnis.",
  "Honest reports are made as the task says, one per person, by participants who do not work with the recipient: that there are as many is an assumption. Have invitations made and sent by the mixer's side or by a third party, not by the collector: a party that makes or forwards invitations can fill the batch with reports of its own, and without invitations any party can.":
    "Ehrliche Antworten entstehen so, wie es die Umfrage sagt, eine je Person, von Teilnehmenden, die nicht mit dem Empfänger zusammenarbeiten: Dass es so viele sind, ist eine Annahme. Lassen Sie Einladungen von der Seite des Mixers oder von Dritten erstellen und versenden, nicht vom Server: Wer Einladungen erstellt oder weiterleitet, kann das Bündel mit eigenen Antworten füllen, und ohne Einladungen kann es jeder.",
  "No: every report is sent alone, at ε = {} towards every party that sees it; {}.":
    "Nein: Jede Antwort wird allein gesendet, mit ε = {1} gegenüber allen, die sie sehen; {2}.",
  "Yes: reports are mixed, at ε = {} with δ = {} towards the recipient {}, and otherwise ε = {} of a report; {}.":
    "Ja: Antworten werden gemischt, mit ε = {1} und δ = {2} gegenüber dem Empfänger, {3}, und sonst ε = {4} einer Antwort; {5}.",
  "if the mixer follows the protocol and the batch has at least {} honest report":
    "wenn der Mixer das Protokoll einhält und das Bündel mindestens {1} ehrliche Antwort enthält",
  "if the mixer follows the protocol and the batch has at least {} honest reports":
    "wenn der Mixer das Protokoll einhält und das Bündel mindestens {1} ehrliche Antworten enthält",
  "if the mixer follows the protocol and the batch has at least {}":
    "wenn der Mixer das Protokoll einhält und das Bündel mindestens {1} enthält",
  "{} honest report": "{1} ehrliche Antwort",
  "{} honest reports": "{1} ehrliche Antworten",
  "with {}, a single key stands out from the noise{} about {} of the time, or more often, if {} of people hold it and sets are as large as assumed":
    "bei {1} hebt sich eine einzelne Antwortmöglichkeit{2} in etwa {3} der Fälle oder häufiger vom Rauschen ab, wenn {4} der Personen sie wählen und so viel gewählt wird wie angenommen",
  "with {}, no key stands out from the noise{} {} of the time":
    "bei {1} hebt sich{2} keine Antwortmöglichkeit in {3} der Fälle vom Rauschen ab",
  "with {}, {}": "bei {1} {2}",
  "For this many people, it is not known that mixing improves the protection.":
    "Bei so vielen Personen ist nicht bekannt, dass das Mischen den Schutz verbessert.",
  "No more than ε = {} of a mixed report is proposed, with which the claim is stronger than the ε = {} that was asked for.":
    "Mehr als ε = {1} einer gemischten Antwort wird nicht vorgeschlagen; damit ist die Zusage stärker als das verlangte ε = {2}.",
  "Proposed for a mixed task": "Vorschlag für eine Umfrage über einen Mixer",
  member: "Feld",
  "what it is": "was es ist",
  "of a report alone": "einer einzelnen Antwort",
  "half of the people expected{}, rounded down": "die Hälfte der erwarteten Personen{1}, abgerundet",
  " in a round": " in einer Runde",
  "the largest that there may be, rounded down": "das größte, das es geben darf, abgerundet",
  "half of the people expected{}": "die Hälfte der erwarteten Personen{1}",
  "the largest that there may be": "das größte, das es geben darf",
  "{}, rounded down": "{1}, abgerundet",
  "three quarters of the batch, rounded down": "drei Viertel des Bündels, abgerundet",
  "of the claim, at that many honest reports": "der Zusage, bei so vielen ehrlichen Antworten",
  "the probability that the claim may fail": "die Wahrscheinlichkeit, dass die Zusage versagt",
  "The claim, ε = {} with δ = {} towards the recipient, holds {}. It was computed for {} with padding {}: with others it may not hold, and such a task is refused.":
    "Die Zusage, ε = {1} mit δ = {2} gegenüber dem Empfänger, gilt, {3}. Sie wurde für {4:raw} mit Padding {5} berechnet: Mit anderen gilt sie vielleicht nicht, und eine solche Umfrage wird abgelehnt.",
  "If the batch has only {} honest report, ε = {} with the same δ is left towards the recipient, if the mixer follows the protocol.":
    "Enthält das Bündel nur {1} ehrliche Antwort, bleibt gegenüber dem Empfänger ε = {2} mit demselben δ, wenn der Mixer das Protokoll einhält.",
  "If the batch has only {} honest reports, ε = {} with the same δ is left towards the recipient, if the mixer follows the protocol.":
    "Enthält das Bündel nur {1} ehrliche Antworten, bleibt gegenüber dem Empfänger ε = {2} mit demselben δ, wenn der Mixer das Protokoll einhält.",
  "If the batch has only {}, ε = {} with the same δ is left towards the recipient, if the mixer follows the protocol.":
    "Enthält das Bündel nur {1}, bleibt gegenüber dem Empfänger ε = {2} mit demselben δ, wenn der Mixer das Protokoll einhält.",
  "If mixer and collector work together, or any other party sees a single report and knows whose it is, ε = {} is left: the odds of anything that it believes about the participant change by a factor of at most {}, and even odds become at most {} %.{}":
    "Wenn Mixer und Server zusammenarbeiten oder sonst jemand eine einzelne Antwort sieht und weiß, von wem sie ist, bleibt ε = {1}: Das Chancenverhältnis für alles, was dort über die Person vermutet wird, ändert sich höchstens um den Faktor {2}, und aus 50 % werden höchstens {3} %.{4}",
  " That protects little: without a mixer, a plan advises at most ε = {}. What protects participants is that the mixer follows the protocol.":
    " Das schützt wenig: Ohne Mixer wird höchstens ε = {1} empfohlen. Was die Teilnehmenden schützt, ist, dass der Mixer das Protokoll einhält.",
  "Any {} rounds in a row hold at most one report of a device; over all {} rounds it spends at most ε = {} with δ = {} towards the recipient, {} in every round, and otherwise ε = {} of its reports.":
    "Unter {1} Runden in Folge ist höchstens eine Antwort eines Geräts; über alle {2} Runden verbraucht es gegenüber dem Empfänger höchstens ε = {3} mit δ = {4}, {5}, in jeder Runde, und sonst ε = {6} seiner Antworten.",
  "By default a device spends at most ε = {} and δ = {} in all towards recipients, and ε = {} in all whatever fails: these caps allow {} and no other; {}.":
    "Normalerweise verbraucht ein Gerät gegenüber Empfängern insgesamt höchstens ε = {1} und δ = {2}, und insgesamt ε = {3}, was auch immer versagt: Diese Limits erlauben {4} und keine andere; {5}.",
  "{} such report": "{1} solche Antwort",
  "{} such reports": "{1} solche Antworten",
  "they end its part in the series after {} of the {} rounds": "sie beenden die Teilnahme nach {1} von {2} Runden",
  "they do not end its part in the series within these {} rounds":
    "sie beenden die Teilnahme innerhalb dieser {1} Runden nicht",

  // Facts.
  "unknown; found up to {} of these: “{}”, from {} of people":
    "unbekannt; gefunden bis zu {1} aus diesen: „{2:raw}“, von {3} von Personen",
  "any text; those to estimate are named afterwards": "beliebiger Text; was geschätzt werden soll, wird danach genannt",
  "{}, of which “{}” stands for all that are not listed":
    "{1}, davon steht „{2:raw}“ für alles, was nicht zur Auswahl steht",
  "{}, translated into {}": "{1:languages}; Übersetzungen: {2:languages}",
  "none: a participant holds a key, or not": "keine: Eine Antwortmöglichkeit wird gewählt oder nicht",
  "from {} ({}) to {} ({}) {}": "von {1} ({2:raw}) bis {3} ({4:raw}) {5:raw}",
  "from {} ({}) to {} ({})": "von {1} ({2:raw}) bis {3} ({4:raw})",
  "{}; halfway is “{}”": "{1}; in der Mitte „{2:raw}“",
  "{}; {} is “{}”": "{1}; {2} ist „{3:raw}“",
  "{}: {}; nothing in between is taken": "{1}: {2:list}; nichts dazwischen wird angenommen",
  "{}: {}; a value in between is reported as one of the two, at random, so that means are right on average":
    "{1}: {2:list}; ein Wert dazwischen wird zufällig als einer der beiden gesendet, so dass Durchschnitte im Mittel stimmen",
  "{}: {}; a value in between is reported as one of the two next to it, at random, so that means are right on average":
    "{1}: {2:list}; ein Wert dazwischen wird zufällig als einer der beiden benachbarten gesendet, so dass Durchschnitte im Mittel stimmen",
  "“{}”, one of {}: {}; a label is reported together with the {}, and as private as they are":
    "„{1:raw}“, eine von {2}: {3:raw}; die Gruppe wird zusammen mit den Angaben gesendet und ist ebenso geschützt",
  "reports are also about every two keys that a participant holds together":
    "Antworten handeln auch von je zwei Antwortmöglichkeiten, die jemand zusammen wählt",
  "these {}, and every two of them: at most {}": "diese Angaben und je zwei davon: höchstens {2}",
  "the label, and these {} within it: at most {}": "die Gruppe und diese Angaben darin: höchstens {2}",
  "at most {}; more are refused where {} are entered": "höchstens {1}; mehr werden bei der Eingabe nicht angenommen",
  "at most {}, which is one per key": "höchstens {1}, also eine je Antwortmöglichkeit",
  "at most {}; of participants with more, a random choice of their {} is reported":
    "höchstens {1}; wer mehr wählt, sendet eine zufällige Auswahl davon",
  "{} of the reports say about how many {} a participant holds, instead of which":
    "{1} der Antworten sagen ungefähr, wie viele Angaben jemand macht, statt welche",
  "not asked: no report says how many {} a participant holds":
    "nicht gefragt: Keine Antwort sagt, wie viele Angaben jemand macht",
  "{} (realised {})": "{1} (umgesetzt {2})",
  "drawn by the collector, one per invitation; the guarantee holds whichever it draws":
    "vom Server gezogen, eine je Einladung; die Zusage gilt, welche auch immer er zieht",
  "opens on {}": "beginnt am {1}",
  "last day {}": "letzter Tag {1}",
  "opens on {}, last day {}": "beginnt am {1}, letzter Tag {2}",
  "no days set": "keine Tage festgelegt",
  "reports are sealed for their recipient and held by {} ({}), which hands them over as one batch, of at least {}, in a random order; {}; towards all others who see reports, and if mixer and recipient work together: the ε of a report, {}":
    "Antworten werden für ihren Empfänger versiegelt und von {1:raw} ({2:raw}) gesammelt, wo sie als ein Bündel von mindestens {3} in zufälliger Reihenfolge übergeben werden; {4}; gegenüber allen anderen, die Antworten sehen, und wenn Mixer und Empfänger zusammenarbeiten: das ε einer Antwort, {5}",
  "{}; {}; towards all others who see reports, and if mixer and recipient work together: the ε of a report, {}":
    "{1}; {2}; gegenüber allen anderen, die Antworten sehen, und wenn Mixer und Empfänger zusammenarbeiten: das ε einer Antwort, {3}",
  "{}; {}; towards all others who see reports, and if mixer and recipient work together: the ε of a report, {}.":
    "{1}; {2}; gegenüber allen anderen, die Antworten sehen, und wenn Mixer und Empfänger zusammenarbeiten: das ε einer Antwort, {3}.",
  "towards a recipient who sees only that batch: ε = {} with δ = {} (central), if the mixer follows the protocol and at least {} of the reports are honest":
    "gegenüber einem Empfänger, der nur dieses Bündel sieht: ε = {1} mit δ = {2} (zentral), wenn der Mixer das Protokoll einhält und mindestens {3} der Antworten ehrlich sind",
  "round {} of a series in which every device reports in every round, with its own ε each time":
    "Runde {1} einer wiederholten Umfrage, in der jedes Gerät in jeder Runde antwortet, jedes Mal mit eigenem ε",
  "round {} of a series in {} panels: a device reports in one round out of {}, so any {} rounds in a row hold at most one of its reports; each of its reports adds its own ε, one per {} rounds":
    "Runde {1} einer wiederholten Umfrage in {2} Panels: Ein Gerät antwortet in einer von {3} Runden, so dass unter {4} Runden in Folge höchstens eine seiner Antworten ist; jede seiner Antworten kostet ihr eigenes ε, eine je {5} Runden",
  "and {} more": "und {1} weitere",
  question: "Frage",
  description: "Beschreibung",
  "who may take part": "wer teilnehmen darf",
  consent: "Einwilligung",
  contact: "Kontakt",
  languages: "Sprachen",
  "first keys": "erste Antwortmöglichkeiten",
  values: "Werte",
  levels: "Stufen",
  segment: "Gruppen",
  together: "zusammen gewählt",
  "pairs per report": "Angaben je Antwort",
  "keys per report": "Antwortmöglichkeiten je Antwort",
  "texts per report": "Texte je Antwort",
  "items per report": "Einträge je Antwort",
  "size question": "Mengenfrage",
  "ε of a report": "ε einer Antwort",
  "public functions": "öffentliche Funktionen",
  "bytes per report": "Bytes je Antwort",
  days: "Tage",
  mixer: "Mixer",
  id: "Kennung",
};
