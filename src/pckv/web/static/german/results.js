// German texts of the pages, by their English ones: results.
export default {
  "More about how answers are protected": "Mehr darüber, wie Antworten geschützt sind",
  "{name}: {words}": "{name}: {words}",
  "Look for these answers": "Nach diesen Antworten suchen",
  "name at most {most} answers at once, not {given}": "nennen Sie höchstens {most} Antworten auf einmal, nicht {given}",
  "People wrote their answers themselves. Name the answers to look for: the results then say which of them people really gave. Capitals and spaces matter, also those around a text.":
    "Die Antworten wurden frei geschrieben. Nennen Sie die Antworten, nach denen gesucht werden soll: Die Ergebnisse sagen dann, welche davon wirklich gegeben wurden. Groß- und Kleinschreibung und Leerzeichen zählen, auch die am Rand.",
  "Answers, one per line": "Antworten, eine pro Zeile",
  Answer: "Antwort",
  "Given by": "Gegeben von",
  "Answers found": "Gefundene Antworten",
  "Make a survey of these answers": "Aus diesen Antworten eine Umfrage machen",
  "Every group of people reports the beginnings of its answers, of one length. Those that stand out are followed to the next length, until a whole answer is found.":
    "Jede Gruppe von Personen meldet Anfänge ihrer Antworten von einer bestimmten Länge. Anfänge, die sich abheben, werden bis zur nächsten Länge verfolgt, bis eine ganze Antwort gefunden ist.",
  "Details: how the answers were found": "Details: wie die Antworten gefunden wurden",
  Results: "Ergebnisse",
  "New responses come faster than this page is computed. Load it again in a while.":
    "Neue Antworten kommen schneller, als diese Seite berechnet wird. Laden Sie sie nach einer Weile neu.",
  "Nothing can be found in {responses}: at least {number} would have been needed.":
    "In {responses} lässt sich nichts finden: Es hätte mindestens {number} gebraucht.",
  "{responses} so far. At least {number} are needed before anything can be found.":
    "Bisher {responses}. Es braucht mindestens {number}, bevor etwas gefunden werden kann.",
  "No responses yet: only people with an invitation can take part.":
    "Noch keine Antworten: Teilnehmen kann nur, wer eine Einladung hat.",
  "No responses yet: share the link with the people who are to take part.":
    "Noch keine Antworten: Geben Sie den Link an die Personen weiter, die teilnehmen sollen.",
  "Looking for answers in {responses} …": "Suche in {responses} …",
  "Of the answers found, at most {rate} were given by none, on average.":
    "Von den gefundenen Antworten wurden im Mittel höchstens {rate} von niemandem gegeben.",
  "{more} since; they are counted at the next update.":
    "Seither {more}; sie werden bei der nächsten Aktualisierung gezählt.",
  "From {responses}.": "Aus {responses}.",
  "(may be longer)": "(vielleicht länger)",
  "{number} response": "{number} Antwort",
  "{number} responses": "{number} Antworten",
  "{number} more response": "{number} weitere Antwort",
  "{number} more responses": "{number} weitere Antworten",
  "A tenth of them": "Ein Zehntel davon",
  "A quarter of them": "Ein Viertel davon",
  "Half of them (the median)": "Die Hälfte davon (der Median)",
  "Three quarters of them": "Drei Viertel davon",
  "Nine tenths of them": "Neun Zehntel davon",
  "How their values are spread is unknown.": "Wie sich ihre Werte verteilen, ist unbekannt.",
  "Above and below a value": "Über und unter einem Wert",
  "A value between two of these is counted as one of the two at random, the nearer one more often: averages stay right, shares are those of the values shown, and what a part of people say at most is interpolated.":
    "Ein Wert zwischen zweien davon wird zufällig als einer der beiden gezählt, der nähere öfter: Durchschnitte bleiben richtig, Anteile sind die der gezeigten Werte, und was ein Teil der Personen höchstens angibt, wird dazwischen geschätzt.",
  "The standard deviation of the values is {value}, {between}.":
    "Die Standardabweichung der Werte ist {value}, {between}.",
  "Value ({unit})": "Wert ({unit})",
  Value: "Wert",
  "Share of those who chose it": "Anteil an denen, die das gewählt haben",
  "only {low}": "nur {low}",
  "{least} to {most}": "{least} bis {most}",
  "Of those who chose it": "Von denen, die das gewählt haben",
  "say at most ({unit})": "geben höchstens an ({unit})",
  "say at most": "geben höchstens an",
  "say more than {value}": "geben mehr als {value} an",
  "say less than {value}": "geben weniger als {value} an",
  ", and ": ", und ",
  "Details: how this was estimated": "Details: wie das geschätzt wurde",
  "Every response is made noisy; {method} and {interval} say how results are made from them.":
    "Jede Antwort ist verrauscht; {method} und {interval} sagen, wie daraus Ergebnisse werden.",
  "the method": "die Methode",
  "the ranges": "die Bereiche",
  Method: "Methode",
  "How noise is taken out: bayes is the closest on average.":
    "Wie das Rauschen herausgerechnet wird: bayes liegt im Mittel am nächsten.",
  Afterwards: "Danach",
  nothing: "nichts",
  "consistent makes the shares possible together.": "consistent sorgt dafür, dass die Anteile zusammen möglich sind.",
  Confidence: "Sicherheit",
  "How often a range holds the true number. The surer, the wider.":
    "Wie oft ein Bereich die wahre Zahl enthält. Je sicherer, desto breiter.",
  "False discovery rate": "Anteil falscher Funde",
  "Of the answers that are said to stand out, the share without any participant, on average, at most.":
    "Höchstens dieser Anteil der Antworten, die sich angeblich abheben, wurde im Mittel von niemandem gegeben.",
  "Forged responses": "Gefälschte Antworten",
  "Ranges hold whatever this many of the responses say: a number, or a share such as 1%.":
    "Die Bereiche gelten, was immer so viele der Antworten sagen: eine Zahl oder ein Anteil wie 1 %.",
  "of the answers that were reported: {value} ({range})": "der gemeldeten Antworten: {value} ({range})",
  "responses do not tell it from another of these": "Antworten unterscheiden das nicht von einer anderen hier",
  "Table of results": "Tabelle der Ergebnisse",
  "Answer option": "Antwortmöglichkeit",
  "Chosen by": "Gewählt von",
  "{value} ({range})": "{value} ({range})",
  "{name}: chosen by {value} of people, {between}": "{name}: gewählt von {value} der Personen, {between}",
  "{a} was chosen most often: {value} of people, {between}":
    "{a} wurde am häufigsten gewählt: von {value} der Personen, {between}",
  "{a}, {x} of people; {b}, {y}": "{a}, {x} der Personen; {b}, {y}",
  "{a}, {x} of people; {b}, {y}; {c}, {z}": "{a}, {x} der Personen; {b}, {y}; {c}, {z}",
  "These were chosen most often: {list}": "Am häufigsten gewählt: {list}",
  "{a} and {b} are highest, each with about {value} of people; which answer is chosen most often is not certain":
    "{a} und {b} liegen vorn, mit je etwa {value} der Personen; welche Antwortmöglichkeit am häufigsten gewählt wird, ist nicht sicher",
  "{a}, {b} and {c} are highest, each with about {value} of people; which answer is chosen most often is not certain":
    "{a}, {b} und {c} liegen vorn, mit je etwa {value} der Personen; welche Antwortmöglichkeit am häufigsten gewählt wird, ist nicht sicher",
  "{a} is highest, with {x} of people; that is not certain, since the range of {b} overlaps with it":
    "{a} liegt vorn, mit {x} der Personen; sicher ist das nicht, denn der Bereich von {b} überschneidet sich damit",
  "{a} is highest, with {x} of people; that is not certain, since the ranges of {b} and {c} overlap with it":
    "{a} liegt vorn, mit {x} der Personen; sicher ist das nicht, denn die Bereiche von {b} und {c} überschneiden sich damit",
  "{a} is highest, with {x} of people; that is not certain, since the range of another answer overlaps with it":
    "{a} liegt vorn, mit {x} der Personen; sicher ist das nicht, denn der Bereich einer anderen Antwort überschneidet sich damit",
  "{a} is highest, with {x} of people; that is not certain, since several ranges overlap with it":
    "{a} liegt vorn, mit {x} der Personen; sicher ist das nicht, denn mehrere Bereiche überschneiden sich damit",
  "Of those shown: {sentence}": "Unter den gezeigten: {sentence}",
  "Of those shown, these were chosen most often: {list}": "Unter den gezeigten wurden am häufigsten gewählt: {list}",
  "Too early to say much: {responses} so far": "Noch lässt sich wenig sagen: bisher {responses}",
  "From {responses}, nothing can be said about any answer option":
    "Aus {responses} lässt sich über keine Antwortmöglichkeit etwas sagen",
  "From {responses}, nothing can be said about any of the answer options shown":
    "Aus {responses} lässt sich über keine der gezeigten Antwortmöglichkeiten etwas sagen",
  "For no answer option is it clear whether anyone chose it":
    "Bei keiner Antwortmöglichkeit ist klar, ob jemand sie gewählt hat",
  "For none of the answer options shown is it clear whether anyone chose it":
    "Bei keiner der gezeigten Antwortmöglichkeiten ist klar, ob jemand sie gewählt hat",
  "{between} on a scale from {first} to {last}": "{between} auf einer Skala von {first} bis {last}",
  "Those who chose {name} gave {value} on average, {between}.":
    "Wer {name} gewählt hat, gab im Durchschnitt {value} an, {between}.",
  "Those who chose {name} rated it {value} on average, {between}.":
    "Wer {name} gewählt hat, bewertete das im Durchschnitt mit {value}, {between}.",
  "{name} is chosen more often in {one} than in {other}: {value}, {between}.":
    "{name} wird in {one} öfter gewählt als in {other}: {value}, {between}.",
  "{first} and {second} are chosen together more often than by chance.":
    "{first} und {second} werden öfter zusammen gewählt, als der Zufall ergäbe.",
  "These numbers cannot be used.": "Diese Zahlen sind nicht brauchbar.",
  "There are no responses yet.": "Es gibt noch keine Antworten.",
  "There were no responses.": "Es kamen keine Antworten.",
  "Shares of the values of those who chose the answer, and quantiles, with their ranges.":
    "Anteile der Werte bei denen, die die Antwort gewählt haben, und Quantile, mit ihren Bereichen.",
  "What they say": "Was sie angeben",
  "Groups, and what is chosen with it": "Gruppen, und was zusammen damit gewählt wird",
  "The surer a range is to hold the true number, the wider it is.":
    "Je sicherer ein Bereich die wahre Zahl enthält, desto breiter ist er.",
  "What is known": "Was bekannt ist",
  "How sure that is": "Wie sicher das ist",
  "What would make it sharper": "Was es genauer machen würde",
  "What is known of the answer, with ranges of several confidences.":
    "Was über die Antwort bekannt ist, mit Bereichen verschiedener Sicherheit.",
  "Nothing is known of this answer.": "Über diese Antwortmöglichkeit ist nichts bekannt.",
  "Computing the ranges …": "Berechne die Bereiche …",
  "Within each group: {name}": "Innerhalb jeder Gruppe: {name}",
  "Where it differs": "Wo es sich unterscheidet",
  "For this answer, no difference between groups stands out from the noise.":
    "Bei dieser Antwort hebt sich kein Unterschied zwischen Gruppen vom Rauschen ab.",
  "Chosen together with": "Zusammen gewählt mit",
  "No other answer stands out together with this one.": "Keine andere Antwort hebt sich zusammen mit dieser ab.",
  "Other answers": "Andere Antworten",
  "Number {rank} of {all} by share": "Nummer {rank} von {all} nach Anteil",
  "Confidence of the ranges: {confidence}, whatever {hostile} of the responses say.":
    "Sicherheit der Bereiche: {confidence}, was immer {hostile} der Antworten sagen.",
  "Confidence of the ranges: {confidence}.": "Sicherheit der Bereiche: {confidence}.",
  "{shown} chose it: {between}.": "{shown} haben das gewählt: {between}.",
  "{value} of people": "{value} der Personen",
  "Of the {all} people who responded, these are about {about}: between {low} and {high}.":
    "Von den {all} Personen, die geantwortet haben, sind das etwa {about}: zwischen {low} und {high}.",
  "Of the {all} people who responded, these are at most {high}.":
    "Von den {all} Personen, die geantwortet haben, sind das höchstens {high}.",
  "{shown} perhaps all, perhaps none.": "{shown} vielleicht alle, vielleicht keine.",
  "How many people chose it is unknown:": "Wie viele Personen das gewählt haben, ist unbekannt:",
  "{shown} at most {high} of people chose it, and perhaps none.":
    "{shown} Höchstens {high} der Personen haben das gewählt, vielleicht auch keine.",
  "It is not distinguishable from noise:": "Das ist vom Rauschen nicht zu unterscheiden:",
  "Those who chose it give it {value} on average, {between}, on a scale from {first} to {last}.":
    "Wer das gewählt hat, gibt im Durchschnitt {value} an, {between}, auf einer Skala von {first} bis {last}.",
  "above zero": "über null",
  "up to {high}": "bis {high}",
  "The average of what they say is unknown: {between}, on a scale from {first} to {last}.":
    "Der Durchschnitt ihrer Angaben ist unbekannt: {between}, auf einer Skala von {first} bis {last}.",
  "The average of what they say is unknown: it may be anything on a scale from {first} to {last}.":
    "Der Durchschnitt ihrer Angaben ist unbekannt: Er kann überall auf einer Skala von {first} bis {last} liegen.",
  "The average of what they say is unknown: {between}, on a scale from {first} to {last}, since people with many answers may say other things. The average of the answers that were reported is {reported}, {reportedBetween}.":
    "Der Durchschnitt ihrer Angaben ist unbekannt: {between}, auf einer Skala von {first} bis {last}, da Personen mit vielen Angaben vielleicht anderes angeben. Der Durchschnitt der gemeldeten Antworten ist {reported}, {reportedBetween}.",
  "Fewer forged responses: what they can do does not shrink as more honest ones come.":
    "Weniger gefälschte Antworten: Was sie anrichten können, wird nicht kleiner, wenn mehr ehrliche kommen.",
  "More responses: with today's, noise alone gives the share a range of ±{noise}. Four times as many, {more}, would halve that.":
    "Mehr Antworten: Mit den heutigen reicht der Bereich des Anteils allein wegen des Rauschens ±{noise} um den Wert. Viermal so viele, {more}, würden das halbieren.",
  "Answers chosen by fewer than {least} of people are often not distinguishable from noise as yet.":
    "Was weniger als {least} der Personen wählen, ist bisher oft vom Rauschen nicht zu unterscheiden.",
  "A new survey in which more answers of a person count: people with more than {padding} may hide up to {hidden} of it.":
    "Eine neue Umfrage, in der mehr Angaben einer Person zählen: Durch Personen mit mehr als {padding} fehlen vielleicht bis zu {hidden}.",
  "How many people have more than {padding} is not known: they hide a part of it.":
    "Wie viele Personen mehr als {padding} haben, ist nicht bekannt: Sie verbergen einen Teil davon.",
  "A new survey with a lighter {level}, which promises people less.":
    "Eine neue Umfrage mit leichterer {level}, die den Personen weniger verspricht.",
  "privacy level": "Datenschutzstufe",
  "more often than by chance": "häufiger als durch Zufall",
  "less often than by chance": "seltener als durch Zufall",
  "“Times chance” is how many times as often both are chosen as they would be if choosing one said nothing about the other: 1 is chance.":
    "„Gegenüber Zufall“ sagt, wievielmal so häufig beide gewählt werden, wie wenn die eine Wahl nichts über die andere aussagte; 1 heißt: so häufig wie durch Zufall.",
  "Blue: chosen together more often than by chance; red: less often; the fuller, the stronger. Grey combinations do not stand out.":
    "Blau: öfter zusammen gewählt als durch Zufall; Rot: seltener; je kräftiger, desto stärker. Graue Kombinationen heben sich nicht ab.",
  "at most {high}": "höchstens {high}",
  "Answer options": "Antwortmöglichkeiten",
  "Times chance": "Gegenüber Zufall",
  "Chosen together": "Zusammen gewählt",
  "Chose both": "Beide gewählt",
  "Of those with the first, chose the second": "Von denen mit der ersten wählten die zweite",
  "Of those with the second, chose the first": "Von denen mit der zweiten wählten die erste",
  "{first} and {second}": "{first} und {second}",
  "Answers chosen together": "Zusammen gewählte Antworten",
  "Chosen with it": "Zusammen damit gewählt",
  "Of those who chose this answer": "Von denen, die diese Antwort wählten",
  "Chose both, of all people": "Beide gewählt, von allen Personen",
  "None of {combinations} stands out from the noise.": "Von {combinations} hebt sich keine vom Rauschen ab.",
  "The table has the first {shown} of {total} combinations, of {tested} possible ones, that stand out: because their share is clearly above 0 %, or because both are chosen together more or less often than by chance. On average, at most {rate} of the claims of either kind are false.":
    "Die Tabelle zeigt die ersten {shown} von {total} Kombinationen (unter {tested} möglichen), die sich abheben: weil ihr Anteil klar über 0 % liegt oder weil beide häufiger oder seltener zusammen gewählt werden als durch Zufall. Im Mittel sind von den Aussagen jeder Art höchstens {rate} falsch.",
  "The table has the combinations, of {tested} possible ones, that stand out: because their share is clearly above 0 %, or because both are chosen together more or less often than by chance. On average, at most {rate} of the claims of either kind are false.":
    "Die Tabelle zeigt die Kombinationen (unter {tested} möglichen), die sich abheben: weil ihr Anteil klar über 0 % liegt oder weil beide häufiger oder seltener zusammen gewählt werden als durch Zufall. Im Mittel sind von den Aussagen jeder Art höchstens {rate} falsch.",
  "Which answers are chosen together more often (blue) or less often (red) than by chance; the table below has the numbers.":
    "Welche Antworten öfter (blau) oder seltener (rot) zusammen gewählt werden als durch Zufall; die Tabelle darunter hat die Zahlen.",
  "{number} combination": "{number} Kombination",
  "{number} combinations": "{number} Kombinationen",
  "not clear": "unklar",
  "Chosen by, as bars with ranges": "Gewählt von, als Balken mit Bereichen",
  "{title}, with ranges": "{title}, mit Bereichen",
  "Half the range of a share of people, by the number of responses.":
    "Die Hälfte des Bereichs eines Anteils der Personen, nach der Zahl der Antworten.",
  "How many more responses would help": "Wie viele weitere Antworten helfen würden",
  "For an answer chosen by this share of people, in %": "Für eine Antwort, die so viele Personen wählen, in %",
  "Wanted range (± percentage points)": "Gewünschter Bereich (± Prozentpunkte)",
  "Ranges hold the true number with a confidence of 95 %.":
    "Bereiche enthalten die wahre Zahl mit einer Sicherheit von 95 %.",
  "Both numbers are above 0; a share is at most 100 %.":
    "Beide Zahlen sind größer als 0; ein Anteil ist höchstens 100 %.",
  "As yet most answers are not distinguishable from noise.":
    "Bisher sind die meisten Antworten vom Rauschen nicht zu unterscheiden.",
  "Answers chosen by fewer than {least} of people are often not distinguishable from noise.":
    "Was weniger als {least} der Personen wählen, ist oft vom Rauschen nicht zu unterscheiden.",
  "Among {number} answers, those chosen by fewer than {least} of people are often not distinguishable from noise.":
    "Unter {number} Antworten sind solche, die weniger als {least} der Personen geben, oft vom Rauschen nicht zu unterscheiden.",
  "For an answer chosen by {share} of people, the range reaches about {range} to either side.":
    "Bei einer Antwort, die {share} der Personen wählen, reicht der Bereich etwa {range} nach beiden Seiten.",
  "At the upper end, the range of such an answer may reach up to {hidden} further, since people with more than {padding} may hide as much and give other values; the chart counts that, too.":
    "Am oberen Ende reicht der Bereich einer solchen Antwort vielleicht bis zu {hidden} weiter, da Personen mit mehr als {padding} vielleicht so viel verbergen und andere Werte angeben; auch die Grafik zählt das.",
  "At the upper end, the range of such an answer may reach up to {hidden} further, since people with more than {padding} may hide as much; the chart counts that, too.":
    "Am oberen Ende reicht der Bereich einer solchen Antwort vielleicht bis zu {hidden} weiter, da Personen mit mehr als {padding} vielleicht so viel verbergen; auch die Grafik zählt das.",
  "Its average rating stays unknown.": "Die durchschnittliche Bewertung bleibt unbekannt.",
  "Its average rating is known to about ±{range} ({unit}).":
    "Die durchschnittliche Bewertung ist auf etwa ±{range} ({unit}) bekannt.",
  "Its average rating is known to about ±{range}.": "Die durchschnittliche Bewertung ist auf etwa ±{range} bekannt.",
  "A range of ±{range} takes {noise}.": "Für einen Bereich ±{range} braucht es {noise}.",
  "A range of ±{range} takes about {all}, if people have as many answers as responses say so far; for the noise alone {noise}.":
    "Für einen Bereich ±{range} braucht es etwa {all}, wenn Personen so viel wählen, wie bisher angegeben wurde; für das Rauschen allein {noise}.",
  "A range of ±{range} takes {noise}, if no participant has more than {padding}; how many people do is not known yet.":
    "Für einen Bereich ±{range} braucht es {noise}, wenn alle Teilnehmenden höchstens {padding} haben; wie viele mehr haben, ist noch nicht bekannt.",
  "A range of ±{range} takes {noise}, if no participant has more than {padding}; how many people do is not asked.":
    "Für einen Bereich ±{range} braucht es {noise}, wenn alle Teilnehmenden höchstens {padding} haben; wie viele mehr haben, wird nicht gefragt.",
  "A range of ±{range} cannot be promised, however many responses come: too many people have more than {padding}. The noise alone takes {noise}.":
    "Ein Bereich ±{range} kann nicht versprochen werden, so viele Antworten auch kommen: Zu viele Personen haben mehr als {padding}. Für das Rauschen allein braucht es {noise}.",
  "A range of ±{range} cannot be promised as yet: people with more than {padding} may hide more than that. The noise alone takes {noise}.":
    "Ein Bereich ±{range} kann noch nicht versprochen werden: Personen mit mehr als {padding} verbergen vielleicht mehr. Für das Rauschen allein braucht es {noise}.",
  "{number} (they are there already)": "{number} (sie sind schon da)",
  "{number} ({ratio} times as many as today)": "{number} (das {ratio}-Fache von heute)",
  "Answers that begin with": "Antworten, die beginnen mit",
  "Share of people, as a bar": "Anteil der Personen, als Balken",
  "Tree of beginnings": "Baum der Anfänge",
  "{number} more are in the download (JSON).": "{number} weitere stehen in der Datei zum Herunterladen (JSON).",
  "(ends here)": "(endet hier)",
  "Asked:": "Gefragt:",
  "The first {shown} of {all} answer options.": "Die ersten {shown} von {all} Antwortmöglichkeiten.",
  "Dot: the number.": "Punkt: die Zahl.",
  "Averages are estimated together: where ranges are wide, averages tend to lie closer to each other than the true ones.":
    "Durchschnitte werden gemeinsam geschätzt: Wo Bereiche breit sind, liegen die Durchschnitte meist näher beieinander als die wahren.",
  "Line: the range of each number.": "Linie: der Bereich jeder Zahl.",
  "Line: the range that holds the true number with a confidence of {level}.":
    "Linie: der Bereich, der die wahre Zahl mit einer Sicherheit von {level} enthält.",
  "Of these answer options, no share within a group is known.":
    "Von diesen Antwortmöglichkeiten ist kein Anteil in einer Gruppe bekannt.",
  "Asked on {from}.": "Gefragt am {from}.",
  "Asked from {from} to {to}.": "Gefragt vom {from} bis zum {to}.",
  "As of {today}. Asked since {from}, until the end of {to}.":
    "Stand: {today}. Gefragt seit dem {from}, bis einschließlich {to}.",
  "As of {today}. Asked since {from}.": "Stand: {today}. Gefragt seit dem {from}.",
  "For specialists: local differential privacy with ε = {epsilon}.":
    "Für Fachleute: lokale Differential Privacy mit ε = {epsilon}.",
  "Every answer was made noisy on the person's own device before it was sent, and mixed with those of others. What a single response can tell about a person is limited.":
    "Jede Antwort wurde auf dem eigenen Gerät der Person verrauscht, bevor sie gesendet wurde, und mit denen anderer gemischt. Was eine einzelne Antwort über eine Person verraten kann, ist begrenzt.",
  "Shares of the values among those who chose an answer; the table below has the same numbers.":
    "Anteile der Werte bei denen, die eine Antwort gewählt haben; die Tabelle darunter hat dieselben Zahlen.",
  "This link leads to no public results. It may be incomplete, or the results are not public.":
    "Unter diesem Link gibt es keine öffentlichen Ergebnisse. Vielleicht ist er unvollständig, oder die Ergebnisse sind nicht öffentlich.",
  "This survey was deleted, and its results with it.": "Diese Umfrage wurde gelöscht, und ihre Ergebnisse mit ihr.",
  "{problem} The page goes on trying.": "{problem} Die Seite versucht es weiter.",
  "No results here": "Hier sind keine Ergebnisse",
  "How to read this": "Wie man das liest",
  "{name} – results": "{name} – Ergebnisse",
  "Run by {organisation}": "Durchgeführt von {organisation}",
  "The first {number} answer options.": "Die ersten {number} Antwortmöglichkeiten.",
  Details: "Details",
  "The last response came on {day}.": "Die letzte Antwort kam am {day}.",
  "The round closed on {day}.": "Die Runde endete am {day}.",
  "The survey closed on {day}.": "Die Umfrage endete am {day}.",
  "The survey opens on {day}.": "Die Umfrage beginnt am {day}.",
  "The survey is open until the end of {day}.": "Die Umfrage ist bis einschließlich {day} offen.",
  "The survey is open.": "Die Umfrage ist offen.",
  "How the ratings are spread ({unit})": "Wie sich die Bewertungen verteilen ({unit})",
  "How the ratings are spread": "Wie sich die Bewertungen verteilen",
  "The width of a part is the share of people, among those who chose the answer, who give that value.":
    "Die Breite eines Teils ist der Anteil der Personen, die diesen Wert angeben, unter denen, die die Antwort gewählt haben.",
  "The same as a table, with ranges": "Dasselbe als Tabelle, mit Bereichen",
  "That does not mean that there is none: where ranges are wide, even a large one may stay hidden.":
    "Das heißt nicht, dass es keinen gibt: Wo Bereiche breit sind, kann auch ein großer verborgen bleiben.",
  "Which answers differ": "Welche Antworten sich unterscheiden",
  "Every answer was made noisy on the person's own device before it was sent. What a single response can tell about a person is limited, also towards those who collect it.":
    "Jede Antwort wurde auf dem eigenen Gerät der Person verrauscht, bevor sie gesendet wurde. Was eine einzelne Antwort über eine Person verraten kann, ist begrenzt, auch gegenüber denen, die sie sammeln.",
  "Over all people, most of the noise cancels out. Each number has a range, which holds the true one with a confidence of {level}.":
    "Über alle Personen hebt sich das Rauschen größtenteils auf. Jede Zahl hat einen Bereich, der die wahre mit einer Sicherheit von {level} enthält.",
  "An answer that is not distinguishable from noise may have been chosen by none, or by as many as the end of its range says.":
    "Was vom Rauschen nicht zu unterscheiden ist, wurde vielleicht von niemandem gewählt, vielleicht aber auch von so vielen, wie das Ende seines Bereichs sagt.",
  "A second organisation mixed the responses before they were read.":
    "Eine zweite Stelle hat die Antworten gemischt, bevor sie gelesen wurden.",
  "Contact: {contact}": "Kontakt: {contact}",
  "For specialists: local differential privacy with ε = {epsilon}; a response stands for up to {padding} of a person.":
    "Für Fachleute: lokale Differential Privacy mit ε = {epsilon}; eine Antwort steht für bis zu {padding} einer Person.",
  "Print or save as PDF": "Drucken oder als PDF sichern",
  "The most frequent answers with their ranges": "Die häufigsten Antworten mit ihren Bereichen",
  "{more} since: look again to count them.": "Seither {more}: Suchen Sie noch einmal, damit sie gezählt werden.",
  "The public page shows no numbers while this is so.": "Die öffentliche Seite zeigt keine Zahlen, solange das so ist.",
  "Computing {options} from {responses} …": "Berechne {options} aus {responses} …",
  "There are no responses.": "Es gibt keine Antworten.",
  "There are no responses here yet: they come together, from the mixer.":
    "Hier sind noch keine Antworten: Sie kommen alle zusammen vom Mixer.",
  "No responses came before this survey was closed.": "Bis diese Umfrage geschlossen wurde, kamen keine Antworten.",
  "{number} answer option": "{number} Antwortmöglichkeit",
  "{number} answer options": "{number} Antwortmöglichkeiten",
  "The upright line is the share of all people.": "Die senkrechte Linie ist der Anteil unter allen Personen.",
  "Grey: not clearly above zero.": "Grau: nicht klar über null.",
  "Grey: not clearly above zero, or of unknown size.": "Grau: nicht klar über null oder von unbekannter Größe.",
  "average {value} ({range})": "Durchschnitt {value} ({range})",
  "Share of people": "Anteil der Personen",
  "Shares within each group of “{name}”": "Anteile innerhalb jeder Gruppe von „{name}“",
  "The answer within each group": "Die Antwort innerhalb jeder Gruppe",
  Difference: "Unterschied",
  "Chosen more often in": "Öfter gewählt in",
  "than in": "als in",
  "Which answers differ between groups": "Welche Antworten sich zwischen Gruppen unterscheiden",
  "Among these answers, no difference between two groups of “{name}” stands out from the noise.":
    "Unter diesen Antworten hebt sich kein Unterschied zwischen zwei Gruppen von „{name}“ vom Rauschen ab.",
  "No difference between two groups of “{name}” stands out from the noise.":
    "Kein Unterschied zwischen zwei Gruppen von „{name}“ hebt sich vom Rauschen ab.",
  "Among these answers, the table has {differences} between two groups of “{name}” that stand out from the noise. On average, at most {rate} of such differences are there by chance alone.":
    "Für diese Antworten hat die Tabelle {differences} zwischen zwei Gruppen von „{name}“, die sich vom Rauschen abheben. Im Mittel sind höchstens {rate} solcher Unterschiede nur Zufall.",
  "The table has {differences} between two groups of “{name}” that stand out from the noise. On average, at most {rate} of such differences are there by chance alone.":
    "Die Tabelle hat {differences} zwischen zwei Gruppen von „{name}“, die sich vom Rauschen abheben. Im Mittel sind höchstens {rate} solcher Unterschiede nur Zufall.",
  "It lists the {number} largest.": "Sie nennt die {number} größten.",
  "Chosen by, within the group {label}": "Gewählt von, innerhalb der Gruppe {label}",
  "Within each group": "Innerhalb jeder Gruppe",
  "{number} difference": "{number} Unterschied",
  "{number} differences": "{number} Unterschiede",
  "Table of shares": "Tabelle der Anteile",
  "Of those who chose an answer. Left out, since not distinguishable from noise: {options}.":
    "Von denen, die eine Antwort gewählt haben. Weggelassen, weil vom Rauschen nicht zu unterscheiden: {options}.",
  "Of those who chose an answer.": "Von denen, die eine Antwort gewählt haben.",
  "{before} and {after}": "{before} und {after}",
  "Changed by {points} between rounds {rounds}.": "Zwischen den Runden {rounds} um {points} verändert.",
  "{name}: {now} in round {last}, after {before} in round {first}.":
    "{name}: {now} in Runde {last}, nach {before} in Runde {first}.",
  "{name}: round {number}, from {first} to {last}": "{name}: Runde {number}, von {first} bis {last}",
  "{name}: {now} in round {last}.": "{name}: {now} in Runde {last}.",
  "Round {round}, from {opens} on, {responses}: {alone}": "Runde {round}, ab {opens}, {responses}: {alone}",
  "Round {round}, from {opens} on, {responses}: {smoothed} smoothed, {alone} by itself":
    "Runde {round}, ab {opens}, {responses}: {smoothed} geglättet, {alone} für sich",
  "No responses yet: the trend appears here once a round has some.":
    "Noch keine Antworten: Der Verlauf erscheint hier, sobald eine Runde welche hat.",
  "Table of answer options": "Tabelle der Antwortmöglichkeiten",
  Trend: "Verlauf",
  "Computing the trend …": "Berechne den Verlauf …",
  "all neighbouring rounds": "alle benachbarten Runden",
  "the last one with round {round} alone": "die letzte nur mit Runde {round}",
  Compare: "Vergleichen",
  "Rounds {first} to {last} together": "Runden {first} bis {last} zusammen",
  "Change since round {round}": "Veränderung seit Runde {round}",
  Changed: "Verändert",
  "Round {round}, smoothed": "Runde {round}, geglättet",
  "Round {round} alone": "Runde {round} für sich",
  "Shaded: it changed between these rounds.": "Schattiert: Zwischen diesen Runden hat es sich verändert.",
  "The first {drawn} of the table, by round. Line: share of people, smoothed over the rounds, with its range (confidence {level}). Points: single rounds by themselves; bars: their ranges, where they differ from what the other rounds lead to expect.":
    "Die ersten {drawn} der Tabelle, nach Runden. Linie: Anteil der Personen, über die Runden geglättet, mit seinem Bereich (Sicherheit {level}). Punkte: einzelne Runden für sich; Striche: ihre Bereiche, wo sie von dem abweichen, was die anderen Runden erwarten lassen.",
  "The first {drawn} of the table, in the only round with responses. Point: share of people; bar: its range (confidence {level}).":
    "Die ersten {drawn} der Tabelle, in der einzigen Runde mit Antworten. Punkt: Anteil der Personen; Balken: sein Bereich (Sicherheit {level}).",
  "by itself {words}": "für sich {words}",
  "none seen (below {smallest} may hide)": "keine gesehen (unter {smallest} kann eine verborgen sein)",
  "none seen": "keine gesehen",
  "between {rounds}": "zwischen {rounds}",
};
