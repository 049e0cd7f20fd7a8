// Every sentence of the participant's page in German. A text has the same {placeholders} in all languages; where it
// depends on a number, {count} decides between its forms.
export default {
  title: "{name} – mitmachen",
  asked_by: "Durchgeführt von {name}.",
  organisation: "die Organisation hinter dieser Umfrage",
  of_organisation: "der Organisation hinter dieser Umfrage",
  until: "Antworten sind bis einschließlich {day} (Weltzeit, UTC) möglich.",
  eligibility: "Wer mitmachen kann",
  contact: "Fragen? Schreiben Sie an",
  language: "Sprache",

  privacy: "Ihre Privatsphäre",
  privacy_stays: "Ihre Antworten selbst bleiben auf diesem Gerät.",
  privacy_noise:
    "Gesendet wird nur ein Bericht mit zufälligem Rauschen: Er kann auf Ihre Antworten hinweisen, durch Zufall auf andere oder auf keine. Darum kann nicht einmal {asker} sicher sagen, was Sie geantwortet haben.",
  privacy_weak:
    "In dieser Umfrage ist dieser Schutz schwach: Ihre Antworten können einen bestimmten Bericht bis zu {factor}-mal so wahrscheinlich machen.",
  privacy_mixed:
    "Gesendet wird nur ein Bericht mit zufälligem Rauschen, versiegelt für {asker}. Er geht an {operator}: eine zweite Stelle, die ihn nicht lesen kann und ihn mit mindestens {others} anderen mischen soll, bevor {asker} etwas davon bekommt. Kommen weniger zusammen, soll sie alle ungelesen löschen.",
  privacy_weak_mixed:
    "Für sich allein schützt das Rauschen in dieser Umfrage schwach: Ihre Antworten können einen bestimmten Bericht bis zu {factor}-mal so wahrscheinlich machen. Sie verlassen sich auch auf das Mischen und auf das, wovon es abhängt.",
  privacy_help: "Mehr darüber, wie Ihre Antworten geschützt sind",
  privacy_how: "Wie schützt mich das?",
  odds_have:
    "Trifft „{key}“ nicht auf Sie zu, behauptet Ihr Bericht es dennoch mit Wahrscheinlichkeit {absent}. Trifft es zu, behauptet er es mit Wahrscheinlichkeit {held}.",
  odds_choose:
    "Wählen Sie „{key}“ nicht, behauptet Ihr Bericht es dennoch mit Wahrscheinlichkeit {absent}. Wählen Sie es, behauptet er es mit Wahrscheinlichkeit {held}.",
  odds_less: {
    one: "Die zweite Wahrscheinlichkeit ist kleiner, wenn mehr als eine Antwortmöglichkeit auf Sie zutrifft.",
    other: "Die zweite Wahrscheinlichkeit ist kleiner, wenn mehr als {count} Antwortmöglichkeiten auf Sie zutreffen.",
  },
  factor:
    "Was immer Sie antworten: Ein bestimmter Bericht wird dadurch höchstens {factor}-mal so wahrscheinlich. Dafür steht ε = {epsilon}; ein kleineres ε schützt stärker.",
  factor_weak: "Hier ist der Schutz schwach.",
  factor_mixed:
    "Für alle, die Ihren Bericht für sich allein sehen: Was immer Sie antworten, ein bestimmter Bericht wird dadurch höchstens {factor}-mal so wahrscheinlich. Dafür steht ε = {local}; ein kleineres ε schützt stärker.",
  parties: "Wer was über Sie erfahren kann",
  party_mixer:
    "{operator} ({address}) erfährt, dass Sie mitgemacht haben, wann und bei welcher Umfrage. Hält sich {operator} an das Protokoll, erfährt diese Stelle nichts über Ihre Antworten: Bis heute ist kein Weg bekannt, das Siegel ohne den Schlüssel von {of_asker} zu öffnen. Wird das Siegel später gebrochen, bleibt das Rauschen (ε = {local}).",
  party_mixer_cheats:
    "Lässt {operator} Berichte weg oder fügt welche hinzu, kann diese Stelle die Ergebnisse verfälschen und aus veröffentlichten Ergebnissen Ihren Bericht erfahren: Dann schützt Sie nur das Rauschen (ε = {local}).",
  party_recipient:
    "Alle Berichte sollen {asker} auf einmal erreichen, in einer Reihenfolge, die nichts verrät. Hält sich {operator} an das Protokoll und sind mindestens {honest} der Berichte ehrlich, so können Ihre Antworten das, was dort zu sehen ist, höchstens {factor}-mal so wahrscheinlich machen (ε = {epsilon}, bis auf eine Wahrscheinlichkeit von δ = {delta}). Ehrliche Berichte entstehen so wie Ihrer auf dieser Seite, einer je Person, von Personen, die nicht mit {of_asker} zusammenarbeiten.",
  party_both:
    "Arbeitet {operator} mit {of_asker} zusammen, oder werden einzelne Berichte anderswo gesehen, so schützt Sie nur das Rauschen (ε = {local}).",
  party_page:
    "Der Server dieser Seite, {host}, und alle, die dieses Gerät kontrollieren, könnten alles sehen, was Sie eingeben.",
  honest_open:
    "Dass {honest} Berichte ehrlich sind, ist eine Annahme: Bei dieser Umfrage kann jede Person Berichte senden, und auch {asker} kann es. Je weniger ehrlich sind, desto mehr kann {asker} aus Ihrem Bericht erfahren, höchstens das, was das Rauschen lässt (ε = {local}).",
  honest_invited:
    "Dass {honest} Berichte ehrlich sind, ist eine Annahme: Dafür müssen {operator} oder Dritte die Einladungen erstellt und verschickt haben. Hat {asker} sie erstellt oder bekommen, können viele der Berichte von dort kommen. Je weniger ehrlich sind, desto mehr kann {asker} aus Ihrem erfahren, höchstens das, was das Rauschen lässt (ε = {local}).",
  honest_few:
    "Sind nur {few} ehrlich, so können Ihre Antworten das, was dort zu sehen ist, höchstens {factor}-mal so wahrscheinlich machen (ε = {left}, mit demselben δ), solange sich {operator} an das Protokoll hält.",
  sizes_device:
    "Manche Berichte sagen nur ungefähr, wie viele Antwortmöglichkeiten auf eine Person zutreffen ({answers}), und nicht welche. Ihr Bericht gehört mit Wahrscheinlichkeit {share} dazu; das wird ausgelost, bevor Ihre Antworten betrachtet werden. Auch hier kommt Rauschen hinzu: Ein solcher Bericht gibt mit Wahrscheinlichkeit {right} die richtige Antwort und jede andere mit Wahrscheinlichkeit {wrong}.",
  sizes_server:
    "Manche Berichte sagen nur ungefähr, wie viele Antwortmöglichkeiten auf eine Person zutreffen ({answers}), und nicht welche. Ihr Bericht gehört mit Wahrscheinlichkeit {share} dazu; das lost der Server aus, der Ihre Antworten nicht kennt. Auch hier kommt Rauschen hinzu: Ein solcher Bericht gibt mit Wahrscheinlichkeit {right} die richtige Antwort und jede andere mit Wahrscheinlichkeit {wrong}.",
  size_most: "höchstens {size}",
  size_about: "etwa {size}",
  invited:
    "Sie antworten auf Einladung: Die Person, von der Sie den Link haben, könnte herausfinden, welcher Bericht Ihrer ist. Was Sie geantwortet haben, weiß sie auch dann nicht sicher.",
  invited_mixed:
    "Sie antworten auf Einladung: {operator} sieht sie mit Ihrem versiegelten Bericht und könnte daraus erfahren, wer Sie sind. Lesen kann diese Stelle den Bericht nicht.",
  coin: "Eine Zahl, die der Server für Ihre Einladung gezogen hat, bestimmt einen Teil Ihres Berichts, der nichts mit Ihren Antworten zu tun hat. So lässt sich dieser Teil nicht wählen, um das Ergebnis zu verfälschen.",
  once: "Aus Ihren Antworten entsteht ein Bericht, der sofort gesendet wird; danach sehen Sie ihn. Könnte man ihn vorher ansehen und zurückhalten, so würde das Fehlen etwas verraten, was kein Rauschen verbirgt. Er kann nicht mit anderen Antworten neu erstellt werden, denn mehrere Berichte würden mehr preisgeben.",
  budget:
    "Jeder Bericht verbraucht einen Teil eines Datenschutz-Limits, das Sie schützt: Alle Umfragen von {host} zusammen dürfen auf diesem Gerät höchstens ε = {cap} verbrauchen. Bisher ist ε = {spent} verbraucht.",
  budget_mixed:
    "Alle Umfragen von {host} zusammen dürfen auf diesem Gerät gegenüber {of_asker} höchstens ε = {cap} verbrauchen; bisher ist ε = {spent} verbraucht, wenn sich zweite Stellen an das Protokoll halten und genügend Berichte ehrlich sind.",
  budget_local:
    "Auch wenn alles andere versagt, dürfen sie höchstens ε = {localCap} verbrauchen; bisher ist ε = {localSpent} verbraucht.",
  answered_once: "Jede Umfrage wird einmal beantwortet.",
  answered_rounds: "Jede Runde dieser Umfrage wird einmal beantwortet.",
  remembered:
    "Dieser Browser merkt sich das, nur für {host}. Dieselbe Umfrage unter einer anderen Adresse, in einem anderen Browser oder in einem privaten Fenster weiß nicht, dass Sie geantwortet haben: Jeder Bericht von dort gibt noch einmal ebenso viel über Sie preis.",
  remembered_title: "Was sich dieser Browser merkt",
  forgetful:
    "Dieser Browser merkt sich, welche Umfragen auf {host} Sie beantwortet haben, damit Sie nichts zweimal gefragt werden: Ein zweiter Bericht würde mehr über Sie verraten. Er kann das vergessen, und ein privates Fenster vergisst es immer. Sie schützen sich, wenn Sie die Daten von {host} in diesem Browser behalten und nichts ein zweites Mal beantworten.",
  forgetful_rounds:
    "Dieser Browser merkt sich, welche Runden dieser Umfrage Sie beantwortet haben, damit keine Sie zweimal fragt: Ein zweiter Bericht zur selben Runde würde mehr über Sie verraten. Er kann das vergessen, und ein privates Fenster vergisst es immer. Sie schützen sich, wenn Sie in diesem Browser wiederkommen, die Daten von {host} darin behalten und jede Runde nur einmal beantworten.",

  answers: "Ihre Antworten",
  choose_up_to: {
    one: "Wählen Sie eine Möglichkeit, die auf Sie zutrifft, falls es eine gibt, und geben Sie einen Wert dafür an. Treffen mehrere zu, wählen Sie eine davon.",
    other:
      "Wählen Sie bis zu {count} Möglichkeiten, die auf Sie zutreffen, und geben Sie für jede einen Wert an. Treffen mehr zu, wählen Sie {count} davon.",
  },
  choose_all: "Geben Sie bei allem, was auf Sie zutrifft, einen Wert an. Lassen Sie den Rest frei.",
  rate_all: "Bewerten Sie, was auf Sie zutrifft. Lassen Sie den Rest frei.",
  tick_up_to: {
    one: "Wählen Sie eine Möglichkeit, die auf Sie zutrifft, falls es eine gibt. Treffen mehrere zu, wählen Sie eine davon.",
    other: "Wählen Sie bis zu {count} Möglichkeiten, die auf Sie zutreffen. Treffen mehr zu, wählen Sie {count} davon.",
  },
  tick_all: "Kreuzen Sie alles an, was auf Sie zutrifft. Lassen Sie den Rest frei.",
  write_all: "Schreiben Sie alles auf, was auf Sie zutrifft, und geben Sie jeweils einen Wert an.",
  choose_sampled: {
    one: "Trifft mehr als eines zu, wählt dieses Gerät zufällig eines davon für Ihren Bericht.",
    other: "Treffen mehr als {count} zu, wählt dieses Gerät zufällig {count} davon für Ihren Bericht.",
  },
  value_range: "{low} bis {high}",
  value_range_middle: "{low} bis {high}, in der Mitte {middle}",
  values: "Werte: {range}.",
  values_unit: "Werte: {range}. Einheit: {unit}.",
  two_levels:
    "Ein Bericht sagt von einem Wert nur, ob er niedrig oder hoch ist: Einer dazwischen zählt zufällig als eines von beiden.",
  nearest: "Ist Ihr Wert nicht dabei, wählen Sie den nächstgelegenen.",
  value_unit: "{value} {unit}",
  value_label: "{value} ({label})",
  list: "Antworten",
  none_of_these: "Nichts davon trifft auf mich zu",
  none_written: "Auf mich trifft nichts zu",
  search: "Suchen",
  letter: "Buchstabe",
  any_letter: "Alle",
  only_chosen: "Nur meine Antworten ({count})",
  range: "{first} bis {last} von {count}",
  nothing_found: "Nichts gefunden.",
  nothing_chosen_yet: "Sie haben noch nichts gewählt.",
  previous: "Zurück",
  next: "Weiter",
  remove: "{key} entfernen",
  removed: "{key} entfernt.",
  value_of: "{key}, von {range}",
  slider_of: "{key}, Schieberegler",
  no_value: "kein Wert",
  own_name: "Was auf Sie zutrifft",
  own_spelling:
    "Eines nach dem anderen und so geschrieben, wie andere es auch schreiben würden: Eine andere Schreibweise zählt als etwas anderes. Ihre Worte werden nicht gesendet.",
  own_else: "Etwas anderes?",
  own_stays:
    "Was Sie schreiben, bleibt auf diesem Gerät. Ein Bericht sagt höchstens, dass etwas nicht auf der Liste steht, und auch das mit Rauschen. Fügen Sie mehreres hinzu, wählt dieses Gerät zufällig eines davon.",
  own_list: "Nicht auf der Liste",
  own_add: "Hinzufügen",
  own_added: "{key} hinzugefügt. Geben Sie einen Wert dafür an.",
  own_empty: "Schreiben Sie zuerst etwas.",
  own_unfinished: "„{key}“ ist geschrieben, aber nicht hinzugefügt: Drücken Sie „Hinzufügen“ oder leeren Sie das Feld.",
  own_again: "„{key}“ steht schon da.",
  own_listed: "„{key}“ steht auf der Liste: Wählen Sie es dort.",
  own_controls: "Darin ist ein Zeichen, das man nicht sieht, etwa ein Tabulator. Schreiben Sie es ohne.",
  own_long: "Das ist zu lang: Es braucht {count} Bytes, höchstens {most} sind möglich.",
  some_key: "etwas",
  another_key: "etwas anderes",

  chosen: { one: "{count} gewählt", other: "{count} gewählt" },
  chosen_none: "Noch nichts gewählt.",
  none_chosen: "Nichts davon. Auch das ist eine Antwort.",
  write_something: "Noch nichts geschrieben.",
  chosen_of: "{count} von {limit} gewählt",
  chosen_full: "{count} von {limit} gewählt. Entfernen Sie etwas, um anderes zu wählen.",
  ticked_full: "{count} von {limit} gewählt. Wählen Sie etwas ab, um anderes zu wählen.",
  segment_note: "Wählen Sie eine Antwort. Dasselbe zufällige Rauschen verbirgt im Bericht auch sie.",
  segment_missing: "Bitte wählen Sie eine Antwort bei „{name}“.",
  segment_claims: "Zu „{name}“ nennt er: {labels}.",
  segment_claims_none: "Der Bericht nennt keine der Antworten bei „{name}“.",
  segment_by_chance: "Auch hier spielt der Zufall mit: Die richtige wird öfter genannt als jede andere.",
  together_note: "Ein Bericht sagt auch, was davon zusammen auf Sie zutrifft, und verbirgt das auf dieselbe Weise.",
  together_claims: "Ebenso nennt er, welche zwei von allen zusammen zutreffen; das steht hier nicht.",
  consent: "Ihre Einwilligung",
  agree: "Ich stimme zu",
  agree_first: "Bitte lesen Sie „Ihre Einwilligung“ und wählen Sie „Ich stimme zu“, bevor Sie senden.",
  missing: "Bitte geben Sie bei „{key}“ einen Wert von {low} bis {high} an oder entfernen Sie die Antwort.",
  send: "Antworten absenden",
  preview_label: "Vorschau",
  preview: "Vorschau: Das sehen die Teilnehmenden. Es wird nichts gesendet.",
  panel_preview_title: "Dies ist eine Vorschau: Es wurde nichts gesendet",
  panel_preview:
    "Nach dem Absenden lesen die Teilnehmenden hier, dass ihr Bericht angekommen ist, was sie eingegeben haben und was ihr Gerät verlassen hat.",
  sending: "Wird gesendet …",
  still: "{host} ist noch nicht erreichbar. Diese Seite versucht es weiter: Lassen Sie sie offen.",
  try_again: "Noch einmal versuchen",
  try_now: "Jetzt versuchen",
  not_reached:
    "{host} ist gerade nicht erreichbar. Nichts wurde erstellt oder gesendet: Versuchen Sie es gleich noch einmal.",

  sent_title: "Vielen Dank",
  sent: "Ihr Bericht ist angekommen. Wegen des zufälligen Rauschens darin sagt er vielleicht, was Sie geantwortet haben, vielleicht auch etwas anderes: Das ist Absicht. Sie können diese Seite schließen.",
  sent_mixed:
    "Ihr versiegelter Bericht ist bei {operator} angekommen. Sie können diese Seite schließen. Nach dem Ende des {day} (Weltzeit, UTC) soll {operator} alle Berichte an {asker} übergeben, wenn bis dahin mindestens {batch} gekommen sind, und sie sonst ungelesen löschen.",
  see_results: "Zu den Ergebnissen",
  before: "Auf diesem Gerät wurde schon geantwortet. Es gibt einen Bericht, und es wird kein zweiter erstellt.",
  before_open: "Eine andere Person kann auf einem anderen Gerät oder in einem anderen Browser antworten.",
  before_closed: "Die Umfrage ist geschlossen: Sie nimmt keine Antworten mehr an.",
  waiting_title: "Auf diesem Gerät gespeichert, noch nicht gesendet",
  waiting:
    "{host} ist gerade nicht erreichbar. Der Bericht ist erstellt. Lassen Sie diese Seite offen: Sie sendet denselben Bericht, sobald es geht. Oder kommen Sie später wieder. Sie sehen ihn hier, wenn er angekommen ist.",
  waiting_same: "Ein neuer Versuch sendet denselben Bericht: Nichts wird doppelt verbraucht, und er zählt einmal.",
  next_try: "Der nächste Versuch beginnt in {time}.",
  refused_title: "Der Bericht wurde nicht angenommen",
  refused_kept: "Was er vom Datenschutz-Limit verbraucht hat, bleibt verbraucht, und es wird kein anderer erstellt.",
  refused_closed: "Die Umfrage war beendet, als der Bericht ankam.",
  refused_deleted: "Die Umfrage wurde gelöscht, bevor der Bericht ankam.",
  refused_invitation_spent: "Die Einladung wurde schon benutzt, und jede gilt für einen Bericht.",
  refused_invitation_unknown:
    "Die Umfrage nimmt Berichte nur auf Einladung an, und dieser kam ohne gültige Einladung. Mit dem vollständigen Link, den Sie bekommen haben, können Sie denselben Bericht senden.",
  refused_other: "{host} hat ihn nicht angenommen.",

  what_was_sent: "Was gesendet wurde",
  see_report: "Zeigen, was gesendet wurde",
  own_entered: "Was Sie eingegeben haben",
  own_left: "Was dieses Gerät verlassen hat",
  own_sealed: "Was versiegelt wurde",
  sealed_note:
    "Das ist Ihr Bericht, wie er versiegelt wurde. Er hat dieses Gerät als {count} versiegelte Bytes verlassen; nur {asker} kann ihn öffnen.",
  own_size:
    "Dieser Bericht sagt nur ungefähr, wie vieles auf Sie zutrifft, und nicht was. Das wurde ausgelost und hilft der Umfrage auch: Es zeigt, wie viele Antworten Personen geben.",
  example: "Wie ein Bericht aussieht",
  example_note:
    "Für diese Seite erfunden: Er hat nichts mit Ihnen oder Ihren Antworten zu tun und wird nicht gesendet.",
  example_failed: "Dieser Teil der Seite kann gerade nicht geladen werden.",
  example_entered: "Was eine Person eingibt",
  example_left: "Was das Gerät dann verlassen könnte",
  example_sealed: "Was auf dem Gerät versiegelt werden könnte",
  example_size: "Dieser Bericht sagt nur ungefähr, wie vieles zutrifft, und nicht was. Das wurde ausgelost.",
  not_stored: "Ihre Antworten wurden nicht gespeichert, nur der Bericht.",
  entered_nothing: "Nichts davon. Ein Bericht entsteht trotzdem, damit er sich nicht von anderen unterscheidet.",
  entered: {
    one: "{count} Angabe insgesamt. Sie wird so weder gesendet noch gespeichert: Aus ihr entsteht ein Bericht mit zufälligem Rauschen.",
    other:
      "{count} Angaben insgesamt. Sie werden so weder gesendet noch gespeichert: Aus ihnen entsteht ein Bericht mit zufälligem Rauschen.",
  },
  pair: "{key}: {value}",
  claims: "Mit zufälligem Rauschen nennt der Bericht:",
  claims_none:
    "Der Bericht nennt keine der Antwortmöglichkeiten. Das gehört zum Schutz, was immer Sie gewählt haben: Alle Berichte zusammen zeigen trotzdem, wie oft jede gewählt wurde.",
  claims_none_alone: "Der Bericht nennt keine einzelne Antwortmöglichkeit.",
  claims_none_entered:
    "Der Bericht nennt nichts von dem, was eingegeben wurde. Das gehört zum Schutz: Alle Berichte zusammen zeigen trotzdem, was häufig ist.",
  claims_more: "und {count} weitere.",
  claims_others: "Von den {rest} anderen nennt er zufällig etwa {count}.",
  claims_texts: "Von allen anderen Texten nennt er zufällig {share}.",
  claims_chance: {
    one: "Das muss nicht sein, was eingegeben wurde: Von den Personen, die es eingegeben haben, senden höchstens {held} einen Bericht, der es nennt; von den anderen durch Zufall {share}. Ein einzelner Bericht ist darum kein Beweis dafür, was jemand eingegeben hat.",
    other:
      "Das muss nicht sein, was eingegeben wurde: Von den Personen, die eines davon eingegeben haben, senden höchstens {held} einen Bericht, der es nennt; von den anderen durch Zufall {share}. Ein einzelner Bericht ist darum kein Beweis dafür, was jemand eingegeben hat.",
  },
  claim_high: "mit hohem Wert",
  claim_low: "mit niedrigem Wert",
  claim_both: "mit hohem oder niedrigem Wert",
  claim_levels: "mit dem Wert {values}",
  picked: "Er entstand aus höchstens {count} der {all} Angaben, zufällig ausgewählt.",
  size_claim: "Die Anzahl, die er nennt: {answer}.",
  size_chance:
    "{share} aller Berichte sind von dieser Art, was immer eingegeben wird. Sie geben mit Wahrscheinlichkeit {right} die richtige Antwort und jede andere mit Wahrscheinlichkeit {wrong}. Eine Zahl zwischen zwei Antworten zählt zufällig als eine der beiden.",
  bytes: "Die Bytes",
  bytes_note: "{count} Bytes insgesamt: eine Zufallszahl und das, was der Bericht nennt:",
  bytes_sealed: "{count} Bytes wurden versiegelt: nur das, was der Bericht nennt:",
  bytes_rest: " … ({count} Bytes)",

  panel_closed_title: "Diese Umfrage ist geschlossen",
  panel_closed: "Sie nimmt keine Antworten mehr an. Nichts wurde erstellt oder gesendet.",
  panel_ended_title: "Diese Umfrage ist beendet",
  panel_ended: "Ihr letzter Tag war der {day}. Nichts wurde erstellt oder gesendet.",
  panel_not_open_title: "Diese Umfrage ist noch nicht offen",
  panel_not_open: "Sie beginnt am {day} (Weltzeit, UTC). Kommen Sie dann wieder: Dieser Link bleibt derselbe.",
  panel_deleted_title: "Diese Umfrage wurde gelöscht",
  panel_deleted: "Sie nimmt keine Antworten an. Nichts wurde erstellt oder gesendet.",
  panel_unknown_title: "Hier gibt es keine solche Umfrage",
  panel_unknown: "{host} kennt diesen Link nicht. Prüfen Sie, ob Sie den vollständigen Link haben.",
  panel_invitation_needed_title: "Diese Umfrage ist nur auf Einladung offen",
  panel_invitation_needed:
    "Verwenden Sie den vollständigen Link, den Sie bekommen haben: In diesem fehlt die Einladung. Nichts wurde erstellt oder gesendet.",
  panel_invitation_unknown_title: "Diese Einladung ist nicht gültig",
  panel_invitation_unknown:
    "{host} kennt sie nicht. Verwenden Sie den vollständigen Link, den Sie bekommen haben. Nichts wurde erstellt oder gesendet.",
  panel_invitation_spent_title: "Diese Einladung wurde schon benutzt",
  panel_invitation_spent: "Jede Einladung gilt für einen Bericht. Nichts wurde erstellt oder gesendet.",
  panel_series_title: "Das ist eine Runde einer wiederholten Umfrage",
  panel_series:
    "Die Umfrage hat einen Link für alle Runden. Dort merkt sich dieser Browser, welche Sie beantwortet haben. Nichts wurde erstellt oder gesendet.",
  panel_not_due_title: "Sie sind gerade nicht an der Reihe",
  panel_not_due:
    "Zu Ihrem Schutz fragt diese Umfrage jedes Gerät nur in einer von {panels} Runden. Dieses Gerät ist am {day} (Weltzeit, UTC) an der Reihe. Der Link bleibt derselbe.",
  panel_not_started_title: "Diese Umfrage hat noch nicht begonnen",
  panel_not_started: "Die Umfrage beginnt am {day} (Weltzeit, UTC). Der Link bleibt derselbe.",
  panel_round_closed_title: "Diese Runde ist geschlossen",
  panel_round_closed:
    "Sie nimmt keine Antworten mehr an; nichts wurde erstellt oder gesendet. Am {day} (Weltzeit, UTC) sind Sie wieder an der Reihe. Der Link bleibt derselbe.",
  panel_over_title: "Für dieses Gerät ist die Umfrage zu Ende",
  panel_over: "Keine weitere Runde fragt dieses Gerät. Nichts wurde erstellt oder gesendet.",
  series_note:
    "Diese Umfrage wiederholt sich. Am {day} (Weltzeit, UTC) sind Sie das nächste Mal an der Reihe, unter demselben Link.",
  series_ended: "Diese Umfrage ist beendet. Es beginnt keine weitere Runde.",
  series_over: "Das war die letzte Runde, in der dieses Gerät gefragt wird.",
  series_repeats:
    "Diese Umfrage wiederholt sich. Eine Runde dauert {days}, und dieses Gerät wird in {turns} gefragt. Aus jeder Runde entsteht ein eigener Bericht: Zusammen geben sie mehr preis als einer.",
  series_every: "jeder Runde",
  series_one_of: "einer von {panels} Runden",
  open_series: "Wiederholte Umfrage öffnen",
  calendar: "Meine Termine in den Kalender eintragen",
  calendar_note: {
    one: "Eine Datei mit einem Termin für Ihren Kalender. Sie entsteht auf diesem Gerät und nennt {host} und den Link, aber nicht den Namen der Umfrage.",
    other:
      "Eine Datei mit {count} Terminen für Ihren Kalender. Sie entsteht auf diesem Gerät und nennt {host} und den Link, aber nicht den Namen der Umfrage.",
  },
  calendar_event: "An einer Umfrage teilnehmen ({host})",
  calendar_text:
    "Sie sind bis einschließlich {day} (Weltzeit, UTC) an der Reihe. Verwenden Sie denselben Browser wie bisher: {link}",
  panel_answered_title: "Auf diesem Gerät wurde schon geantwortet",
  panel_answered:
    "Das war über einen anderen Link. Ein zweiter Bericht würde mehr über Sie preisgeben, darum wird keiner erstellt.",
  panel_over_budget_title: "Ihr Datenschutz-Limit ist erreicht",
  panel_over_budget:
    "Mit dieser Umfrage könnten alle Umfragen von {host} zusammen mehr über Sie erfahren, als dieser Browser zulässt. Zu Ihrem Schutz wird nichts gesendet.",
  limits_title: "In Zahlen",
  limits:
    "Alle Umfragen von {host} zusammen dürfen auf diesem Gerät höchstens ε = {cap} verbrauchen. ε = {spent} ist verbraucht, und diese Umfrage bräuchte {cost} mehr.",
  limits_mixed:
    "Zwei Datenschutz-Limits schützen dieses Gerät, für alle Umfragen von {host} zusammen: Das eine gilt, wenn zweite Stellen mischen, wie sie sollen, das andere, wenn nicht. Diese Umfrage würde eines davon überschreiten: Sie würde ε = {epsilon} verbrauchen, wenn sich {operator} an das Protokoll hält und mindestens {honest} Berichte ehrlich sind, und sonst ε = {local}.",
  panel_refused_title: "Diese Umfrage nimmt gerade keine Antworten an",
  panel_refused: "{host} würde Ihren Bericht nicht annehmen. Nichts wurde erstellt oder gesendet.",
  panel_unreachable_title: "Diese Umfrage lässt sich gerade nicht öffnen",
  panel_unreachable:
    "{host} antwortet nicht. Prüfen Sie Ihre Verbindung und versuchen Sie es gleich noch einmal. Nichts wurde erstellt oder gesendet.",
  panel_no_crypto_title: "Diese Seite braucht eine sichere Verbindung",
  panel_no_crypto:
    "Sie wurde über einen Link geöffnet, der mit „http“ beginnt. Ihr Browser schützt Antworten nur auf Seiten, die mit „https“ beginnen: Bitten Sie um einen solchen Link. Nichts wurde erstellt oder gesendet.",
  panel_storage_title: "Dieser Browser speichert nichts für diese Seite",
  panel_storage:
    "Die Seite muss sich merken, dass Sie geantwortet haben, damit Sie nicht noch einmal gefragt werden und mehr preisgeben. Erlauben Sie {host}, Daten zu speichern, oder öffnen Sie den Link in einem Fenster, das nicht privat ist. Nichts wurde erstellt oder gesendet.",
  panel_unexpected_title: "Diese Seite funktioniert hier nicht",
  panel_unexpected:
    "Etwas Unerwartetes ist geschehen ({reason}). Versuchen Sie es mit einem aktuellen Browser oder laden Sie die Seite neu.",
  panel_cannot_seal_title: "Dieser Browser kann Berichte nicht versiegeln",
  panel_cannot_seal:
    "Berichte dieser Umfrage werden versiegelt, bevor sie ein Gerät verlassen, und dieser Browser kann das nicht (X25519). Aktualisieren Sie ihn oder öffnen Sie den Link in einem anderen Browser. Nichts wurde erstellt oder gesendet.",
  panel_not_accepted_title: "Noch werden keine Berichte angenommen",
  panel_not_accepted:
    "{operator} soll die Berichte mischen, hat diese Umfrage aber nicht angenommen. Nichts wurde erstellt oder gesendet.",

  text_all: "Schreiben Sie alles auf, was auf Sie zutrifft, eines nach dem anderen.",
  text_alphabet: "Die ersten {count} Zeichen zählen, und diese lassen sich finden: {alphabet}",
  text_added: "{key} hinzugefügt.",
  text_unknown: "Diese Umfrage kann nichts finden, worin „{letter}“ vorkommt. Schreiben Sie es mit den Zeichen unten.",
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
  begins: "Der Bericht nennt Texte, die so beginnen:",
  text_start: "{text} …",
  text_whole: "{text} und nichts weiter",
  begins_chance:
    "Das muss nicht sein, was eingegeben wurde: Von den Berichten über Anfänge dieser Länge von Personen, die nichts mit diesem Anfang eingegeben haben, nennen ihn {share} durch Zufall. Ein einzelner Bericht ist darum kein Beweis dafür, was jemand eingegeben hat.",
  text_none: "Der Bericht nennt nichts, was so beginnt wie das, was eingegeben wurde.",
  text_others: "Von allen anderen Anfängen dieser Länge nennt er zufällig {share}.",
};
