// German texts of the pages, by their English ones: new-task.
export default {
  "(left out)": "(weggelassen)",
  "0 to 10": "0 bis 10",
  "1 to 5": "1 bis 5",
  "7 for rounds of a week.": "7 für Runden von einer Woche.",
  "A changed form makes another file; if the mixer has accepted this one, that needs another name.":
    "Ein geändertes Formular ergibt eine andere Datei; hat der Mixer diese schon angenommen, braucht die neue einen anderen Namen.",
  "A device answers at most once in a round ({days}): the privacy level covers whatever a participant does in that time.":
    "Ein Gerät antwortet in einer Runde ({days}) höchstens einmal: Die Datenschutzstufe gilt für alles, was eine Person in dieser Zeit tut.",
  "A device answers at most once in any {panels} rounds in a row ({days}): the privacy level covers whatever a participant does in that time.":
    "Ein Gerät antwortet in {panels} aufeinanderfolgenden Runden ({days}) höchstens einmal: Die Datenschutzstufe gilt für alles, was eine Person in dieser Zeit tut.",
  "A device answers in one round out of that many.": "Ein Gerät antwortet in einer von so vielen Runden.",
  "A response changes the odds of an answer by at most {times} times.":
    "Durch eine Antwort ändern sich die Chancen einer Angabe höchstens um den Faktor {times}.",
  "A fifty-fifty guess is then all but certain.": "Wer fünfzig zu fünfzig rät, ist danach fast sicher.",
  "A fifty-fifty guess is then right in at most {cases} of 100 cases.":
    "Wer fünfzig zu fünfzig rät, liegt danach in höchstens {cases} von 100 Fällen richtig.",
  "A liar cannot search for a function that names many answers at once. It needs invitations, one per response. The guarantee for participants stays the same.":
    "Wer lügt, kann dann keine Funktion suchen, die viele Antworten zugleich nennt. Das braucht Einladungen, eine je Antwort. Die Zusage an Teilnehmende bleibt gleich.",
  "A mixer that a party outside your organisation runs (“Privacy”, “More options”): the privacy towards you stays the same.":
    "Ein Mixer, den jemand außerhalb Ihrer Organisation betreibt („Datenschutz“, „Weitere Möglichkeiten“): Der Datenschutz Ihnen gegenüber bleibt gleich.",
  "A repeated survey shows what changes from one round to the next.":
    "Eine wiederholte Umfrage zeigt, was sich von Runde zu Runde ändert.",
  "A response stands for up to this many answers of one person; of more, for a random choice. With more answers, rare ones are harder to find.":
    "Eine Antwort steht für bis zu so viele Texte einer Person, bei mehr für eine zufällige Auswahl. Mit mehr Texten sind seltene schwerer zu finden.",
  "A response tells a value as": "Eine Antwort nennt einen Wert als",
  "A single response then says little about the person who sent it, and is no proof of any answer.":
    "Eine einzelne Antwort sagt dann wenig über die Person, die sie gesendet hat, und beweist keine ihrer Angaben.",
  "A single response then says much about the person who sent it, but is still no proof of any answer.":
    "Eine einzelne Antwort sagt dann viel über die Person, die sie gesendet hat, beweist aber immer noch keine ihrer Angaben.",
  "A single response then says something about the person who sent it, but is no proof of any answer.":
    "Eine einzelne Antwort sagt dann etwas über die Person, die sie gesendet hat, beweist aber keine ihrer Angaben.",
  "A value between two levels": "Ein Wert zwischen zwei Stufen",
  "Above 0 and at most 20; smaller is more private. Strong is 1, balanced 2, light 3.":
    "Über 0 und höchstens 20; kleiner schützt besser. Stark ist 1, ausgewogen 2, leicht 3.",
  "Add a language": "Sprache hinzufügen",
  "Address of the mixer": "Adresse des Mixers",
  "After {number} responses at this privacy level a browser takes no further part in surveys of this collector.":
    "Nach {number} Antworten mit dieser Datenschutzstufe nimmt ein Browser an keiner Umfrage dieses Servers mehr teil.",
  "Against people who lie to distort the result": "Gegen Personen, die lügen, um das Ergebnis zu verfälschen",
  "All of them count.": "Es zählen alle.",
  "All that apply": "Alles, was zutrifft",
  "Also learn which are chosen together": "Auch erfahren, was zusammen gewählt wird",
  "Another level": "Andere Stufe",
  "Another level: {number}": "Andere Stufe: {number}",
  "Another scale": "Andere Skala",
  Answers: "Antworten",
  "Answers about groups": "Antworten zur Gruppe",
  "Answers of one person": "Antworten einer Person",
  "Answers per response": "Texte je Antwort",
  "Answers that are not listed": "Antworten, die nicht in der Liste stehen",
  "Answers with any other character are not found. Capitals count as small letters unless they are named here.":
    "Antworten mit anderen Zeichen werden nicht gefunden. Große Buchstaben zählen als kleine, wenn sie hier nicht genannt sind.",
  "As a number, for experts.": "Als Zahl, für Fachleute.",
  "Ask the mixer and publish": "Mixer fragen und veröffentlichen",
  "Asking the mixer …": "Der Mixer wird gefragt …",
  "At most (optional)": "Höchstens (freiwillig)",
  "At most a certain number": "Höchstens eine bestimmte Anzahl",
  "At most how many": "Höchstens wie viele",
  "At most {number} of them count. If someone gives more, these are chosen at random.":
    "Höchstens {number} davon zählen. Nennt jemand mehr, entscheidet der Zufall, welche zählen.",
  Back: "Zurück",
  Balanced: "Ausgewogen",
  "By invitation": "Mit Einladung",
  "By invitation: {number} links": "Mit Einladung: {number} Links",
  "By one open link": "Über einen offenen Link",
  "By the answer to one more question": "Nach der Antwort auf eine weitere Frage",
  "Can a party outside your organisation run a mixer?":
    "Kann jemand außerhalb Ihrer Organisation einen Mixer betreiben?",
  Cancel: "Abbrechen",
  Change: "Ändern",
  "Change the form": "Formular ändern",
  "Delete the file for the mixer?": "Die Datei für den Mixer löschen?",
  "“{name}”: if the mixer has accepted this file, the changed survey needs another name.":
    "„{name}“: Hat der Mixer diese Datei schon angenommen, braucht die geänderte Umfrage einen anderen Namen.",
  "Change what is assumed": "Annahmen ändern",
  "Change: {what}": "Ändern: {what}",
  "Check and publish": "Prüfen und veröffentlichen",
  "Choose a language …": "Sprache wählen …",
  "Choose and rate": "Wählen und bewerten",
  "Choose several": "Mehreres wählen",
  "Chosen together": "Zusammen gewählt",
  "Command of the mixer's operator": "Befehl für den Betreiber des Mixers",
  "Compare groups": "Gruppen vergleichen",
  "Compare groups (a question with one answer, stays private)":
    "Gruppen vergleichen (eine Frage mit einer Antwort, bleibt geschützt)",
  "Compare groups, such as ages?": "Gruppen vergleichen, etwa nach Alter?",
  Consent: "Einwilligung",
  Contact: "Kontakt",
  "Courses, this year": "Kurse in diesem Jahr",
  "Day of the meeting": "Tag des Treffens",
  "Days per round": "Tage je Runde",
  "Delete draft": "Entwurf löschen",
  "Delete for good": "Endgültig löschen",
  Description: "Beschreibung",
  Details: "Details",
  "Devices take turns over … rounds": "Geräte wechseln sich ab über … Runden",
  "Devices send their sealed responses there.": "Dorthin senden die Geräte ihre versiegelten Antworten.",
  "Devices spend at most ε = 10 on all surveys of this collector together, unless your app sets another cap: at this privacy level that is {number} responses, and none afterwards.":
    "Geräte geben für alle Umfragen dieses Servers zusammen höchstens ε = 10 aus, wenn Ihre App keine andere Grenze setzt: Bei dieser Datenschutzstufe sind das {number} Antworten, danach keine mehr.",
  "Devices keep to a privacy limit of 10 for all surveys of this collector together. For this level your app needs a higher limit; on the page of participants people could not answer.":
    "Auf Geräten gilt für alle Umfragen dieses Servers zusammen ein Datenschutz-Limit von 10. Für diese Stufe braucht Ihre App ein höheres Limit; auf der Seite für Teilnehmende könnte niemand antworten.",
  "Download {file}": "{file} herunterladen",
  "Enough for averages, and the most precise.": "Genügt für Durchschnitte und ist am genauesten.",
  "Enough people": "Genug Personen",
  "Enough people for frequent answers": "Genug Personen für häufige Antworten",
  "Enter the token that you get back": "Geben Sie das Token ein, das Sie zurückbekommen",
  "Every device draws all of its response's randomness.": "Jedes Gerät zieht den Zufall seiner Antwort selbst.",
  "Every person gets a link of their own, which is good for one response.":
    "Jede Person bekommt einen eigenen Link, der für eine Antwort gilt.",
  "Every response is sent alone, to this collector.": "Jede Antwort wird einzeln an diesen Server gesendet.",
  "Everybody picks one answer, as in a vote. You learn the share of each.":
    "Alle wählen eine Antwort, wie bei einer Abstimmung. Sie erfahren den Anteil jeder Antwort.",
  "Everyone who has it can take part, once per browser.": "Wer ihn hat, kann teilnehmen, einmal je Browser.",
  "Expected 95 % ranges against the number of people.": "Erwartete 95-%-Bereiche je nach Zahl der Personen.",
  "Expected 95 % ranges against ε.": "Erwartete 95-%-Bereiche je nach ε.",
  "Fewer answers per response.": "Weniger Texte je Antwort.",
  "Fewer letters.": "Weniger Buchstaben.",
  "Filled in from “{name}”.": "Ausgefüllt nach „{name}“.",
  "Filled in with {answers} that “{name}” found; everything else counts as one more answer.":
    "Ausgefüllt mit {answers} aus „{name}“; alles andere zählt als eine weitere Antwort.",
  "First day": "Erster Tag",
  "For health, sexuality, religion, politics, trouble at work, complaints about people, or anything that people could be punished for. It needs the most people.":
    "Für Gesundheit, Sexualität, Religion, Politik, Ärger bei der Arbeit, Beschwerden über Personen oder alles, wofür man bestraft werden könnte. Braucht die meisten Personen.",
  "For opinions, habits and everyday matters that people need not be afraid to tell.":
    "Für Meinungen, Gewohnheiten und Alltägliches, das niemand zu erzählen fürchten muss.",
  "“{name}”: the survey's page adds “None of these applies to me” by itself. Is yours meant to be counted as an answer?":
    "„{name}“: Die Seite der Umfrage fügt „Nichts davon trifft auf mich zu“ von selbst hinzu. Soll Ihre Möglichkeit als Antwort gezählt werden?",
  "At most {number} choices per person.": "Höchstens {number} Angaben je Person.",
  "For up to 500 answer options. The result then has the share of people who choose both of two answers, and which two are chosen together more or less often than by chance. All shares become less precise: the forecast says by how much.":
    "Für bis zu 500 Antwortmöglichkeiten. Das Ergebnis nennt dann, wie viele Personen je zwei Antworten beide wählen und welche häufiger oder seltener zusammen gewählt werden als durch Zufall. Alle Anteile werden ungenauer: Die Vorhersage sagt, um wie viel.",
  "invitations are links, and there is no address yet that other people can open: ask those who look after the server to make it reachable by https, and to set its address as public_url":
    "Einladungen sind Links, und es gibt noch keine Adresse, die andere Personen öffnen können: Bitten Sie die Personen, die den Server betreuen, ihn über https erreichbar zu machen und seine Adresse als public_url einzustellen",
  "If fewer than {batch} responses arrive, they are deleted unread, and there is no result.":
    "Kommen weniger als {batch} Antworten an, werden sie ungelesen gelöscht, und es gibt kein Ergebnis.",
  "It stands in your list of surveys and above reports. Every survey needs a name of its own.":
    "Er steht in Ihrer Liste der Umfragen und über Berichten. Jede Umfrage braucht einen eigenen Namen.",
  "No: {seen}": "Nein: {seen}",
  "That survey stays open until you close it, and its links do not lead to the copy.":
    "Jene Umfrage bleibt offen, bis Sie sie schließen, und ihre Links führen nicht zur Kopie.",
  "Check the spelling once more:": "Prüfen Sie noch einmal die Rechtschreibung:",
  Forecast: "Vorhersage",
  "Free text: find unknown answers": "Freier Text: unbekannte Antworten finden",
  "French, with é, è, ç and others": "Französisch, mit é, è, ç und anderen",
  "From 2 to 16, of which everybody gives one. Add “no answer” if people may pass.":
    "2 bis 16 Antworten, von denen jede Person eine wählt. Fügen Sie „keine Angabe“ hinzu, wenn man diese Frage auslassen darf.",
  "From 2 to 16, the lowest and the highest value included.":
    "Von 2 bis 16, der niedrigste und der höchste Wert mitgezählt.",
  "German, with ä, ö, ü and ß": "Deutsch, mit ä, ö, ü und ß",
  "Go on with a draft": "Mit einem Entwurf weitermachen",
  "Groups (optional)": "Gruppen (freiwillig)",
  "Headache\nNausea\nTiredness\nFever": "Kopfschmerzen\nÜbelkeit\nMüdigkeit\nFieber",
  "Highest value": "Höchster Wert",
  "Highest value means": "Der höchste Wert bedeutet",
  "How many answers a person chooses on average": "Wie viele Antworten eine Person im Schnitt wählt",
  "How many answers one person may choose": "Wie viele Antworten eine Person wählen darf",
  "How many will answer, which is usually fewer than you ask. A guess is enough, better too low than too high: the forecast depends on it.":
    "Wie viele antworten werden; das sind meist weniger, als Sie fragen. Eine Schätzung genügt, lieber zu niedrig: Die Vorhersage hängt davon ab.",
  "How old are you?": "Wie alt sind Sie?",
  "How people take part": "Wie man teilnimmt",
  "How well answers are hidden": "Wie gut Antworten verborgen sind",
  "How well answers are hidden from you, if the mixer follows the protocol and enough responses are honest":
    "Wie gut Antworten vor Ihnen verborgen sind, wenn der Mixer sich an das Protokoll hält und genug Antworten ehrlich sind",
  "A response stands for a limited number of answers, which the last step says. If someone ticks more, some of them are picked at random and count.":
    "Von einer Person zählt nur eine begrenzte Zahl von Antworten, die im letzten Schritt steht. Kreuzt jemand mehr an, werden einige davon zufällig ausgewählt und gezählt.",
  "If you can change nothing of it, better do not ask: it would cost people's privacy, and the result would probably show nothing.":
    "Wenn sich nichts davon ändern lässt, fragen Sie besser nicht: Es würde Datenschutz kosten, und das Ergebnis würde wahrscheinlich nichts zeigen.",
  "If you send responses from an app of your own, it has to keep people to this limit, too.":
    "Wenn Sie Antworten aus einer eigenen App senden, muss auch diese die Höchstzahl einhalten.",
  "If {share} of people choose an answer, expect the result to say: between about {low} and {high} %, or a wider range.":
    "Wählen {share} der Personen eine Antwort, nennt das Ergebnis dafür etwa {low} bis {high} % oder einen breiteren Bereich.",
  "In equal steps: the result then has the share of each level, medians, and how far values spread.":
    "In gleichen Schritten: Das Ergebnis hat dann den Anteil jeder Stufe, Mediane und wie weit Werte streuen.",
  "Including those who choose none. A guess is enough: it shapes the forecast and how many answers of a person count; the privacy level stays.":
    "Einschließlich derer, die nichts wählen. Eine Schätzung genügt: Sie bestimmt die Vorhersage und wie viele Antworten einer Person zählen; die Datenschutzstufe bleibt gleich.",
  Invitations: "Einladungen",
  "It has all that the form says, the batch, the claim, and the public key that responses are sealed for. Nothing in it is secret.":
    "Sie enthält alles aus dem Formular, das Bündel, die Zusage und den öffentlichen Schlüssel, für den Antworten versiegelt werden. Nichts darin ist geheim.",
  "It holds sealed responses, which it cannot read, and hands them over together, in an order that says nothing. The same privacy towards you then shows answers that are many times as rare, as long as that party follows the protocol and enough responses are honest.":
    "Er hält versiegelte Antworten, die er nicht lesen kann, und gibt sie zusammen weiter, in einer Reihenfolge, die nichts verrät. Derselbe Datenschutz gegenüber Ihnen zeigt dann um ein Vielfaches seltenere Antworten, solange der Betreiber sich an das Protokoll hält und genug Antworten ehrlich sind.",
  "Italian, with à, è, ù and others": "Italienisch, mit à, è, ù und anderen",
  "Its answers, one per line": "Die Antworten darauf, eine je Zeile",
  "Its average rating will come with a range of about ±{range}, or a wider one.":
    "Für die durchschnittliche Bewertung ist ein Bereich von etwa ±{range} zu erwarten, oder ein breiterer.",
  "Its average rating will be no better than a guess.":
    "Die durchschnittliche Bewertung wird nicht genauer sein als geraten.",
  "Its name": "Name dieser Antwortmöglichkeit",
  "Keep it": "Behalten",
  "Language of your texts": "Sprache Ihrer Texte",
  Languages: "Sprachen",
  "Languages of your texts": "Sprachen Ihrer Texte",
  "Last day": "Letzter Tag",
  "Leave empty for no end.": "Leer lassen für kein Ende.",
  "Leave it empty for one per letter. Fewer groups find rarer answers and take longer to compute.":
    "Leer lassen für eine je Buchstabe. Weniger Gruppen finden seltenere Antworten, und das Berechnen dauert länger.",
  "Leave out {language}": "{language} entfernen",
  "Letters that answers may have": "Buchstaben, die Antworten haben dürfen",
  "Letters that are found": "So viele Buchstaben werden gefunden",
  "Level as a number": "Stufe als Zahl",
  Levels: "Stufen",
  Light: "Leicht",
  "Lowest value": "Niedrigster Wert",
  "Lowest value means": "Der niedrigste Wert bedeutet",
  "Make the file for the mixer": "Datei für den Mixer erstellen",
  "Making the survey …": "Die Umfrage wird erstellt …",
  "Monday\nWednesday\nSaturday": "Montag\nMittwoch\nSamstag",
  "More options": "Weitere Möglichkeiten",
  "More people.": "Mehr Personen.",
  "More people: with about {people} in every round, there are enough.":
    "Mehr Personen: Mit etwa {people} in jeder Runde sind es genug.",
  "More people: with about {people}, there are enough.": "Mehr Personen: Mit etwa {people} sind es genug.",
  "At most {answers} of a person count; of more, some are picked at random.":
    "Von einer Person zählen höchstens {answers}; von mehr werden einige zufällig ausgewählt.",
  "The noise that protects people hides what only a few choose: {link}":
    "Das Rauschen, das Personen schützt, verdeckt, was nur wenige wählen: {link}",
  "How many people are enough?": "Wie viele Personen sind genug?",
  "Twice as many people, {people} in every round.": "Doppelt so viele Personen, {people} in jeder Runde.",
  "Twice as many people, {people}.": "Doppelt so viele Personen, {people}.",
  "Mould\nLoud neighbours\nLift out of order\nHeating too cold":
    "Schimmel\nLaute Nachbarn\nAufzug defekt\nHeizung zu kalt",
  Name: "Name",
  "Name of your organisation": "Name Ihrer Organisation",
  "New survey": "Neue Umfrage",
  Next: "Weiter",
  No: "Nein",
  "No groups": "Keine Gruppen",
  "No groups to compare.": "Kein Vergleich von Gruppen.",
  "No ratings: people only choose.": "Keine Bewertungen: Personen wählen nur.",
  "Not asking what is chosen together.": "Nicht fragen, was zusammen gewählt wird.",
  "Not saved: {reason}": "Nicht gespeichert: {reason}",
  "Not taken over: {list}.": "Nicht übernommen: {list}.",
  "Number of invitations": "Zahl der Einladungen",
  "Number of levels": "Zahl der Stufen",
  "One choice": "Eine Antwort wählen",
  "One choice per person, and no ratings.": "Nur eine Antwort je Person und keine Bewertungen.",
  "One choice per person.": "Nur eine Antwort je Person.",
  "One link per person you ask, which may be more than will answer. They are shown once, after the survey is published.":
    "Ein Link für jede Person, die Sie fragen; das können mehr sein, als antworten werden. Die Links werden nur einmal gezeigt, wenn die Umfrage veröffentlicht ist.",
  "One of them counts. If someone gives more, it is chosen at random.":
    "Eine davon zählt. Nennt jemand mehr, entscheidet der Zufall, welche zählt.",
  "One per line, in the order of yours.": "Eine je Zeile, in Ihrer Reihenfolge.",
  "Only for harmless questions, such as dates or favourite courses. It needs the fewest people.":
    "Nur für harmlose Fragen, etwa nach Terminen oder Lieblingskursen. Braucht die wenigsten Personen.",
  "Only if the question allows it, a lighter privacy level.":
    "Nur wenn die Frage es zulässt: eine leichtere Datenschutzstufe.",
  "Only if the question allows it, a lighter privacy level: {level}.":
    "Nur wenn die Frage es zulässt, eine leichtere Datenschutzstufe: {level}.",
  "Open the page of the survey": "Zur Seite der Umfrage",
  Others: "Andere",
  "Participants read it above its answers, and results are named after it.":
    "Teilnehmende lesen sie über den Antworten, und die Ergebnisse sind nach ihr benannt.",
  "Participants read the language of their browser, if it is here. What you leave empty they read in the language of your texts.":
    "Teilnehmende lesen die Sprache ihres Browsers, wenn es sie hier gibt. Was Sie leer lassen, lesen sie in der Sprache Ihrer Texte.",
  "Participants read this name; it is the one that the mixer gives itself.":
    "Teilnehmende lesen diesen Namen; es ist der, den sich der Mixer selbst gibt.",
  "Participants read who asks. Without a name they read the address “{host}”.":
    "Teilnehmende lesen, wer fragt. Ohne Namen lesen sie die Adresse „{host}“.",
  People: "Personen",
  "People also rate what they ticked, from 1 to 5. You learn average ratings, too. It takes a thousand people or more.":
    "Personen bewerten auch, was sie angekreuzt haben, von 1 bis 5. Sie erfahren auch durchschnittliche Bewertungen. Dafür braucht es tausend Personen oder mehr.",
  "People are asked": "Gefragt wird",
  "People choose": "Personen wählen",
  "People choose and rate": "Personen wählen und bewerten",
  "People expected": "Erwartete Personen",
  "People tick their symptoms and say how severe each is, from 1 (mild) to 3 (severe). It takes ten thousand people or more.":
    "Personen kreuzen ihre Symptome an und sagen, wie stark jedes ist, von 1 (leicht) bis 3 (stark). Dafür braucht es zehntausend Personen oder mehr.",
  "People tick what applies to them. You learn how many that is, for each answer.":
    "Personen kreuzen an, was auf sie zutrifft. Sie erfahren für jede Antwort, wie viele das sind.",
  "People who choose any answer, in % (optional)": "Personen, die überhaupt eine Antwort wählen, in % (freiwillig)",
  "People who took part there give up more of their privacy here.":
    "Wer dort teilgenommen hat, gibt hier mehr von seinem Datenschutz her.",
  "People without any make every answer rarer. If you leave it empty, the forecast says what it assumes.":
    "Personen ohne Antwort machen jede Antwort seltener. Lassen Sie das leer, sagt die Vorhersage, was sie annimmt.",
  "People write short answers. You learn which ones are frequent, and how frequent. It takes ten thousand people or more.":
    "Personen schreiben kurze Antworten. Sie erfahren, welche häufig sind und wie häufig. Dafür braucht es zehntausend Personen oder mehr.",
  Preview: "Vorschau",
  Privacy: "Datenschutz",
  "Privacy level": "Datenschutzstufe",
  "Problems at home, autumn": "Probleme im Haus, Herbst",
  "Publish the survey": "Umfrage veröffentlichen",
  "Publish the survey now": "Umfrage jetzt veröffentlichen",
  "Publish “{name}”?": "„{name}“ veröffentlichen?",
  Question: "Frage",
  "Questions, answers, languages, privacy level and the last day can't be changed after this. “Duplicate and change” makes a new survey of it.":
    "Fragen, Antworten, Sprachen, Datenschutzstufe und letzter Tag lassen sich danach nicht mehr ändern. Mit „Kopieren und ändern“ machen Sie daraus eine neue Umfrage.",
  "Recipient's token": "Token des Empfängers",
  "Responses are taken until the end of this day (world time, UTC). Leave it empty for no end.":
    "Antworten werden bis zum Ende dieses Tages angenommen (Weltzeit, UTC). Leer lassen für kein Ende.",
  "Responses are taken until the end of this day (world time, UTC). On the next day they leave the mixer together.":
    "Antworten werden bis zum Ende dieses Tages angenommen (Weltzeit, UTC). Am nächsten Tag verlassen sie zusammen den Mixer.",
  "Round 1 opens on": "Runde 1 beginnt am",
  "Rounds (optional)": "Runden (freiwillig)",
  "Running\nYoga\nSwimming\nFootball": "Laufen\nYoga\nSchwimmen\nFußball",
  "Save draft": "Entwurf speichern",
  "Save the name": "Namen speichern",
  Saved: "Gespeichert",
  "Saving …": "Wird gespeichert …",
  Scale: "Skala",
  "Send the file of the survey to {operator}": "Senden Sie die Datei der Umfrage an {operator}",
  "Separated by commas.": "Mit Kommas getrennt.",
  "So many letters of an answer are found, longer answers are cut. Fewer letters find rarer answers.":
    "So viele Buchstaben einer Antwort werden gefunden, längere werden abgeschnitten. Weniger Buchstaben finden seltenere Antworten.",
  "Some may be longer: complete them if you can.": "Manche sind vielleicht länger: ergänzen Sie sie, wenn Sie können.",
  "Spanish, with ñ, á, é and others": "Spanisch, mit ñ, á, é und anderen",
  Steps: "Schritte",
  Strong: "Stark",
  "Such as age or region. The result then also tells what holds within each group, and which answers are chosen more often in one group than in another; average ratings are not compared. All of it becomes less precise, the more groups the less: the forecast says by how much. If you know everybody’s group anyway, such as the building, make a survey for each group instead: that takes fewer people.":
    "Etwa Alter oder Region. Das Ergebnis sagt dann auch, was in jeder Gruppe gilt und welche Antworten in einer Gruppe öfter gewählt werden als in einer anderen; durchschnittliche Bewertungen werden nicht verglichen. Je mehr Gruppen, desto ungenauer wird alles: Die Vorhersage sagt, um wie viel. Wissen Sie ohnehin von allen die Gruppe, etwa das Haus, machen Sie stattdessen für jede Gruppe eine Umfrage: Das braucht weniger Personen.",
  "Such as stars or minutes.": "Etwa Sterne oder Minuten.",
  "Such as: adults who live in Berlin.": "Zum Beispiel: Erwachsene, die in Berlin wohnen.",
  "Survey without a name": "Umfrage ohne Namen",
  "Symptoms with severity": "Symptome und ihre Stärke",
  "Symptoms, this week": "Symptome, diese Woche",
  "Telling of a rating only whether it is low or high (under “Another scale”).":
    "Von einer Bewertung nur angeben, ob sie niedrig oder hoch ist (unter „Andere Skala“).",
  "The curves are for an answer that {share} of people choose, a typical one of the most frequent.":
    "Die Kurven gelten für eine Antwort, die {share} der Personen wählen, eine typische der häufigsten.",
  "The draft cannot be opened. {reason}": "Der Entwurf lässt sich nicht öffnen. {reason}",
  "The file for the mixer is made.": "Die Datei für den Mixer ist erstellt.",
  "The forecast appears here.": "Hier erscheint die Vorhersage.",
  "The forecast says:": "Die Vorhersage sagt:",
  "The forecast says how many count.": "Wie viele zählen, sagt die Vorhersage.",
  "The middle means": "Die Mitte bedeutet",
  "The mixer shows it once, when the survey is accepted. With it this collector fetches the responses; it is kept beside the private key.":
    "Der Mixer zeigt es einmal, wenn die Umfrage angenommen wird. Damit holt dieser Server die Antworten ab; es wird beim privaten Schlüssel aufbewahrt.",
  "The mixer's side makes and sends the invitations. If you make or forward them, you could fill the batch with responses of your own.":
    "Die Seite des Mixers erstellt und versendet die Einladungen. Täten Sie es, könnten Sie das Bündel mit eigenen Antworten füllen.",
  "The most that any person chooses, if you know it.": "Wie viele eine Person höchstens wählt, wenn Sie es wissen.",
  "The name is saved.": "Der Name ist gespeichert.",
  "The page of participants offers the levels as buttons; an app has to do the same.":
    "Die Seite für Teilnehmende bietet die Stufen als Knöpfe an; eine App muss dasselbe tun.",
  "The private key is the file {file} in this collector's folder of keys, and nowhere else. Without it no response can be opened: keep a copy in a place of its own until the responses are in.":
    "Der private Schlüssel ist die Datei {file} im Schlüsselordner dieses Servers und sonst nirgends. Ohne sie lässt sich keine Antwort öffnen: Bewahren Sie eine Kopie an einem eigenen Ort auf, bis die Antworten da sind.",
  "The question about groups": "Die Frage nach der Gruppe",
  "Yes: {seen} The privacy level holds towards you if the mixer follows the protocol and at least {honest} responses are honest.":
    "Ja: {seen} Die Datenschutzstufe gilt Ihnen gegenüber, wenn der Mixer sich an das Verfahren hält und mindestens {honest} Antworten ehrlich sind.",
  "with {people} people, an answer is mostly found if at least {share} of them write it.":
    "Bei {people} Personen wird eine Antwort meist gefunden, wenn mindestens {share} von ihnen sie schreiben.",
  "with {people} people, an answer mostly stands out if at least {share} of them choose it.":
    "Bei {people} Personen hebt sich eine Antwort meist ab, wenn mindestens {share} von ihnen sie wählen.",
  "with {people} people, not even an answer that all choose is sure to stand out.":
    "Bei {people} Personen hebt sich nicht einmal eine Antwort, die alle wählen, sicher ab.",
  "with {people} people, not even an answer that all write is sure to be found.":
    "Bei {people} Personen wird nicht einmal eine Antwort, die alle schreiben, sicher gefunden.",
  "“{first}” and “{name}” are two different options. Is that meant?":
    "„{first}“ und „{name}“ sind zwei verschiedene Antwortmöglichkeiten. Ist das so gemeint?",
  "The result says how many people gave more.": "Das Ergebnis sagt, wie viele Personen mehr gewählt haben.",
  "The same, with steps of any size. The page of participants offers these values as buttons.":
    "Dasselbe mit beliebig großen Schritten. Die Seite für Teilnehmende bietet diese Werte als Knöpfe an.",
  "The survey cannot be copied. {reason}": "Die Umfrage lässt sich nicht kopieren. {reason}",
  "The survey is published.": "Die Umfrage ist veröffentlicht.",
  "The survey's page does not ask for them.": "Die Seite der Umfrage fragt nicht danach.",
  "The survey's page takes one answer per person.": "Die Seite der Umfrage nimmt eine Antwort je Person an.",
  "The survey's page tells people how many they may choose, and takes no more.":
    "Die Seite der Umfrage sagt, wie viele man wählen darf, und nimmt nicht mehr an.",
  "The result tells it, too.": "Auch das sagt das Ergebnis.",
  "Then an answer stands out if at least {share} of people choose it.":
    "Dann hebt sich eine Antwort ab, wenn mindestens {share} der Personen sie wählen.",
  "Then: enough people.": "Dann: genug Personen.",
  "Then: enough people for frequent answers, of which each stands out that at least {share} choose.":
    "Dann: genug Personen für häufige Antworten; jede hebt sich ab, die mindestens {share} wählen.",
  "There is no forecast yet.": "Es gibt noch keine Vorhersage.",
  "These characters": "Diese Zeichen",
  "They also rate what they chose, such as with stars or minutes. The result has average ratings, too; shares of the same precision usually take about twice as many people.":
    "Sie bewerten auch, was sie gewählt haben, etwa mit Sternen oder Minuten. Das Ergebnis hat auch durchschnittliche Bewertungen; gleich genaue Anteile brauchen meist etwa doppelt so viele Personen.",
  "They tick what applies to them. The result says how many people that is, for each.":
    "Sie kreuzen an, was auf sie zutrifft. Das Ergebnis sagt, wie viele Personen das sind, für jede Antwort.",
  "This browser cannot keep the file: leave this page open until the survey is published.":
    "Dieser Browser kann die Datei nicht behalten: Lassen Sie diese Seite offen, bis die Umfrage veröffentlicht ist.",
  "This browser keeps the file until the survey is published.":
    "Dieser Browser behält die Datei, bis die Umfrage veröffentlicht ist.",
  "This is for answers of {letters} letters; shorter ones are found at lower shares.":
    "Das gilt für Antworten aus {letters} Buchstaben; kürzere werden bei kleineren Anteilen gefunden.",
  "This is for one round, in which about {some} of the {people} people answer. The noise of the last {panels} rounds pooled is {times} times smaller.":
    "Das gilt für eine Runde, in der etwa {some} der {people} Personen antworten. Über die letzten {panels} Runden zusammen ist das Rauschen {times}-mal kleiner.",
  "This is for one round: all {people} people answer in every round.":
    "Das gilt für eine Runde: Alle {people} Personen antworten in jeder Runde.",
  "This is weak protection.": "Das ist ein schwacher Schutz.",
  Time: "Zeit",
  "To one of the two at random, which keeps averages unbiased; medians are interpolated.":
    "Auf eine der beiden, zufällig: So bleiben Durchschnitte unverzerrt; Mediane werden interpoliert.",
  "Too few people": "Zu wenige Personen",
  "World time (UTC).": "Weltzeit (UTC).",
  "World time (UTC). Leave it empty to start at once.": "Weltzeit (UTC). Leer lassen, um sofort zu beginnen.",
  "Unit of the values": "Einheit der Werte",
  "Values, from the lowest to the highest": "Werte, vom niedrigsten bis zum höchsten",
  "What do you ask?": "Was fragen Sie?",
  "What do you miss most in your town?": "Was fehlt Ihnen in Ihrer Stadt am meisten?",
  "What is missing": "Was fehlt",
  "What matters": "Worauf es ankommt",
  "What participants have to agree to before they send anything.":
    "Worin Teilnehmende einwilligen müssen, bevor sie etwas senden.",
  "What participants read first. Without a question they read the name.":
    "Was Teilnehmende zuerst lesen. Ohne Frage lesen sie den Namen.",
  "What people do": "Was Personen tun",
  "What should people do? You can change everything until you publish, and nothing is public yet.":
    "Was sollen die Personen tun? Bis zur Veröffentlichung können Sie alles ändern, und noch ist nichts öffentlich.",
  "What they are stays with people. The result shows apart how many have something that your list misses.":
    "Was es ist, bleibt bei den Personen. Das Ergebnis zeigt getrennt, wie viele etwas haben, das in Ihrer Liste fehlt.",
  "What to expect": "Was zu erwarten ist",
  "What would help": "Was helfen würde",
  "Which answers?": "Welche Antworten?",
  "Which day suits you best for our meeting?": "Welcher Tag passt Ihnen am besten für unser Treffen?",
  "Which of our courses do you know, and how do you like them?":
    "Welche unserer Kurse kennen Sie, und wie gefallen sie Ihnen?",
  "Which of these problems do you have at home?": "Welche dieser Probleme haben Sie in Ihrer Wohnung?",
  "Which of these symptoms did you have this week, and how severe were they?":
    "Welche dieser Symptome hatten Sie diese Woche, und wie stark waren sie?",
  "Who asks, and what for.": "Wer fragt, und wozu.",
  "Who may take part": "Wer teilnehmen darf",
  "Who runs it": "Wer ihn betreibt",
  "Who takes part, how long?": "Wer nimmt teil, wie lange?",
  "Whom participants may ask: an address, or a name.": "Wen Teilnehmende fragen können: eine Adresse oder ein Name.",
  "Within a group of {people} of people, an answer stands out if at least {share} of them choose it. The fewer groups, the better.":
    "In einer Gruppe mit {people} der Personen hebt sich eine Antwort ab, wenn mindestens {share} von ihnen sie wählen. Je weniger Gruppen, desto besser.",
  "If the shares of two such groups, one of them {typical}, are less than about {points} percentage points apart, that mostly stays hidden; so may larger differences, since people may choose more than a response stands for.":
    "Liegen die Anteile zweier solcher Gruppen, einer davon {typical}, weniger als etwa {points} Prozentpunkte auseinander, bleibt das meist verborgen; auch größere Unterschiede vielleicht, da Personen mehr wählen können, als eine Antwort nennt.",
  "If the shares of two such groups, one of them {typical}, are about {points} percentage points apart, that is found in four of five such surveys; smaller differences often stay hidden.":
    "Liegen die Anteile zweier solcher Gruppen, einer davon {typical}, etwa {points} Prozentpunkte auseinander, wird das in vier von fünf solchen Umfragen gefunden; kleinere Unterschiede bleiben oft verborgen.",
  "If {typical} of one such group choose an answer, no difference to another group is sure to be found.":
    "Wählen {typical} einer solchen Gruppe eine Antwort, wird kein Unterschied zu einer anderen Gruppe sicher gefunden.",
  "Within a group of {people} of people, not even an answer that all of them choose is sure to stand out.":
    "In einer Gruppe mit {people} der Personen hebt sich nicht einmal eine Antwort sicher ab, die alle von ihnen wählen.",
  "With another ε": "Mit einem anderen ε",
  "With more or fewer people": "Mit mehr oder weniger Personen",
  "With {count} levels you see how many people give each of them. In return shares of people, and often averages, become less precise than with two, the more levels the less: the forecast says by how much.":
    "Mit {count} Stufen sehen Sie, wie viele Personen jede davon angeben. Dafür werden Anteile und oft auch Durchschnitte ungenauer als mit zweien, und zwar umso mehr, je mehr Stufen es sind: Die Vorhersage sagt, um wie viel.",
  "With {people} people no answer is sure to be found. Try fewer letters, or more people.":
    "Mit {people} Personen wird keine Antwort sicher gefunden. Versuchen Sie es mit weniger Buchstaben oder mehr Personen.",
  "With {people} people, expect to find an answer that at least {share} of people write: in four of five such surveys it is found.":
    "Mit {people} Personen finden Sie voraussichtlich eine Antwort, die mindestens {share} der Personen schreiben: In vier von fünf solchen Umfragen wird sie gefunden.",
  "With {people} people, an answer stands out from the random noise if at least {share} of people choose it (in four of five such surveys, or more).":
    "Mit {people} Personen hebt sich eine Antwort vom zufälligen Rauschen ab, wenn mindestens {share} der Personen sie wählen (in vier von fünf solchen Umfragen oder mehr).",
  "With {people} people, not even an answer that all choose is sure to stand out from the random noise.":
    "Mit {people} Personen hebt sich nicht einmal eine Antwort, die alle wählen, sicher vom zufälligen Rauschen ab.",
  Yes: "Ja",
  "You can publish if that is enough for you: rarer answers will often be missed.":
    "Sie können veröffentlichen, wenn Ihnen das genügt: Seltenere Antworten werden oft nicht gefunden.",
  "You can publish if that is enough for you: of answers that fewer people choose, the result will hardly tell anything.":
    "Sie können veröffentlichen, wenn Ihnen das genügt: Über Antworten, die weniger Personen wählen, wird das Ergebnis kaum etwas sagen.",
  "You can publish: frequent answers will stand out, rarer ones probably not.":
    "Sie können veröffentlichen: Häufige Antworten werden sich abheben, seltenere wahrscheinlich nicht.",
  "You can publish: the answers stand out. How many people give each rating stays imprecise.":
    "Sie können veröffentlichen: Die Antworten heben sich ab. Wie viele Personen welche Bewertung geben, bleibt ungenau.",
  "a to z, numbers and signs": "a bis z, Ziffern und Zeichen",
  "again in every round": "in jeder Runde wieder",
  "all others": "alle anderen",
  "any text": "beliebiger Text",
  "are not taken": "werden nicht angenommen",
  "as the mixer decides": "wie der Mixer entscheidet",
  "and {rest} more": "und {rest} weitere",
  "ask for the group": "fragen Sie nach der Gruppe",
  "at most {number}": "höchstens {number}",
  "changed on {day}": "geändert am {day}",
  "choose a number": "wählen Sie eine Zahl",
  "compare groups, or learn what is chosen together: one survey cannot do both":
    "vergleichen Sie Gruppen, oder erfahren Sie, was zusammen gewählt wird: Eine Umfrage kann nicht beides",
  "computing …": "wird berechnet …",
  "count as one more answer": "zählen als eine weitere Antwort",
  "enter the token that the mixer's operator gave you":
    "geben Sie das Token ein, das Sie vom Betreiber des Mixers haben",
  "from {first} on, in rounds of {days} days, without an end": "ab {first}, in Runden von {days} Tagen, ohne Ende",
  "from {first} on, in {number} rounds of {days} days": "ab {first}, in {number} Runden von {days} Tagen",
  "from {first} on, without an end": "ab {first}, ohne Ende",
  "from {first} until the end of {last} (world time, UTC)": "vom {first} bis einschließlich {last} (Weltzeit, UTC)",
  "give the answer for all others a name": "geben Sie der Antwort für alle anderen einen Namen",
  "give the survey a name": "geben Sie der Umfrage einen Namen",
  fair: "mittelmäßig",
  great: "großartig",
  "how many answers people typically choose": "wie viele Antworten Personen üblicherweise wählen",
  "how many choose an answer": "wie viele eine Antwort wählen",
  "how many people you expect": "wie viele Personen Sie erwarten",
  "how many, and how they rate": "wie viele und wie sie bewerten",
  "is not taken": "wird nicht angenommen",
  "is rounded": "wird gerundet",
  "leave out the answer for all that are not listed: it has no partners":
    "entfernen Sie die Antwortmöglichkeit für alle anderen: Mit ihr zusammen wird nichts gewählt",
  "list 2 to 16 answers, not {number}": "nennen Sie 2 bis 16 Antworten, nicht {number}",
  "list the answers": "nennen Sie die Antworten",
  "low or high": "niedrig oder hoch",
  "low or high; people choose from the whole scale, and the result has their average":
    "niedrig oder hoch; gewählt wird auf der ganzen Skala, und das Ergebnis hat den Durchschnitt",
  mild: "leicht",
  moderate: "mittel",
  "three steps (1 to 3)": "drei Stufen (1 bis 3)",
  "name the address of the mixer": "nennen Sie die Adresse des Mixers",
  "name the characters that answers consist of": "nennen Sie die Zeichen, aus denen Antworten bestehen",
  "name the first day": "nennen Sie den ersten Tag",
  "name the highest value": "nennen Sie den höchsten Wert",
  "name the last day: on the next one the responses leave the mixer":
    "nennen Sie den letzten Tag: Am nächsten verlassen die Antworten den Mixer",
  "name the lowest value": "nennen Sie den niedrigsten Wert",
  "name the party that runs the mixer": "nennen Sie, wer den Mixer betreibt",
  "name the values, such as 1, 2, 3": "nennen Sie die Werte, etwa 1, 2, 3",
  "nothing more": "nichts weiter",
  once: "einmal",
  one: "eine",
  "one of {number} levels": "eine von {number} Stufen",
  "one of several levels": "eine von mehreren Stufen",
  "one of the values that you name": "einen der Werte, die Sie nennen",
  other: "andere",
  "people who make one choice have nothing together": "wer nur eine Antwort wählen darf, wählt nichts zusammen",
  poor: "schlecht",
  "say how long a round is": "geben Sie an, wie lang eine Runde ist",
  "say how many answers a person may choose": "geben Sie an, wie viele Antworten eine Person wählen darf",
  "say how many answers a response stands for": "geben Sie an, für wie viele Texte eine Antwort steht",
  "say how many answers people typically choose": "geben Sie an, wie viele Antworten Personen üblicherweise wählen",
  "say how many invitations you need; more can be made later":
    "geben Sie an, wie viele Einladungen Sie brauchen; weitere sind später möglich",
  "say how many letters are to be found": "geben Sie an, wie viele Buchstaben gefunden werden sollen",
  "say how many levels there are": "geben Sie an, wie viele Stufen es gibt",
  "say over how many rounds devices take turns": "geben Sie an, über wie viele Runden sich Geräte abwechseln",
  "say how many people you expect": "geben Sie an, wie viele Personen Sie erwarten",
  severe: "stark",
  stars: "Sterne",
  "the average rating": "die durchschnittliche Bewertung",
  "the collector draws the random function of each response": "der Server zieht die zufällige Funktion jeder Antwort",
  "the first day of round 1, which is past ({day})": "der erste Tag von Runde 1, der vorbei ist ({day})",
  "the last day, which is past ({day})": "der letzte Tag, der vorbei ist ({day})",
  "lines: {given}; answer options: {number}": "Zeilen: {given}; Antwortmöglichkeiten: {number}",
  "lines: {given}; answers about groups: {number}": "Zeilen: {given}; Antworten zur Gruppe: {number}",
  "there are {number} answer options, of at most 500": "es sind {number} Antwortmöglichkeiten, von höchstens 500",
  "there must be at least two answer options": "es muss mindestens zwei Antwortmöglichkeiten geben",
  "under 30\n30 to 60\nover 60": "unter 30\n30 bis 60\nüber 60",
  "unknown: people write them": "unbekannt: Personen schreiben sie",
  "until the end of {last} (world time, UTC)": "bis einschließlich {last} (Weltzeit, UTC)",
  "without an end": "ohne Ende",
  "your texts are in this language already": "Ihre Texte sind schon in dieser Sprache",
  "{language} (texts still missing: {texts})": "{language} (noch fehlende Texte: {texts})",
  "{least} to {most}; in the middle “{middle}”": "{least} bis {most}; in der Mitte „{middle}“",
  "{level} (the usual choice)": "{level} (die übliche Wahl)",
  "{name} (copy)": "{name} (Kopie)",
  "{name}: answers found": "{name}: gefundene Antworten",
  "{number} answer options instead of {all}, if people choose as many of them as before.":
    "{number} Antwortmöglichkeiten statt {all}, wenn die Personen davon so viele wählen wie zuvor.",
  "{operator} computes the claim again, accepts the survey with this command, and gives you the token that it prints:":
    "{operator} berechnet die Zusage noch einmal, nimmt die Umfrage mit diesem Befehl an und gibt Ihnen das Token, das er ausgibt:",
  "“{name}” goes to its mixer first": "„{name}“ geht zuerst an den Mixer",
  "“{name}” is published": "„{name}“ ist veröffentlicht",
};
