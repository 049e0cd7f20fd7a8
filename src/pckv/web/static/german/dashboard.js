// German texts of the pages, by their English ones: dashboard.
export default {
  "(Checked: the {responses} that had come by {moment} UTC.)": "(Geprüft: {responses} bis {moment} UTC.)",
  "A picture of at most 256 KiB (PNG, JPEG or WebP).": "Ein Bild mit höchstens 256 KiB (PNG, JPEG oder WebP).",
  "All rounds are over. The results stay here.": "Alle Runden sind vorbei. Die Ergebnisse bleiben hier.",
  "All surveys": "Alle Umfragen",
  "Ask again": "Noch einmal fragen",
  "Ask from an app or a page": "Aus einer App oder einer Seite fragen",
  "Ask the person who set up this site. There are two kinds: with one you make surveys, with the other you see results and change nothing.":
    "Fragen Sie die Person, die diese Website eingerichtet hat. Es gibt zwei Arten: Mit der einen erstellen Sie Umfragen, mit der anderen sehen Sie Ergebnisse und ändern nichts.",
  "Call this at every start: the client decides whether a response is due, makes it once, and sends it. With a spread of 0.5, it falls due at a random moment in the first half of the round.":
    "Rufen Sie das bei jedem Start auf: Der Client entscheidet, ob eine Antwort fällig ist, erstellt sie einmal und sendet sie. Mit spread = 0,5 wird sie zu einem zufälligen Zeitpunkt in der ersten Hälfte der Runde fällig.",
  "Change the number": "Zahl ändern",
  "Choose a picture of at most 256 KiB: PNG, JPEG or WebP.":
    "Wählen Sie ein Bild mit höchstens 256 KiB: PNG, JPEG oder WebP.",
  "Close the repeated survey": "Wiederholte Umfrage schließen",
  "Close the round": "Runde schließen",
  "Close the survey": "Umfrage schließen",
  "Close this repeated survey?": "Diese wiederholte Umfrage schließen?",
  "Close this round?": "Diese Runde schließen?",
  "Close this survey?": "Diese Umfrage schließen?",
  "Closed early": "Vorzeitig geschlossen",
  "Closed on {day}. No more responses are taken; the results stay here.":
    "Geschlossen am {day}. Es werden keine Antworten mehr angenommen; die Ergebnisse bleiben hier.",
  "Connection lost": "Keine Verbindung",
  "Copy the link": "Link kopieren",
  "Copy the link to the results": "Link zu den Ergebnissen kopieren",
  "Create these links below.": "Erstellen Sie diese Links unten.",
  "Default method": "Übliche Methode",
  Delete: "Löschen",
  "Delete now": "Jetzt löschen",
  "Delete now, for good: it cannot be restored": "Jetzt endgültig löschen: Sie lässt sich nicht wiederherstellen",
  "Delete now, for good?": "Jetzt endgültig löschen?",
  "Delete the draft": "Entwurf löschen",
  "Delete this draft?": "Diesen Entwurf löschen?",
  "Delete this survey?": "Diese Umfrage löschen?",
  Deleted: "Gelöscht",
  "Deleted surveys take no responses. They can be restored until the day that is shown.":
    "Gelöschte Umfragen nehmen keine Antworten an. Bis zum angegebenen Tag lassen sie sich wiederherstellen.",
  Details: "Details",
  "Devices send sealed responses to the mixer of {operator}, by this link:":
    "Geräte senden versiegelte Antworten an den Mixer von {operator}, über diesen Link:",
  "It is one of the rounds that the table shows under “Earlier rounds”.":
    "Es ist eine der Runden, die die Tabelle unter „Frühere Runden“ zeigt.",
  "Numbers that come from them may be wrong. The page of their round says what to do.":
    "Zahlen, die auf ihnen beruhen, können falsch sein. Was zu tun ist, steht auf der Seite der Runde.",
  "QR code ({form})": "QR-Code ({form})",
  Draft: "Entwurf",
  Drafts: "Entwürfe",
  "Duplicate and change": "Kopieren und ändern",
  "Earlier rounds": "Frühere Runden",
  End: "Ende",
  "Enter the token that you were given for this site: it takes the place of a name and a password.":
    "Geben Sie das Token ein, das Sie für diese Website bekommen haben: Es ersetzt Benutzername und Passwort.",
  "Every person takes part by a link of their own.": "Jede Person nimmt über einen eigenen Link teil.",
  "Everybody can answer in every round: each response is one participant's.":
    "Alle können in jeder Runde antworten: Jede Antwort stammt von einer anderen Person.",
  "Everybody with the link to the results sees them without signing in, at most a minute old.":
    "Alle, die den Link zu den Ergebnissen haben, sehen sie ohne Anmeldung; die Zahlen sind höchstens eine Minute alt.",
  "Everybody with this link can take part:": "Alle, die diesen Link haben, können teilnehmen:",
  "Everything is asked of and sent to the mixer. With Python, install pckv[sealed], which seals responses. Leave the invitation out if the mixer asks for none.":
    "Alles wird beim Mixer erfragt und an ihn gesendet. Installieren Sie für Python pckv[sealed], das Antworten versiegelt. Lassen Sie die Einladung weg, wenn der Mixer keine verlangt.",
  Facts: "Angaben",
  "For programs": "Für Programme",
  "Hello,": "Guten Tag,",
  "Questions? Write to {contact}.": "Fragen? Schreiben Sie an {contact}.",
  "Round {number}": "Runde {number}",
  "The questions, the answer options, the privacy level and the days of this round are those of its repeated survey, and cannot be changed: those who have answered agreed to exactly these. To change something, make a copy of the repeated survey and publish that.":
    "Fragen, Antwortmöglichkeiten, Datenschutzstufe und Tage dieser Runde sind die der wiederholten Umfrage und lassen sich nicht mehr ändern: Wer geantwortet hat, hat sich darauf verlassen. Um etwas zu ändern, erstellen Sie eine Kopie der wiederholten Umfrage und veröffentlichen Sie diese.",
  "There is no public address yet. These lines name the address of this page: use them for trials alone, on this computer.":
    "Es gibt noch keine öffentliche Adresse. In diesen Zeilen steht die Adresse dieser Seite: Verwenden Sie sie nur, um etwas auf diesem Computer auszuprobieren.",
  "To the settings of the repeated survey": "Zu den Einstellungen der wiederholten Umfrage",
  "What to do: ask those who handed out the invitations whether a program or one person used many of them. Do not publish or pass on these results before you know.":
    "Was Sie tun können: Fragen Sie alle, die Einladungen verteilt haben, ob ein Programm oder eine einzelne Person viele davon benutzt hat. Veröffentlichen Sie diese Ergebnisse nicht und geben Sie sie nicht weiter, bevor Sie das wissen.",
  "What to do: ask those who handed out the link whether a program or one person sent many responses. Do not publish or pass on the results of this round before you know.":
    "Was Sie tun können: Fragen Sie alle, die den Link verteilt haben, ob ein Programm oder eine einzelne Person viele Antworten gesendet hat. Veröffentlichen Sie die Ergebnisse dieser Runde nicht und geben Sie sie nicht weiter, bevor Sie das wissen.",
  "What to do: tell those who run this survey, and do not pass on these results before it is known where the unusual responses come from.":
    "Was Sie tun können: Sagen Sie es den Personen, die diese Umfrage durchführen, und geben Sie diese Ergebnisse nicht weiter, bevor bekannt ist, woher die auffälligen Antworten kommen.",
  "What was found stands under “Details”.": "Was gefunden wurde, steht unter „Details“.",
  "Who may take part: {text}": "Wer teilnehmen darf: {text}",
  "Language of the text": "Sprache des Textes",
  "Or open this address:": "Oder öffnen Sie diese Adresse:",
  "The QR code cannot be loaded now. Try again in a moment.":
    "Der QR-Code lässt sich gerade nicht laden. Versuchen Sie es gleich noch einmal.",
  "Print a poster": "Plakat drucken",
  Help: "Hilfe",
  "How do I get a token?": "Wie bekomme ich ein Token?",
  "If you set it up yourself: “pckv serve” shows the first token once, when it starts for the first time.":
    "Wenn Sie sie selbst eingerichtet haben: „pckv serve“ zeigt das erste Token einmal, beim allerersten Start.",
  "In a page, with JavaScript": "In einer Seite, mit JavaScript",
  "In an app, with Python": "In einer App, mit Python",
  "In place of [link] put a link for each person; in a mail merge, the column “link” of the table. Say also why you ask, and what happens with the results.":
    "Setzen Sie für [Link] je Person einen Link ein; beim Serienbrief ist das die Spalte „link“ der Tabelle. Schreiben Sie dazu, warum Sie fragen und was mit den Ergebnissen geschieht.",
  "Invitations are made at the mixer ({operator}, {url}), which takes responses until {day}: that day is part of what participants agreed to, and the survey cannot be closed earlier. One batch comes, and none after it.":
    "Einladungen werden beim Mixer erstellt ({operator}, {url}). Er nimmt bis {day} Antworten an: Diesem Tag haben die Teilnehmenden zugestimmt, darum lässt sich die Umfrage nicht früher schließen. Es kommt ein einziges Bündel.",
  "It is for you alone and works once. Please do not pass it on.":
    "Er ist nur für Sie bestimmt und gilt einmal. Bitte geben Sie ihn nicht weiter.",
  "It is the last round.": "Es ist die letzte Runde.",
  "Kept until": "Aufbewahrt bis",
  Language: "Sprache",
  "Last change": "Letzte Änderung",
  "Last response": "Letzte Antwort",
  "Leave it empty if you do not know.": "Lassen Sie das Feld leer, wenn Sie es nicht wissen.",
  "Let people choose at most {padding} where they enter their answers: the client refuses more. Do not leave out those who chose more, since a missing response would then tell what they chose.":
    "Lassen Sie bei der Eingabe höchstens {padding} Antwortmöglichkeiten wählen: Mehr lehnt der Client ab. Schließen Sie niemanden aus, der mehr gewählt hat: Die fehlende Antwort würde sonst verraten, was gewählt wurde.",
  "Let {operator} or a third party make invitations and send the link with one to each person. If you send it yourself, or without invitations, you could fill the batch with responses of your own: how many are honest is then an assumption that rests on your word.":
    "Lassen Sie {operator} oder eine dritte Stelle Einladungen erstellen und jeder Person den Link mit einer davon senden. Wenn Sie ihn selbst senden oder ohne Einladungen, könnten Sie das Bündel mit eigenen Antworten füllen: Wie viele ehrlich sind, ist dann eine Annahme, die auf Ihrem Wort beruht.",
  "Loading …": "Wird geladen …",
  Logo: "Logo",
  "Make the first one.": "Erstellen Sie die erste.",
  "Make the results private again": "Ergebnisse wieder verbergen",
  "Make the results public": "Ergebnisse veröffentlichen",
  "Make the results public?": "Die Ergebnisse veröffentlichen?",
  Menu: "Menü",
  Name: "Name",
  "Name of the organisation": "Name der Organisation",
  "New survey": "Neue Umfrage",
  "Next round": "Nächste Runde",
  "No survey here": "Hier gibt es keine Umfrage",
  "No survey is published yet.": "Noch ist keine Umfrage veröffentlicht.",
  "No survey matches.": "Keine Umfrage passt dazu.",
  "Not open yet: people can take part from {day} on (world time, UTC).":
    "Noch nicht offen: Die Teilnahme ist ab {day} möglich (Weltzeit, UTC).",
  "Not open yet: round 1 opens on {day} (world time, UTC).":
    "Noch nicht offen: Runde 1 beginnt am {day} (Weltzeit, UTC).",
  "Not with this token": "Nicht mit diesem Token",
  "Of the batch: {share}": "Vom Bündel: {share}",
  "Older repeated surveys": "Ältere wiederholte Umfragen",
  "Older surveys": "Ältere Umfragen",
  "One page about this survey for an ethics board or a data protection officer, with its guarantee checked:":
    "Eine Seite über diese Umfrage für eine Ethikkommission oder Datenschutzbeauftragte, mit geprüfter Garantie:",
  "Only people who sign in here see the results.": "Nur Personen, die sich hier anmelden, sehen die Ergebnisse.",
  "Open again": "Wieder öffnen",
  "Open until the end of {day} (world time, UTC).": "Offen bis einschließlich {day} (Weltzeit, UTC).",
  Opens: "Beginnt",
  Organisation: "Organisation",
  "Participants see who asks them: the name and the logo stand on the pages of your surveys.":
    "Teilnehmende sehen, wer sie fragt: Name und Logo stehen auf den Seiten Ihrer Umfragen.",
  "Parts of this survey": "Teile dieser Umfrage",
  "Pass all answers of a participant with their values, however many.":
    "Übergeben Sie alle Angaben einer Person mit ihren Werten, wie viele es auch sind.",
  "Pass all answers of a participant, however many.":
    "Übergeben Sie alle Angaben einer Person, wie viele es auch sind.",
  "Pass all texts of a participant, however many. What cannot be found is left out on the device.":
    "Übergeben Sie alle Texte einer Person, wie viele es auch sind. Was nicht gefunden werden kann, lässt das Gerät weg.",
  "People take part in all rounds by one link.": "Für alle Runden gibt es einen einzigen Link.",
  "Privacy card": "Datenschutz-Blatt",
  "Privacy card, in a terminal": "Datenschutz-Blatt, in einem Terminal",
  "Public results": "Öffentliche Ergebnisse",
  Published: "Veröffentlicht",
  "QR code of the link to take part": "QR-Code des Links zur Teilnahme",
  "Repeated survey": "Wiederholte Umfrage",
  "Repeated surveys": "Wiederholte Umfragen",
  Responses: "Antworten",
  "Responses in round {first}: {most}": "Antworten in Runde {first}: {most}",
  "Responses in the round": "Antworten in der Runde",
  "Responses on {first}: {most}": "Antworten am {first}: {most}",
  "Responses per day": "Antworten pro Tag",
  "Responses per day, {first} to {last}; at most {most}": "Antworten pro Tag, {first} bis {last}; höchstens {most}",
  "Responses per round, {first} to {last}; at most {most}": "Antworten pro Runde, {first} bis {last}; höchstens {most}",
  "Number of responses": "Zahl der Antworten",
  "Responses expected": "Erwartete Antworten",
  Restore: "Wiederherstellen",
  "Restore “{name}”": "„{name}“ wiederherstellen",
  Results: "Ergebnisse",
  "Results as JSON": "Ergebnisse als JSON",
  "Results in a terminal": "Ergebnisse in einem Terminal",
  Round: "Runde",
  "Round {number} opens on {day}.": "Runde {number} beginnt am {day}.",
  "Round {number} takes responses until the end of {day} (world time, UTC).":
    "Runde {number} nimmt bis einschließlich {day} Antworten an (Weltzeit, UTC).",
  "Round {number}, from {day} on: {responses}": "Runde {number}, ab {day}: {responses}",
  Rounds: "Runden",
  "Rounds open and close by themselves. A round can be deleted on its own page, under “Settings”.":
    "Runden beginnen und enden von selbst. Eine Runde lässt sich auf ihrer eigenen Seite löschen, unter „Einstellungen“.",
  Save: "Speichern",
  "Saved.": "Gespeichert.",
  "Say also why you ask, and what happens with the results.":
    "Schreiben Sie dazu, warum Sie fragen und was mit den Ergebnissen geschieht.",
  "Search by name": "Nach Namen suchen",
  "See it on this computer": "Auf diesem Computer ansehen",
  "Say how many you expect": "Angeben, wie viele Sie erwarten",
  Settings: "Einstellungen",
  Share: "Teilen",
  "Under “Share” you can make the results public.": "Unter „Teilen“ können Sie die Ergebnisse öffentlich machen.",
  "Sign in": "Anmelden",
  "Sign out": "Abmelden",
  "Signed out.": "Abgemeldet.",
  "Since this survey was published, its questions, its answer options, its privacy level and its last day cannot be changed: those who have answered agreed to exactly these. To change something, make a copy and publish that.":
    "Seit diese Umfrage veröffentlicht ist, lassen sich Fragen, Antwortmöglichkeiten, Datenschutzstufe und der letzte Tag nicht mehr ändern: Wer geantwortet hat, hat sich darauf verlassen. Um etwas zu ändern, erstellen Sie eine Kopie und veröffentlichen Sie diese.",
  "Some responses are unusual": "Einige Antworten sind auffällig",
  State: "Status",
  Survey: "Umfrage",
  Surveys: "Umfragen",
  "Table of rounds": "Tabelle der Runden",
  "Take part": "Teilnehmen",
  "Take the logo away": "Logo entfernen",
  "Taking part has ended. The link says so to those who open it and have not answered.":
    "Die Teilnahme ist beendet. Wer den Link öffnet und noch nicht geantwortet hat, liest das dort.",
  "Take part: scan this code with your phone.": "Mitmachen: Scannen Sie diesen Code mit dem Handy.",
  "Taking part is voluntary. Your answers themselves stay on your device: it sends only a report with random noise in it, which does not show for certain what you answered.":
    "Die Teilnahme ist freiwillig. Ihre Antworten selbst bleiben auf Ihrem Gerät: Es sendet nur einen Bericht mit zufälligem Rauschen, aus dem niemand mit Sicherheit schließen kann, was Sie geantwortet haben.",
  Text: "Text",
  "Text for a letter or a message": "Text für einen Brief oder eine Nachricht",
  "Text for a letter or a message, and a poster": "Text für einen Brief oder eine Nachricht, und ein Plakat",
  "Thank you!": "Vielen Dank!",
  "That is the ε of reports alone. What their recipient learns, and under which condition, stands under “Mixer”.":
    "Das ist das ε der Antworten allein. Was ihr Empfänger erfährt, und unter welcher Bedingung, steht unter „Mixer“.",
  "The collector cannot be reached, so that this page is not complete.":
    "Der Server ist nicht erreichbar, deshalb ist diese Seite unvollständig.",
  "The draft is deleted.": "Der Entwurf ist gelöscht.",
  "The group is the participant's own answer to the question about groups. It is made noisy on the device, together with all else.":
    "Die Gruppe ist die eigene Antwort der Person auf die Frage nach Gruppen. Sie wird auf dem Gerät verrauscht, zusammen mit allem anderen.",
  "The invitation is the text after #invitation= in a person's link.":
    "Die Einladung ist der Text nach #invitation= im Link einer Person.",
  "The logo": "Das Logo",
  "The page of the results shows the question, the description, the number of responses, and the results with their ranges. They are estimates from noisy responses, so what they can tell about a single person is limited, however few respond. Nothing can be changed there.":
    "Die Ergebnisseite zeigt die Frage, die Beschreibung, die Zahl der Antworten und die Ergebnisse mit ihren Bereichen. Diese sind Schätzungen aus verrauschten Antworten: Was sie über eine einzelne Person verraten können, ist begrenzt, auch wenn nur wenige antworten. Ändern lässt sich dort nichts.",
  "The survey is closed.": "Die Umfrage ist geschlossen.",
  "The survey is deleted.": "Die Umfrage ist gelöscht.",
  "The survey is open again.": "Die Umfrage ist wieder offen.",
  "This is a whole number of responses, at least 1.": "Das ist eine ganze Zahl von Antworten, mindestens 1.",
  "The number is saved.": "Die Zahl ist gespeichert.",
  "The token that you signed in with shows results and changes nothing. To make surveys, sign out, and sign in with a token for that: ask the person who set up this site.":
    "Mit dem Token, mit dem Sie angemeldet sind, sehen Sie Ergebnisse und ändern nichts. Um Umfragen zu erstellen, melden Sie sich ab und mit einem Token dafür wieder an: Fragen Sie die Person, die diese Website eingerichtet hat.",
  "There are no surveys yet.": "Es gibt noch keine Umfragen.",
  "These are not published yet: no responses are taken. Open one to go on with it.":
    "Diese Umfragen sind noch nicht veröffentlicht: Niemand kann teilnehmen. Öffnen Sie eine, um weiterzumachen.",
  "They are erased from the files of the database too. Backups and downloads stay where they are.":
    "Sie sind auch aus den Dateien der Datenbank gelöscht. Sicherungen und heruntergeladene Dateien bleiben, wo sie sind.",
  "They are not yet erased from the files of the database: it may be in use, or it has to be cleaned up first. With SQLite the collector does that by itself, usually within seconds; with PostgreSQL its administrator has to (see “Delete and back up” in the documentation).":
    "Sie sind noch nicht aus den Dateien der Datenbank gelöscht: Vielleicht ist sie in Gebrauch, oder sie muss erst aufgeräumt werden. Mit SQLite geschieht das von selbst, meist innerhalb von Sekunden; mit PostgreSQL tut es, wer die Datenbank verwaltet (siehe „Delete and back up“ in der Dokumentation).",
  "This is the link to take part:": "Über diesen Link können Sie teilnehmen:",
  "This token is not known here. Check that you have copied all of it, and that it was made for this site.":
    "Dieses Token ist hier unbekannt. Prüfen Sie, ob Sie es ganz kopiert haben und ob es für diese Website erstellt wurde.",
  "Those that were created cannot be shown again; you can create more below.":
    "Bereits erstellte Links lassen sich nicht noch einmal zeigen; unten können Sie weitere erstellen.",
  "To make another one, run “pckv token new” where the collector runs; “pckv token new --help” says how.":
    "Ein weiteres erstellt „pckv token new“ auf dem Server; „pckv token new --help“ sagt, wie.",
  "To the repeated survey and its link": "Zur wiederholten Umfrage und ihrem Link",
  Token: "Token",
  "Try it on this computer": "Auf diesem Computer ausprobieren",
  "Until {day} you can open this survey again.": "Bis {day} können Sie diese Umfrage wieder öffnen.",
  "Until {day} you can restore it: it stands under “Deleted” in the list of surveys.":
    "Bis {day} können Sie sie wiederherstellen: Sie steht in der Liste der Umfragen unter „Gelöscht“.",
  "Unusual responses": "Auffällige Antworten",
  "What is fixed": "Was feststeht",
  "What to do: ask those who handed out the link whether a program or one person sent many responses. If you cannot find out, close this survey under “Settings”, and repeat it with invitations, which count once each.":
    "Was Sie tun können: Fragen Sie alle, die den Link verteilt haben, ob ein Programm oder eine einzelne Person viele Antworten gesendet hat. Lässt sich das nicht klären, schließen Sie die Umfrage unter „Einstellungen“ und wiederholen Sie sie mit Einladungen, von denen jede nur einmal zählt.",
  "What to do: do not publish or pass on these results before you know where the unusual responses come from.":
    "Was Sie tun können: Veröffentlichen Sie diese Ergebnisse nicht und geben Sie sie nicht weiter, bevor Sie wissen, woher die auffälligen Antworten kommen.",
  "What you can do": "Möglichkeiten",
  "With a token of an analyst, programs read the same results:":
    "Mit einem Token zum Auswerten lesen Programme dieselben Ergebnisse:",
  "Without a name": "Ohne Namen",
  "Without an invitation the link only tells that one is needed:":
    "Ohne Einladung sagt der Link nur, dass eine nötig ist:",
  "Not everybody is asked on the same days: the page tells you when it is your turn.":
    "Nicht alle werden an denselben Tagen gefragt: Die Seite sagt Ihnen, wann Sie an der Reihe sind.",
  "You are asked again every day, at the same link.": "Sie werden jeden Tag wieder gefragt, unter demselben Link.",
  "You are asked again every {days} days, at the same link.":
    "Sie werden alle {days} Tage wieder gefragt, unter demselben Link.",
  "You can answer from {day} on (world time, UTC).": "Die Umfrage ist ab {day} offen (Weltzeit, UTC).",
  "You can answer until the end of {day} (world time, UTC).":
    "Sie können bis einschließlich {day} antworten (Weltzeit, UTC).",
  "Your session is over. Save the links that are shown, and then sign in again.":
    "Ihre Sitzung ist beendet. Sichern Sie die gezeigten Links und melden Sie sich dann wieder an.",
  "Your session is over. Sign in again to go on where you were.":
    "Ihre Sitzung ist beendet. Melden Sie sich wieder an, um dort weiterzumachen, wo Sie waren.",
  "[link]": "[Link]",
  all: "alle",
  "at the mixer": "beim Mixer",
  none: "keine",
  "none yet": "noch keine",
  "not checked yet": "noch nicht geprüft",
  response: "Antwort",
  "response in round {round}": "Antwort in Runde {round}",
  "response in round {round} so far": "Antwort bisher in Runde {round}",
  "response so far": "Antwort bisher",
  responses: "Antworten",
  "responses in round {round}": "Antworten in Runde {round}",
  "responses in round {round} so far": "Antworten bisher in Runde {round}",
  "responses so far": "Antworten bisher",
  "sealed response at the mixer": "versiegelte Antwort beim Mixer",
  "sealed responses at the mixer": "versiegelte Antworten beim Mixer",
  "{organisation} would like to ask you:": "{organisation} möchte Sie gern fragen:",
  "we would like to ask you:": "wir möchten Sie gern fragen:",
  "{number} at the mixer": "{number} beim Mixer",
  "{number} of {rounds}": "{number} von {rounds}",
  "{people} in the last {rounds} rounds: everybody answers once in {panels} rounds.":
    "{people} in den letzten {rounds} Runden: Alle antworten einmal in {panels} Runden.",
  "{people} in this round: everybody answers once in {panels} rounds.":
    "{people} in dieser Runde: Alle antworten einmal in {panels} Runden.",
  "{reports} ({target} expected)": "{reports} ({target} erwartet)",
  "{number} expected": "{number} erwartet",
  "{share} of the {batch} that the mixer hands over at least, as it said on {day}. It counts once a day: what came since is not in it.":
    "{share} der {batch}, die der Mixer mindestens übergibt, nach seiner Auskunft vom {day}. Er zählt einmal am Tag: Was seither kam, ist nicht dabei.",
  "“{name}” is deleted": "„{name}“ ist gelöscht",
  "“{name}” is deleted for good.": "„{name}“ ist endgültig gelöscht.",
  "“{name}” is deleted for good: {responses} deleted.": "„{name}“ ist endgültig gelöscht, mit {responses}.",
  "“{name}” is not published. A deleted draft cannot be restored.":
    "„{name}“ ist nicht veröffentlicht. Ein gelöschter Entwurf lässt sich nicht wiederherstellen.",
  "“{name}” is restored.": "„{name}“ ist wiederhergestellt.",
  "“{name}”: the results get a link of their own, and everybody who has it sees them.":
    "„{name}“: Die Ergebnisse bekommen einen eigenen Link, und alle, die ihn haben, sehen sie.",
  "“{name}”: the results get a link of their own, and everybody who has it sees them. The page of the survey leads to them too, for those who have answered and once it is closed.":
    "„{name}“: Die Ergebnisse bekommen einen eigenen Link, und alle, die ihn haben, sehen sie. Auch die Seite der Umfrage verweist darauf: zuerst für alle, die geantwortet haben, und für alle, sobald die Umfrage geschlossen ist.",
  "“{name}”: no more responses are taken, and the results are not shown. For seven days you can restore it from the list of surveys; then it is deleted for good, with all responses. Downloaded copies are not deleted.":
    "„{name}“: Die Teilnahme ist nicht mehr möglich, und die Ergebnisse werden nicht gezeigt. Sieben Tage lang können Sie die Umfrage in der Liste wiederherstellen; dann wird sie mit allen Antworten endgültig gelöscht. Heruntergeladene Kopien werden nicht gelöscht.",
  "“{name}”: no responses are taken from now on, and no further round opens. The results of all rounds stay. It cannot be opened again.":
    "„{name}“: Ab jetzt ist keine Teilnahme mehr möglich, und keine weitere Runde beginnt. Die Ergebnisse aller Runden bleiben. Sie lässt sich nicht wieder öffnen.",
  "“{name}”: no responses are taken from now on, and no further round opens. The results of all rounds stay. You can undo this for seven days, at most until the end of its last round.":
    "„{name}“: Ab jetzt ist keine Teilnahme mehr möglich, und keine weitere Runde beginnt. Die Ergebnisse aller Runden bleiben. Das lässt sich sieben Tage lang rückgängig machen, höchstens bis zum Ende der letzten Runde.",
  "“{name}”: no responses are taken from now on. The results stay. You can undo this for seven days.":
    "„{name}“: Ab jetzt ist keine Teilnahme mehr möglich. Die Ergebnisse bleiben. Das lässt sich sieben Tage lang rückgängig machen.",
  "“{name}”: no responses are taken from now on. The results stay. You can undo this for seven days, at most until its last day.":
    "„{name}“: Ab jetzt ist keine Teilnahme mehr möglich. Die Ergebnisse bleiben. Sieben Tage lang können Sie das rückgängig machen, höchstens bis zum letzten Tag.",
  "“{name}”: the survey, all its responses and its results are deleted for good. Downloaded copies are not deleted. The same survey cannot be made again.":
    "„{name}“: Die Umfrage, alle ihre Antworten und ihre Ergebnisse werden endgültig gelöscht. Heruntergeladene Kopien werden nicht gelöscht. Dieselbe Umfrage lässt sich nicht noch einmal erstellen.",
  "“{name}”: this round takes no more responses from now on, and cannot be opened again. Its results stay. Later rounds open as planned.":
    "„{name}“: Diese Runde nimmt ab jetzt keine Antworten mehr an und lässt sich nicht wieder öffnen. Ihre Ergebnisse bleiben. Spätere Runden beginnen wie geplant.",
  "← All rounds of this survey": "← Alle Runden dieser Umfrage",
};
