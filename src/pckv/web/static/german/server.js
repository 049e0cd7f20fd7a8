// German of what the server says, by its English templates: results, plans and facts, problems.
//
// One word for one thing: key = Antwortmöglichkeit (of unknown ones: Text), hold = wählen, frequency = Häufigkeit, share =
// Anteil, mean = Mittelwert, pair = Angabe, people = Personen, participants = Teilnehmende, report = Antwort, task = Umfrage,
// series = wiederholte Umfrage, round = Runde, label = Gruppe, held together = zusammen gewählt, noise = Rauschen, stand out =
// sich abheben, interval = Intervall, range = Bereich, level of a value = Stufe, hostile = gefälscht, mixer = Mixer, batch =
// Bündel, recipient = Empfänger, claim = Zusage, collector = Server, mechanism = Verfahren, padding = Padding, panel = Panel.

import plans from "./server-plans.js";
import problems from "./server-problems.js";
import results from "./server-results.js";

export default { ...results, ...plans, ...problems };
