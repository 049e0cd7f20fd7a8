// German of what the server says, by its English templates: results, plans and facts, problems.
//
// One word for one thing: key = Antwortmöglichkeit (of unknown ones: Text), hold = wählen, frequency = Häufigkeit, share =
// Anteil, mean = Durchschnitt, pair = Angabe (two keys: Kombination), people = Personen, participants = Teilnehmende,
// report = Antwort, task = Umfrage, series = wiederholte Umfrage, round = Runde, label = Gruppe, held together = zusammen
// gewählt, noise = Rauschen, stand out = sich abheben, interval, range = Bereich, count = Zählung, level of a value = Stufe,
// hostile = gefälscht, mixer = Mixer, batch = Bündel, recipient = Empfänger, claim = Zusage, collector = Server, mechanism =
// Verfahren, method = Methode, protocol = Protokoll, padding = Padding, panel = Panel, change = Veränderung.

import plans from "./server-plans.js";
import problems from "./server-problems.js";
import results from "./server-results.js";

export default { ...results, ...plans, ...problems };
