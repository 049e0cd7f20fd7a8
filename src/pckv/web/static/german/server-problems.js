// German of problems: what a form, a page or a link is told when a request is refused, by the English templates.
export default {
  // Titles.
  "There is a mistake in what was sent.": "In dem, was gesendet wurde, ist ein Fehler.",
  "this was given up, or something newer was asked for meanwhile":
    "dies wurde aufgegeben, oder inzwischen wurde Neueres angefragt",
  "A valid token is needed.": "Ein gültiges Token ist nötig.",
  "The task does not take reports yet.": "Die Umfrage nimmt noch keine Antworten an.",
  "The task takes no more reports.": "Die Umfrage nimmt keine Antworten mehr an.",
  "The task has no such invitation.": "Zu dieser Umfrage gibt es diese Einladung nicht.",
  "The invitation was used before.": "Die Einladung wurde schon verwendet.",
  "The reports of this task go to its mixer.": "Die Antworten dieser Umfrage gehen an ihren Mixer.",
  "This token does not allow it.": "Dieses Token erlaubt das nicht.",
  "There is no such task or page here.": "Diese Umfrage oder Seite gibt es hier nicht.",
  "There is no such method here.": "Diese Methode gibt es hier nicht.",
  "None of the accepted forms can be given.": "Keines der gewünschten Formate ist verfügbar.",
  "The request took too long to arrive.": "Die Anfrage hat zu lange gebraucht.",
  "The mixer or the private key of this task is not ready.":
    "Der Mixer oder der private Schlüssel dieser Umfrage ist nicht bereit.",
  "The task was deleted.": "Die Umfrage wurde gelöscht.",
  "The request is too large.": "Die Anfrage ist zu groß.",
  "The media type or content encoding is not taken.": "Dieser Medientyp oder diese Kodierung wird nicht angenommen.",
  "Too many requests.": "Zu viele Anfragen.",
  "This service cannot take this now.": "Der Server kann das gerade nicht annehmen.",
  "The collector cannot be reached.": "Der Server ist nicht erreichbar.",
  "The collector answered {}.": "Der Server antwortete mit {1}.",

  // Details.
  "the store does not answer": "der Speicher antwortet nicht",
  "too many wrong tokens came from this address": "von dieser Adresse kamen zu viele falsche Token",
  "a request by cookie needs the header {}: {}": "eine Anfrage mit Cookie braucht die Kopfzeile {1:raw}: {2:raw}",
  "too many bytes are held for requests": "zu viele Anfragen warten",
  "a body has at most {} bytes here": "eine Anfrage hat hier höchstens {1} Bytes",
  "an unexpected error, which is in the log": "ein unerwarteter Fehler, der im Protokoll steht",
  "at most {} long computations per token run at once": "je Token laufen höchstens {1} lange Berechnungen zugleich",
  "computing this takes more than {} s: it goes on, so ask again later":
    "die Berechnung braucht mehr als {1} s: Sie läuft weiter, fragen Sie später noch einmal",
  "the script for charts cannot be made": "das Skript für Grafiken lässt sich nicht erstellen",
  "the results of this task are not public": "die Ergebnisse dieser Umfrage sind nicht öffentlich",
  "results of {} have no public page: the task lists no keys":
    "Ergebnisse ohne aufgeführte Antwortmöglichkeiten haben keine öffentliche Seite",
  "task {} is a discovery, which has no list of keys: /tasks/{}/discovery finds them":
    "{1:raw} sucht unbekannte Antworten und hat keine Antwortmöglichkeiten",
  "a request names at most {} keys": "eine Anfrage nennt höchstens {1} Antwortmöglichkeiten",
  "the body names the keys: leave keys out of the address":
    "die Anfrage nennt die Antwortmöglichkeiten: Lassen Sie sie in der Adresse weg",
  'the body must be {"keys": […]}, a list of texts': 'die Anfrage muss {"keys": […]} sein, eine Liste von Texten',
  "sort must be one of {}": "sort muss eines von {1:raw} sein",
  "sort cannot be combined with top, which sorts by frequency":
    "sort lässt sich nicht mit top verbinden, das nach Häufigkeit sortiert",
  "sort by mean needs values: the keys of this task have none":
    "nach Durchschnitt lässt sich nur mit Werten sortieren: Diese Umfrage hat keine",
  "this task does not ask which keys are held together": "diese Umfrage fragt nicht, was zusammen gewählt wird",
  "this task has no segment": "diese Umfrage hat keine Gruppen",
  "this task has no segment.": "diese Umfrage hat keine Gruppen.",
  "the first day, {}, is in the past: use force if that is meant": "der erste Tag, {1}, liegt in der Vergangenheit",
  "the series has no round {} here": "die wiederholte Umfrage hat hier keine Runde {1}",
  "no series has this id": "keine wiederholte Umfrage hat diese Kennung",
  "a round of a series takes no invitations": "eine Runde einer wiederholten Umfrage nimmt keine Einladungen an",
  "it opens on {}": "sie beginnt am {1}",
  "it is run by {}, {}, and decides who may take part and until when":
    "ihn betreibt {1:raw}, {2:raw}; er entscheidet, wer bis wann teilnehmen darf",
  "this is a round of the series {}, which adds its rounds automatically":
    "das ist eine Runde der wiederholten Umfrage {1:raw}, die ihre Runden selbst hinzufügt",
  "another series, {}, has the same name (case and spaces do not count): devices that answered it do not answer this one":
    "eine andere wiederholte Umfrage, {1:raw}, hat denselben Namen (Großschreibung und Leerzeichen zählen nicht): Geräte, die ihr geantwortet haben, antworten dieser nicht",
  "the series was closed on {}, and takes no more reports":
    "die wiederholte Umfrage endete am {1} und nimmt keine Antworten mehr an",
  "this task takes reports by invitation only": "diese Umfrage nimmt Antworten nur mit Einladung an",
  "the task was deleted, or its reports were, before its batch was in":
    "die Umfrage oder ihre Antworten wurden gelöscht, bevor ihr Bündel da war",
  "reports have come since: ask again without the snapshot":
    "inzwischen sind Antworten gekommen: Laden Sie die Ergebnisse neu",
  "These results are no longer kept.": "Diese Ergebnisse werden nicht mehr aufbewahrt.",

  // Drafts, the bin, names of surveys, and the organisation.
  "This name is taken.": "Dieser Name ist vergeben.",
  "Another survey has this name. Browsers and apps tell surveys apart by their names: people who have answered the other one could not answer this one. Please choose another name, for example with the year or the place; capital letters and spaces make no difference.":
    "Eine andere Umfrage hat diesen Namen. Browser und Apps unterscheiden Umfragen an ihrem Namen: Wer die andere beantwortet hat, könnte diese nicht beantworten. Bitte wählen Sie einen anderen Namen, etwa mit Jahr oder Ort; Großschreibung und Leerzeichen machen keinen Unterschied.",
  "The last day, {}, is over.": "Der letzte Tag, {1}, ist vorbei.",
  "The survey cannot be opened again.": "Die Umfrage lässt sich nicht wieder öffnen.",
  "The closing day of a survey that goes through a mixer is fixed.":
    "Der letzte Tag einer Umfrage über einen Mixer steht fest.",
  "A round of a repeated survey stays closed.": "Eine Runde einer wiederholten Umfrage bleibt geschlossen.",
  "Its closing day, {}, has come.": "Ihre Zeit ist seit dem {1} abgelaufen.",
  "The days of a survey that goes through a mixer are fixed.": "Die Tage einer Umfrage über einen Mixer stehen fest.",
  "Its last round is over.": "Ihre letzte Runde ist vorbei.",
  "Its reports were deleted on {}: only their counts are left.":
    "Ihre Antworten wurden am {1} gelöscht: Nur ihre Zählungen sind noch da.",
  "It was closed on {}, which could be undone until {}.":
    "Sie wurde am {1} geschlossen, was sich bis {2} rückgängig machen ließ.",
  "Its time in the bin is over.": "Ihre Zeit im Papierkorb ist vorbei.",
  "It is in the bin: restore it.": "Sie ist im Papierkorb: Stellen Sie sie wieder her.",
  "No more drafts can be kept.": "Mehr Entwürfe lassen sich nicht aufbewahren.",
  "no draft has this id": "kein Entwurf hat diese Kennung",
  "there are {} drafts: delete one first": "es gibt {1} Entwürfe: Löschen Sie zuerst einen",
  "the values of a draft have at most {} bytes": "die Angaben eines Entwurfs haben höchstens {1} Bytes",
  "a value is not a number of JSON": "ein Wert ist keine Zahl, die JSON kennt",
  "the name of the organisation": "der Name der Organisation",
  "a logo has at most {} KiB": "ein Logo hat höchstens {1} KiB",
  "the logo is not a picture in PNG, JPEG or WebP": "das Logo ist kein Bild in PNG, JPEG oder WebP",
  "the logo is not a data URL with base64": "das Logo ist keine Daten-URL in base64",
  "there is no logo": "es gibt kein Logo",

  // What requests that are not understood are told.
  "{}: Field required": "{1}: fehlt",
  "{}: Input should be a valid integer{}": "{1}: muss eine ganze Zahl sein",
  "{}: Input should be a valid number{}": "{1}: muss eine Zahl sein",
  "{}: Input should be a valid string{}": "{1}: muss Text sein",
  "{}: Input should be a valid boolean{}": "{1}: muss ja oder nein sein",
  "{}: Input should be a finite number": "{1}: muss eine endliche Zahl sein",
  "{}: Input should be greater than or equal to {}": "{1}: muss mindestens {2} sein",
  "{}: Input should be greater than {}": "{1}: muss größer als {2} sein",
  "{}: Input should be less than or equal to {}": "{1}: darf höchstens {2} sein",
  "{}: Input should be less than {}": "{1}: muss kleiner als {2} sein",
  "{}: Input should be {}": "{1}: muss {2:raw} sein",
  "{}: String should match pattern {}": "{1}: hat nicht die richtige Form",
  "{}: String should have at most {} characters": "{1}: darf höchstens {2} Zeichen haben",
  "{}: String should have at least {} character": "{1}: fehlt",
  "{}: List should have at most {} items after validation, not {}": "{1}: darf höchstens {2} Einträge haben, nicht {3}",
  "{}: List should have at least {} items after validation, not {}":
    "{1}: muss mindestens {2} Einträge haben, nicht {3}",
  "{}: Extra inputs are not permitted": "{1:raw}: gibt es hier nicht",

  // Mixers.
  "the mixer {}: {}": "der Mixer {1:raw}: {2}",
  "the mixer {}": "der Mixer {1:raw}",
  "no answer ({})": "keine Antwort ({1:raw})",
  "an answer of more than {} bytes": "eine Antwort von mehr als {1} Bytes",
  "this is not the answer of a mixer": "das ist nicht die Antwort eines Mixers",
  "it has another {} under this id": "unter dieser Kennung hat er etwas anderes",
  "it has not accepted this {}: its operator does so first":
    "er hat diese Umfrage noch nicht angenommen: Das tut zuerst, wer ihn betreibt",
  "it does not take the recipient's token of this task": "er nimmt das Token des Empfängers dieser Umfrage nicht an",
  "it answers with the batch of another task": "er antwortet mit dem Bündel einer anderen Umfrage",
  "its entries have {} bytes, and those of this task {}": "seine Einträge haben {1} Bytes, die dieser Umfrage {2}",
  "it hands over {} reports, fewer than the {} of the task: none is read":
    "er übergibt {1} Antworten, weniger als die {2} der Umfrage: Keine wird gelesen",
  "it announces {} reports, more than {} times its batch": "er kündigt {1} Antworten an, mehr als {2}-mal sein Bündel",
  "its pages have more than {} bytes": "seine Seiten haben mehr als {1} Bytes",
  "page {} of its batch has {} bytes, not {}": "Seite {1} seines Bündels hat {2} Bytes, nicht {3}",
  "the mixer {}: it has deleted the batch, which this collector did not fetch in time":
    "der Mixer {1:raw}: Er hat das Bündel gelöscht, das dieser Server nicht rechtzeitig geholt hat",
  "the mixer {}: it answers with the unknown state {}":
    "der Mixer {1:raw}: Er antwortet mit dem unbekannten Zustand {2:raw}",
  "its batch has {} entries, not {}": "sein Bündel hat {1} Einträge, nicht {2}",
  "its batch does not have the announced SHA-256": "sein Bündel hat nicht den angekündigten SHA-256",
  "its batch has entries that are repeated": "sein Bündel enthält Einträge mehrmals",
  "the mixer {}: {}; nothing of it is stored": "der Mixer {1:raw}: {2}; nichts davon wird gespeichert",
  "the mixer {}: it does not hand over the batch that it announced before":
    "der Mixer {1:raw}: Er übergibt nicht das Bündel, das er zuvor angekündigt hat",
  "the recipient's key is that of {}: make a new one for each task or series":
    "der Schlüssel des Empfängers gehört zu {1:raw}: Erstellen Sie für jede Umfrage einen neuen",
  "this collector has no private key of this public key":
    "dieser Server hat keinen privaten Schlüssel zu diesem öffentlichen",
  "the private key of this task is missing: put its file there":
    "der private Schlüssel dieser Umfrage fehlt: Legen Sie seine Datei dorthin",
  "this is the private key of another public key":
    "das ist der private Schlüssel eines anderen öffentlichen Schlüssels",
  "the recipient's token for the mixer is missing: put its file there":
    "das Token des Empfängers für den Mixer fehlt: Legen Sie seine Datei dorthin",
  "this collector has no folder of private keys: set mixer_keys (PCKV_MIXER_KEYS)":
    "dieser Server hat keinen Ordner für private Schlüssel: Setzen Sie mixer_keys (PCKV_MIXER_KEYS)",
  "not a token: one line of ASCII characters without spaces":
    "kein Token: eine Zeile aus ASCII-Zeichen ohne Leerzeichen",
  "the recipient's token": "das Token des Empfängers",
  "the recipient's key is not {} bytes in base64url without padding":
    "der Schlüssel des Empfängers besteht nicht aus {1} Bytes in base64url ohne Füllzeichen",
  "the recipient's key is not canonical: its top bit is set":
    "der Schlüssel des Empfängers ist nicht kanonisch: Sein oberstes Bit ist gesetzt",
  "the recipient's key is not canonical: it is not below 2^255 - 19":
    "der Schlüssel des Empfängers ist nicht kanonisch: Er ist nicht kleiner als 2^255 − 19",
  "the recipient's key is of small order: anyone could open what is sealed for it":
    "der Schlüssel des Empfängers hat kleine Ordnung: Jeder könnte öffnen, was für ihn versiegelt ist",
  "mixer.url must be an origin such as {}: in small letters, without a path, a slash at the end or the usual port, not {}":
    "die Adresse des Mixers muss wie {1:raw} aussehen: klein geschrieben, ohne Pfad, ohne Schrägstrich am Ende und ohne den üblichen Port, nicht {2:raw}",
  "mixer must be a Mixer or an object of its members, not {}":
    "mixer muss ein Objekt mit seinen Feldern sein, nicht {1:raw}",
  "mixer must be null, or an object of {}": "mixer muss null sein oder ein Objekt mit {1:raw}",
  "mixer has no member {}: choose from {}": "mixer hat kein Feld {1:raw}: Wählen Sie aus {2:raw}",
  "mixer needs {}": "mixer braucht {1:raw}",
  "mixer.honest must be at most mixer.batch, {}, not {}":
    "die Zahl ehrlicher Antworten darf höchstens die des Bündels sein, {1}, nicht {2}",
  "mixer.delta must be above 0 and at most 0.00001, not {}": "δ muss über 0 und höchstens 0,00001 sein, nicht {1}",
  "mixer.{} must be a plain decimal in quotes: no exponent, no trailing zeros":
    "mixer.{1:raw} muss eine einfache Dezimalzahl in Anführungszeichen sein: ohne Exponent, ohne Nullen am Ende",
  "mixer.epsilon must be at most the ε of a report, {}, not {}":
    "das ε der Zusage darf höchstens das ε einer Antwort sein, {1}, nicht {2}",
  "coin must be 'device' with a mixer: a collector that hands out coins knows reports by them":
    "mit einem Mixer muss das Gerät selbst würfeln: Ein Server, der Münzen ausgibt, erkennt Antworten an ihnen",
  "coin must be 'device' with a mixer: a collector knows reports by the coins it made":
    "mit einem Mixer muss das Gerät selbst würfeln: Ein Server erkennt Antworten an seinen Münzen",
  "with a mixer every device draws all of its report's randomness":
    "mit einem Mixer zieht jedes Gerät allen Zufall seiner Antwort selbst",
  "{} honest reports of local ε = {} have δ = {} at the claimed ε = {}, above the claimed δ = {}: claim less, or count on more reports":
    "{1} ehrliche Antworten mit lokalem ε = {2} haben beim zugesagten ε = {4} ein δ = {3:raw}, mehr als das zugesagte δ = {5:raw}: Sagen Sie weniger zu, oder rechnen Sie mit mehr Antworten",
  "mixer_operator is for a task with a mixer: name its address, too":
    "wer den Mixer betreibt, gehört zu einer Umfrage mit Mixer: Nennen Sie auch seine Adresse",
  "recipient_key is for a task with a mixer: name its address, too":
    "der Schlüssel des Empfängers gehört zu einer Umfrage mit Mixer: Nennen Sie auch dessen Adresse",
  "{} is for a task with a mixer: name its address, too":
    "{1} gehört zu einer Umfrage mit Mixer: Nennen Sie auch dessen Adresse",
  "a mixed task needs a day on which it closes: its batch leaves then":
    "eine Umfrage über einen Mixer braucht einen Tag, an dem sie endet: Dann wird ihr Bündel übergeben",
  "mixed must be at least {}, not {}: a batch is half of the people{}, and a single report is not hidden among others":
    "über einen Mixer müssen mindestens {1} Personen teilnehmen, nicht {2}: Ein Bündel ist die Hälfte der Personen{3}, und eine einzelne Antwort ist nicht unter anderen verborgen",
  " of a round": " einer Runde",
  "mixed must be at most the number of people who take part, {}, not {}":
    "über einen Mixer können höchstens so viele senden, wie teilnehmen, {1}, nicht {2}",

  // What the fields of the form take.
  "the name must be text": "der Name muss Text sein",
  "the keys must be a list of names, a whole number from 1 to 2^31, or 'hashed'":
    "die Antwortmöglichkeiten müssen eine Liste von Namen sein, eine ganze Zahl von 1 bis 2^31 oder 'hashed'",
  "the keys must be a list of names, a whole number from 1 to 2^31, or {}":
    "die Antwortmöglichkeiten müssen eine Liste von Namen sein, eine ganze Zahl von 1 bis 2^31 oder {1:raw}",
  "the name of the key for all that are not listed must be text":
    "der Name der Antwortmöglichkeit für alles Übrige muss Text sein",
  "the lowest value must be a number in plain digits, such as 1 or 0.5":
    "der kleinste Wert muss eine Zahl in einfachen Ziffern sein, etwa 1 oder 0.5 (mit Punkt)",
  "the highest value must be a number in plain digits, such as 1 or 0.5":
    "der größte Wert muss eine Zahl in einfachen Ziffern sein, etwa 1 oder 0.5 (mit Punkt)",
  "the levels must be a whole number from {} to {}, or that many numbers in plain digits, such as 1 or 0.5":
    "die Stufen müssen eine ganze Zahl von {1} bis {2} sein oder so viele Zahlen in einfachen Ziffern, etwa 1 oder 0.5 (mit Punkt)",
  "the characters of a text must be a whole number from 1 to {}":
    "die Zeichen eines Textes müssen eine ganze Zahl von 1 bis {1} sein",
  "the alphabet must have from {} to {} characters": "der Zeichenvorrat muss {1} bis {2} Zeichen haben",
  "the groups must be a whole number from 1 to the number of characters":
    "die Gruppen müssen eine ganze Zahl von 1 bis zur Zahl der Zeichen sein",
  "the texts per report must be a whole number from 1 to 1,000":
    "die Texte je Antwort müssen eine ganze Zahl von 1 bis 1.000 sein",
  "ε must be a number above 0 and at most 20, such as 1 or 0.5":
    "ε muss eine Zahl über 0 und höchstens 20 sein, etwa 1 oder 0.5 (mit Punkt)",
  "the number of people must be a whole number from 1 to 10^15":
    "die Zahl der Personen muss eine ganze Zahl von 1 bis 10^15 sein",
  "the pairs per person must be a number above 0": "die Angaben je Person müssen eine Zahl über 0 sein",
  "the share of people who hold any pair must be a number above 0 and at most 1":
    "der Anteil der Personen, die überhaupt etwas angeben, muss eine Zahl über 0 und höchstens 1 sein",
  "the most pairs per person must be a whole number from 1 on": "„Höchstens“ muss eine ganze Zahl ab 1 sein",
  "the address of the mixer must be text": "die Adresse des Mixers muss Text sein",
  "the name of the mixer's operator must be text": "der Name, unter dem der Mixer betrieben wird, muss Text sein",
  "the recipient's key must be text": "der Schlüssel des Empfängers muss Text sein",
  "the groups must be a whole number from {} to {}": "die Gruppen müssen eine ganze Zahl von {1} bis {2} sein",
  "the groups must have a name and a list of labels": "die Gruppen müssen einen Namen und eine Liste haben",
  "together must be true or false": "„zusammen gewählt“ muss ja oder nein sein",
  "the panels must be a whole number from 1 to {}": "die Panels müssen eine ganze Zahl von 1 bis {1} sein",
  "about must be an object of texts": "die Texte müssen ein Objekt von Texten sein",
  "name both the lowest and the highest value, or neither: keys then have no values":
    "nennen Sie den kleinsten und den größten Wert oder keinen von beiden: Dann gibt es keine Werte",
  "panels and rounds are planned with a mixer only: otherwise plan for the people of one round":
    "Panels und Runden werden nur mit einem Mixer geplant: Planen Sie sonst für die Personen einer Runde",
  "the kind must be {} or {}": "die Art muss {1:raw} oder {2:raw} sein",

  // Names, texts, numbers and days.
  "{} must be text, not {}": "{1}: muss Text sein, nicht {2:raw}",
  "{} is empty": "{1}: leer",
  "the name is empty": "der Name fehlt",
  "key is empty": "eine Antwortmöglichkeit ist leer",
  "key {} is empty": "Antwortmöglichkeit {1} ist leer",
  "{} {} is longer than {} bytes": "{1} {2:raw} ist länger als {3} Bytes",
  "{} {} is not in Unicode normal form C": "{1} {2:raw} ist nicht in Unicode-Normalform C",
  "{} {} is not valid Unicode": "{1} {2:raw} ist kein gültiges Unicode",
  "{} {} holds a control character or a line break": "{1} {2:raw} enthält ein Steuerzeichen oder einen Zeilenumbruch",
  "{} {} holds a control character": "{1} {2:raw} enthält ein Steuerzeichen",
  "{} is longer than {} bytes": "{1} ist länger als {2} Bytes",
  "{} is not in Unicode normal form C": "{1} ist nicht in Unicode-Normalform C",
  "{} is not valid Unicode": "{1} ist kein gültiges Unicode",
  "{} holds a control character or a line break": "{1} enthält ein Steuerzeichen oder einen Zeilenumbruch",
  "{} holds a control character": "{1} enthält ein Steuerzeichen",
  "is longer than {} bytes": "ist länger als {1} Bytes",
  "is not in Unicode normal form C": "ist nicht in Unicode-Normalform C",
  "is not valid Unicode": "ist kein gültiges Unicode",
  "holds a control character or a line break": "enthält ein Steuerzeichen oder einen Zeilenumbruch",
  "holds a control character": "enthält ein Steuerzeichen",
  "key {} {} is the same as key {}": "Antwortmöglichkeit {1}, {2:raw}, ist dieselbe wie Antwortmöglichkeit {3}",
  "label {} {} is the same as label {}": "Gruppe {1}, {2:raw}, ist dieselbe wie Gruppe {3}",
  "{} {} {} is the same as {} {}": "{1} {2}, {3:raw}, ist dasselbe wie {4} {5}",
  "{} {} appears twice": "{1} {2:raw} kommt zweimal vor",
  "{} must be a number, not {}": "{1}: muss eine Zahl sein, nicht {2:raw}",
  "{} must be a finite number, not {}": "{1}: muss eine endliche Zahl sein, nicht {2:raw}",
  "{} must be a number in plain digits, such as 0.5, not {}":
    "{1}: muss eine Zahl in einfachen Ziffern sein, etwa 0.5 (mit Punkt), nicht {2:raw}",
  "{} needs more than {} digits": "{1}: braucht mehr als {2} Ziffern",
  "{} must be above 0 and at most {}, not {}": "{1}: muss über 0 und höchstens {2} sein, nicht {3}",
  "{} must be at least {}, not {}": "{1}: muss mindestens {2} sein, nicht {3}",
  "{} must be a whole number, not {}": "{1}: muss eine ganze Zahl sein, nicht {2:raw}",
  "{} must be at least 1 and at most {}, not {}": "{1}: muss mindestens 1 und höchstens {2} sein, nicht {3}",
  "padding must be at least 1 and at most 2^31, not {}":
    "Padding: muss mindestens 1 und höchstens 2^31 sein, nicht {1}",
  "{} must be {}, not {}": "{1}: muss {2:raw} sein, nicht {3:raw}",
  "{} must be a plain decimal in quotes: no exponent, no trailing zeros":
    "{1}: muss eine einfache Dezimalzahl in Anführungszeichen sein: ohne Exponent, ohne Nullen am Ende",
  "a task that opens on {} cannot close on {}": "eine Umfrage, die am {1} beginnt, kann nicht am {2} enden",
  "{} must be a day as YYYY-MM-DD, not {}": "{1}: muss ein Tag wie 2030-12-31 sein, nicht {2:raw}",
  "levels must be a number of them or a list of their values, not {}":
    "die Stufen müssen eine Zahl oder eine Liste von Werten sein, nicht {1:raw}",
  "levels must be a number of them, or a list of plain decimals in quotes":
    "die Stufen müssen eine Zahl sein oder eine Liste einfacher Dezimalzahlen in Anführungszeichen",
  "levels must be at least {} and at most {}": "es müssen mindestens {1} und höchstens {2} Stufen sein",
  "level {}": "Stufe {1}",
  "levels must ascend: {} is followed by {}": "die Stufen müssen ansteigen: Auf {1} folgt {2}",
  "level {} is not within [{}, {}]": "die Stufe {1} liegt nicht zwischen {2} und {3}",
  "the levels must begin with {} and end with {}, or values beyond them could not be reported":
    "die Stufen müssen mit {1} beginnen und mit {2} enden, sonst ließen sich Werte außerhalb nicht senden",
  "{} levels between {} and {} are too close to be told apart":
    "{1} Stufen zwischen {2} und {3} liegen zu eng, um sie zu unterscheiden",
  "low must be below high: {} ≥ {}": "der kleinste Wert muss unter dem größten liegen: {1} ≥ {2}",
  "values must be the pair (low, high)": "die Werte müssen das Paar (kleinster, größter) sein",

  // What a survey asks.
  "keys must be a list of names or their number; Task.discovery finds unknown ones":
    "die Antwortmöglichkeiten müssen eine Liste von Namen oder ihre Anzahl sein",
  "keys must be a list of names, their number or {}, not {}":
    "die Antwortmöglichkeiten müssen eine Liste von Namen, ihre Anzahl oder {1:raw} sein, nicht {2:raw}",
  "keys must be a list of names, not {}": "die Antwortmöglichkeiten müssen eine Liste von Namen sein, nicht {1:raw}",
  "a task needs at least one key": "eine Umfrage braucht mindestens eine Antwortmöglichkeit",
  "a task takes at most 2^31 keys, not {}": "eine Umfrage hat höchstens 2^31 Antwortmöglichkeiten, nicht {1}",
  "a task takes at most 2^31 keys, and other is one more":
    "eine Umfrage hat höchstens 2^31 Antwortmöglichkeiten, und die für alles Übrige ist eine mehr",
  "other must be left out where keys are hashed: every text is a key":
    "eine Antwortmöglichkeit für alles Übrige gibt es nur mit einer Liste: Hier ist jeder Text möglich",
  "other must not have the name of a listed key, {}":
    "die Antwortmöglichkeit für alles Übrige darf nicht wie eine andere heißen: {1:raw}",
  "the name of the segment": "der Name der Gruppen",
  "label {} looks like the name of the segment": "die Gruppe {1:raw} sieht aus wie der Name der Gruppen",
  "label {} looks like label {}": "die Gruppe {1:raw} sieht aus wie die Gruppe {2:raw}",
  "label {} looks like {}": "die Gruppe {1:raw} sieht aus wie {2:raw}",
  "labels must be a list of names, not {}": "die Gruppen müssen eine Liste von Namen sein, nicht {1:raw}",
  "segment must be null or an object of labels and a name": "die Gruppen müssen einen Namen und eine Liste haben",
  "segment must be a Segment or a number of labels, not {}":
    "die Gruppen müssen eine Liste oder eine Anzahl sein, nicht {1:raw}",
  "a segment takes {} to {} labels, not {}": "es sind {1} bis {2} Gruppen möglich, nicht {3}",
  "a segment takes at most {} items, not {}": "mit Gruppen sind höchstens {1} Einträge möglich, nicht {2:raw}",
  "together must be true or false, not {}": "„zusammen gewählt“ muss ja oder nein sein, nicht {1:raw}",
  "together must be false where there is a segment":
    "nach zusammen Gewähltem lässt sich nicht fragen, wenn es Gruppen gibt",
  "together is for keys without values": "nach zusammen Gewähltem lässt sich nur ohne Werte fragen",
  "together takes no key for all that are not listed: leave out other":
    "bei zusammen Gewähltem gibt es keine Antwortmöglichkeit für alles Übrige: Lassen Sie sie weg",
  "together takes {} to {} keys, not {}":
    "nach zusammen Gewähltem lässt sich bei {1} bis {2} Antwortmöglichkeiten fragen, nicht bei {3}",
  "together needs a list of keys: hashed keys and discoveries have none":
    "nach zusammen Gewähltem lässt sich nur mit einer Liste von Antwortmöglichkeiten fragen",
  "a segment needs a list of keys: hashed keys and discoveries have none":
    "Gruppen gibt es nur mit einer Liste von Antwortmöglichkeiten",
  "{} needs a list of keys: hashed keys and discoveries have none": "{1} braucht eine Liste von Antwortmöglichkeiten",
  "{}{} needs mechanism {}, not {}": "{1}{2} braucht das Verfahren {3:raw}, nicht {4:raw}",
  " with values": " mit Werten",
  "{} of {} must be {}": "{1}: muss hier {3:raw} sein",
  "keys without values have no levels, and nothing between them":
    "ohne Werte gibt es keine Stufen und nichts dazwischen",
  "about must be an object of texts, not {}": "die Texte müssen ein Objekt von Texten sein, nicht {1:raw}",
  "about must be an object of {}": "die Texte müssen ein Objekt mit {1:raw} sein",
  "translations must be an object of languages, not {}":
    "die Übersetzungen müssen ein Objekt von Sprachen sein, nicht {1:raw}",
  "translations must be at most {}, not {}": "es sind höchstens {1} Übersetzungen möglich, nicht {2}",
  "translations has the texts' own language, {}": "unter den Übersetzungen ist die Sprache der Texte selbst, {1:raw}",
  "translation {} must be an object of {}": "die Übersetzung {1:raw} muss ein Objekt mit {2:raw} sein",
  "translation {} must be an object of texts, not {}":
    "die Übersetzung {1:raw} muss ein Objekt von Texten sein, nicht {2:raw}",
  "translation {} names keys, which have no names in the task":
    "die Übersetzung {1:raw} nennt Antwortmöglichkeiten, die in der Umfrage keine Namen haben",
  "translation {} has {} for {}": "die Übersetzung {1:raw} hat {2} für {3}",
  "translation {} must have the segment's {} labels, not {}":
    "die Übersetzung {1:raw} muss {2} Gruppen nennen, nicht {3}",
  "translation {} is of a segment, which the task does not have":
    "die Übersetzung {1:raw} nennt Gruppen, nach denen die Umfrage nicht fragt",
  "{} name": "{1} Namen",
  "{} names": "{1} Namen",
  "translation {}: {}": "Übersetzung {1:raw}: {2}",
  "{} has no member {}: choose from {}": "{1:raw} hat kein Feld {2:raw}: Wählen Sie aus {3:raw}",
  "{} must be a tag such as en, de-CH or zh-Hant, not {}":
    "{1}: muss ein Sprachkürzel wie en, de-CH oder zh-Hant sein, nicht {2:raw}",
  "the language of a translation": "die Sprache einer Übersetzung",
  "the name": "der Name",
  "the name of the mixer's operator": "der Name, unter dem der Mixer betrieben wird",
  "the task's name": "der Name der Umfrage",
  "the name of a round's task": "der Name einer Runde",
  "a round of a series has days, and a name that ends in {}":
    "eine Runde einer wiederholten Umfrage hat Tage und einen Namen, der auf {1:raw} endet",
  "task {} is mixed and needs {}": "die Umfrage {1:raw} läuft über einen Mixer und braucht {2}",
  "a day on which it closes: its batch leaves then": "einen Tag, an dem sie endet: Dann wird ihr Bündel übergeben",

  // How it is reported.
  "mechanism {} needs {}": "das Verfahren {1:raw} braucht {2:raw}",
  "hashed keys need mechanism {}, not {}": "beliebige Texte brauchen das Verfahren {1:raw}, nicht {2:raw}",
  "padding must be at most the number of keys, {}, not {}":
    "Padding: darf höchstens die Zahl der Antwortmöglichkeiten sein, {1}, nicht {2}",
  "padding must be at least {} for together: one key has no partner":
    "Padding: muss für zusammen Gewähltes mindestens {1} sein",
  "a report of {} would have {} bytes, of at most {}: {} keys need a mechanism whose reports are words":
    "eine Antwort mit {1:raw} hätte {2} Bytes, höchstens {3} sind möglich: {4} Antwortmöglichkeiten brauchen ein Verfahren, dessen Antworten Wörter sind",
  "size_share must be 0 where more pairs than the padding are refused":
    "die Mengenfrage entfällt, wo mehr Angaben als das Padding nicht angenommen werden",
  "size_share must be 0 for {}, whose reports are not words":
    "die Mengenfrage gibt es nicht für {1:raw}, dessen Antworten keine Wörter sind",
  "size_share must be at least 0 and at most 0.5, not {}":
    "der Anteil der Mengenfrage muss mindestens 0 und höchstens 0,5 sein, nicht {1}",
  "coin must be 'device' for {}, whose reports name no function that a coin could choose":
    "für {1:raw} muss das Gerät selbst würfeln, da seine Antworten keine Funktion nennen, die eine Münze wählen könnte",
  "the reports of this task would lose more than ε = {}": "die Antworten dieser Umfrage würden mehr als ε = {1} kosten",
  "mechanism must be an object that names a mechanism": "das Verfahren muss ein Objekt sein, das eines nennt",
  "mechanism of a discovery must be {}": "das Verfahren einer Suche muss {1:raw} sein",
  "mechanism {} does not exist: choose from {}": "das Verfahren {1:raw} gibt es nicht: Wählen Sie aus {2:raw}",
  "mechanism {} has no parameter {}": "das Verfahren {1:raw} hat keinen Parameter {2:raw}",
  "mechanism {} takes {} levels, not {}": "das Verfahren {1:raw} nimmt {2} Stufen, nicht {3}",
  "no mechanism can do this": "kein Verfahren kann das",
  "no mechanism has the parameters {}": "kein Verfahren hat die Parameter {1:raw}",
  "{} takes at most {} keys with {} levels, not {}":
    "{1:raw} nimmt mit {3} Stufen höchstens {2} Antwortmöglichkeiten, nicht {4}",
  "padding {} is too large for ε = {}: 64 bits are too coarse":
    "Padding {1} ist zu groß für ε = {2}: 64 Bits sind zu grob",
  "symbols must be more than the padding, so that some say none of the pairs: {} ≤ {}":
    "es müssen mehr Symbole als das Padding sein, damit einige nichts nennen: {1} ≤ {2}",
  "auto does not choose {}, for {}: ask for it by name":
    "{1:raw} wird nicht von selbst gewählt, denn {2}: Verlangen Sie es mit Namen",
  "one hostile report counts as at least {} people in every setting compared, more than {}":
    "eine gefälschte Antwort zählt in jeder verglichenen Einstellung mindestens so viel wie {1} Personen, mehr als {2}",
  "the most influence must be a number above 0, not {}":
    "der größte Einfluss muss eine Zahl über 0 sein, nicht {1:raw}",
  "objective {} does not exist: choose from {}": "das Ziel {1:raw} gibt es nicht: Wählen Sie aus {2:raw}",
  "objective {} needs values: without them, choose from {}, {}":
    "das Ziel {1:raw} braucht Werte: Wählen Sie ohne sie aus {2:raw}, {3:raw}",

  // What is expected of people.
  "keys must be at least 1 and at most 2^31, not {}":
    "es müssen mindestens 1 und höchstens 2^31 Antwortmöglichkeiten sein, nicht {1}",
  "keys must be a number or {}, not {}": "die Antwortmöglichkeiten müssen eine Zahl oder {1:raw} sein, nicht {2:raw}",
  "candidates must be at least 1 and at most 2^31, not {}":
    "es müssen mindestens 1 und höchstens 2^31 gesuchte Texte sein, nicht {1}",
  "candidates are for hashed keys": "gesuchte Texte gibt es nur, wenn jeder Text möglich ist",
  "users must be a whole number of at least 1 and at most 10^15, not {}":
    "die Zahl der Personen muss eine ganze Zahl von mindestens 1 und höchstens 10^15 sein, nicht {1:raw}",
  "users must be a whole number from 1 on, not {}":
    "die Zahl der Personen muss eine ganze Zahl ab 1 sein, nicht {1:raw}",
  "frequency must be at least {} and at most 1, not {}":
    "die Häufigkeit muss mindestens {1} und höchstens 1 sein, nicht {2}",
  "frequency must be at most the share of people who hold any pair ({}), not {}":
    "die Häufigkeit darf höchstens der Anteil der Personen sein, die überhaupt etwas angeben ({1}), nicht {2}",
  "pairs must be at least the frequency of a key ({}), not {}":
    "der Durchschnitt muss mindestens der Anteil der Personen sein, die eine Antwortmöglichkeit wählen ({1}), nicht {2}",
  "pairs must be at most the number of keys ({}), not {}":
    "im Durchschnitt können nicht mehr als alle {1} Antwortmöglichkeiten gewählt werden: Angegeben sind {2}",
  "pairs must be at most the number of keys ({}), not {}: the {} of people who hold any would hold {} each, on average":
    "im Durchschnitt können nicht mehr als alle {1} Antwortmöglichkeiten gewählt werden: Angegeben sind {2}, also {4} für jede Person, die überhaupt etwas wählt",
  "pairs must be at least {}, not {}": "der Durchschnitt muss mindestens {1} sein, nicht {2}",
  "pairs must be at least the share of people who hold any ({}), not {}: each of those holds one or more":
    "der Durchschnitt muss mindestens der Anteil der Personen sein, die überhaupt etwas wählen ({1}), nicht {2}: Jede davon wählt mindestens eines",
  "most pairs must be at least 1 and at most the number of keys ({}), not {}":
    "„Höchstens“ muss mindestens 1 und höchstens die Zahl der Antwortmöglichkeiten sein ({1}), nicht {2}",
  "most pairs must be at least the {} pairs of the average and at most the number of keys ({}), not {}":
    "„Höchstens“ muss mindestens der Durchschnitt sein, {1}, und höchstens die Zahl der Antwortmöglichkeiten ({2}), nicht {3}",
  "most pairs must be at least the {} pairs that those who hold any hold on average and at most the number of keys ({}), not {}":
    "„Höchstens“ muss mindestens {1} sein, so viele, wie im Durchschnitt wählt, wer überhaupt etwas wählt, und höchstens die Zahl der Antwortmöglichkeiten ({2}), nicht {3}",
  "holding, the share of people who hold any pair, must be at least {} and at most 1, not {}":
    "der Anteil der Personen, die überhaupt etwas angeben, muss mindestens {1} und höchstens 1 sein, nicht {2}",
  "sizes say how many pairs people hold: give no number of pairs in addition":
    "die Mengen sagen, wie viele Angaben die Personen machen: Nennen Sie keine Zahl dazu",
  "sizes say how many people hold any pair: give no share that does in addition":
    "die Mengen sagen, wie viele Personen überhaupt etwas angeben: Nennen Sie keinen Anteil dazu",
  "label_share must be above 0 and below 1, not {}": "der Anteil der Gruppe muss über 0 und unter 1 sein, nicht {1}",
  "label_share is about a segment: say what labels it has, or how many":
    "der Anteil der Gruppe setzt Gruppen voraus: Nennen Sie diese oder ihre Anzahl",
  "rounds and drift are about a series: say how many panels it has":
    "Runden und Drift gehören zu einer wiederholten Umfrage: Nennen Sie die Zahl der Panels",
  "rounds must be at least the number of panels, {}, not {}":
    "es müssen mindestens so viele Runden wie Panels sein, {1}, nicht {2}",
  "{} people cannot be in {} panels": "{1} Personen können nicht in {2} Panels sein",
  "drift must be at least 0 and at most 1, not {}": "die Drift muss mindestens 0 und höchstens 1 sein, nicht {1}",

  // Repeated surveys, and results that are asked for.
  "panels must be at most the number of rounds, {}, not {}: devices would never report":
    "es dürfen höchstens so viele Panels wie Runden sein, {1}, nicht {2}: Sonst käme manches Gerät nie an die Reihe",
  "a series must end before the year 10000": "eine wiederholte Umfrage muss vor dem Jahr 10000 enden",
  "round {} would end after the year 9999": "Runde {1} würde nach dem Jahr 9999 enden",
  "task must be a task, not {}": "die Umfrage muss eine Umfrage sein, nicht {1:raw}",
  "task {} is a round of a series itself": "die Umfrage {1:raw} ist selbst eine Runde",
  "the task of a series has no days of its own: its rounds have":
    "eine wiederholte Umfrage hat keine eigenen Tage: Ihre Runden haben sie",
  "task {} is a discovery, which is not repeated: a series measures keys that are known":
    "{1:raw} sucht unbekannte Antworten und wird nicht wiederholt: Eine wiederholte Umfrage misst bekannte Antwortmöglichkeiten",
  "the task of a series draws its coins on the device: no invitation is given for every round":
    "bei einer wiederholten Umfrage würfelt das Gerät selbst: Es gibt keine Einladung für jede Runde",
  "level must be between 0 and 1, not {}": "die Sicherheit muss zwischen 0 und 1 liegen, nicht {1}",
  "hostile reports must be a number such as 100, or a share such as 1%, not {}":
    "die gefälschten Antworten müssen eine ganze Zahl wie 100 oder ein Anteil wie 1 % sein, nicht {1:raw}",
  "hostile reports must be fewer than all reports: {} of {} leave none":
    "es müssen weniger gefälschte Antworten sein als Antworten: {1} von {2} lassen keine übrig",
  "name the keys wanted": "nennen Sie die gewünschten Antwortmöglichkeiten",
  "leave out post {}": "lassen Sie die Nachbearbeitung {1:raw} weg",
  "take another method": "nehmen Sie eine andere Methode",
  "{} are too many to estimate at once: {}": "{1} sind zu viele, um sie auf einmal zu schätzen: {2}",
  "{} {} and {} dummies": "{1} {2} und {3} Platzhalter",
  "a false discovery rate is for hashed keys: with a list, the level holds for all keys":
    "eine Rate falscher Funde gibt es nur, wenn jeder Text möglich ist: Mit einer Liste gilt die Sicherheit für alle",
  "task {} has hashed keys and no list of them: name the keys":
    "die Umfrage {1:raw} hat keine Liste von Antwortmöglichkeiten: Nennen Sie die Texte",
  "post {} needs all keys of a task, and hashed keys have no list":
    "die Nachbearbeitung {1:raw} braucht alle Antwortmöglichkeiten, und hier gibt es keine Liste",
  "task {} is a discovery: pckv discover finds its keys": "{1:raw} sucht unbekannte Antworten",
  "a key is asked for twice: number {} and number {} are {}":
    "eine Antwortmöglichkeit ist zweimal genannt: Nummer {1} und Nummer {2} sind {3:raw}",
  "method {} does not exist: choose from {}": "die Methode {1:raw} gibt es nicht: Wählen Sie aus {2:raw}",
  "post {} does not exist: choose from {}": "die Nachbearbeitung {1:raw} gibt es nicht: Wählen Sie aus {2:raw}",
  "a quantile must be between 0 and 1, not {}": "ein Quantil muss zwischen 0 und 1 liegen, nicht {1}",
  "value {} is not within [{}, {}]": "der Wert {1} liegt nicht zwischen {2} und {3}",
  "value {} is between two levels, where values were rounded: choose from {}":
    "der Wert {1} liegt zwischen zwei Stufen, auf die gerundet wurde: Wählen Sie aus {2:raw}",
  "only tasks with more than two levels tell how values are spread":
    "nur Umfragen mit mehr als zwei Stufen zeigen, wie sich die Werte verteilen",
  "the values of one key are drawn, of a task with more than two levels":
    "gezeichnet werden die Werte einer Antwortmöglichkeit, bei mehr als zwei Stufen",
  "key {} is not a key of task {}": "{1:raw} ist keine Antwortmöglichkeit der Umfrage {2:raw}",
  "task {} is not a discovery, but about {}": "die Umfrage {1:raw} sucht keine unbekannten Antworten",
  "there is no estimate of key {}": "zu {1:raw} gibt es keine Schätzung",
  "there is no trend of key {}": "zu {1:raw} gibt es keinen Verlauf",
  "there is no label {}": "die Gruppe {1:raw} gibt es nicht",
  "key {} differs between no labels": "{1:raw} unterscheidet sich zwischen keinen Gruppen",
  "key {} was not found": "{1:raw} wurde nicht gefunden",
  "no pair with key {} stands out": "keine Kombination mit {1:raw} hebt sich ab",
  "round {} is not before round {}": "Runde {1} liegt nicht vor Runde {2}",
  "there are no reports of any round": "es gibt noch keine Antworten aus einer Runde",
  "there are no reports of round {}": "aus Runde {1} gibt es keine Antworten",
  "in round {}, {}": "in Runde {1}: {2}",
  "a trend needs a list of keys, and every round hashes texts to other numbers: estimate the rounds one by one":
    "ein Verlauf braucht eine Liste von Antwortmöglichkeiten, und jede Runde nummeriert Texte anders: Schätzen Sie die Runden einzeln",
  "{} keys in {} rounds are too many to estimate at once: name the keys wanted":
    "{1} Antwortmöglichkeiten in {2} Runden sind zu viele, um sie auf einmal zu schätzen: Nennen Sie die gewünschten",
  "most must be a whole number from 1 on, not {}": "die Höchstzahl muss eine ganze Zahl ab 1 sein, nicht {1:raw}",

  // Names of fields in the sentences above.
  epsilon: "ε",
  "mixer.epsilon": "ε der Zusage",
  "mixer.delta": "δ der Zusage",
  "mixer.batch": "Größe des Bündels",
  "mixer.honest": "ehrliche Antworten",
  low: "kleinster Wert",
  high: "größter Wert",
  users: "Zahl der Personen",
  rounds: "Runden",
  panels: "Panels",
  "opens on": "beginnt am",
  closes: "letzter Tag",
  first: "erster Tag",
  period: "Tage je Runde",
  other: "Antwortmöglichkeit für alles Übrige",
  language: "Sprache",
  delta: "δ",
  hostile: "gefälschte Antworten",
};
