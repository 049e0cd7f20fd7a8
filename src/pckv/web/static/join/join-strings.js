// Every sentence of the participant's page, in each of its languages. A text has the same {placeholders} in
// all of them; where it depends on a number, {count} decides between its forms.

const EN = {
  title: "{name} – take part",
  asked_by: "Asked by whoever runs {host}.",
  until: "Answers are taken until the end of {day} (UTC).",
  eligibility: "Who may take part",
  contact: "Questions? Write to",

  privacy: "Your privacy",
  privacy_stays: "What you enter stays on this device.",
  privacy_noise: "Only a report with random noise in it is sent, which hides your answers even from those who ask.",
  privacy_weak:
    "In this survey that protection is weak: it changes the chance of a report by a factor of up to {factor}.",
  privacy_mixed:
    "Only a report with random noise in it is sent, and it is sealed for those who ask. It goes to {operator}, a second party that cannot read it and is to mix it with at least {others} others before those who ask get any of them. If fewer come, it is to delete them all unread.",
  privacy_weak_mixed:
    "On its own, the noise protects weakly in this survey: it changes the chance of a report by a factor of up to {factor}. You rely on the mixing as well, and on what it depends on.",
  privacy_how: "How does this protect me?",
  odds_have:
    "If you do not have “{key}”, your report says that you do with probability {absent}. If you have it, it says so with probability {held}.",
  odds_choose:
    "If you do not choose “{key}”, your report says that you did with probability {absent}. If you choose it, it says so with probability {held}.",
  odds_less: {
    one: "The second probability is lower if more than one thing applies to you.",
    other: "The second probability is lower if more than {count} things apply to you.",
  },
  factor: "Whatever you answer, the chance of any report changes by at most a factor of {factor} (ε = {epsilon}).",
  factor_weak: "That is weak protection.",
  factor_mixed:
    "For anyone who sees your report on its own: whatever you answer, its chance changes by at most a factor of {factor} (ε = {local}).",
  parties: "Who can learn what about you",
  party_mixer:
    "{operator} ({address}) learns that you took part, when and in which survey. If {operator} follows the protocol, it learns nothing about your answers: no way is known today to open the seal without the key of those who ask. Should the seal be broken later, the noise is left (ε = {local}).",
  party_mixer_cheats:
    "If {operator} leaves out reports or adds some, it can falsify the results and, from published results, learn your report: then the noise alone protects you (ε = {local}).",
  party_recipient:
    "Those who ask are to get all reports at once, in an order that says nothing. If {operator} follows the protocol and at least {honest} of the reports are honest, your answers change the chance of anything they see by at most a factor of {factor} (ε = {epsilon}, except for a probability of δ = {delta}). Honest reports are made as this page makes yours, one per person, by people who do not work with those who ask.",
  party_both:
    "If {operator} and those who ask work together, or if anyone else sees single reports, the noise alone protects you (ε = {local}).",
  party_page: "Whoever serves this page, here {host}, or controls this device could see everything that you enter.",
  honest_open:
    "That {honest} reports are honest is an assumption: anyone can send reports to this survey, those who ask too. The fewer are honest, the more those who ask can learn from your report, at most what the noise leaves (ε = {local}).",
  honest_invited:
    "That {honest} reports are honest is an assumption: it needs invitations that were made and sent by {operator} or a third party. If those who ask made them or pass them on, they can send many of the reports themselves. The fewer are honest, the more they can learn from yours, at most what the noise leaves (ε = {local}).",
  honest_few:
    "If only {few} are honest, your answers change the chance of anything they see by at most a factor of {factor} (ε = {left}, with the same δ), as long as {operator} follows the protocol.",
  sizes_device:
    "Instead, your report may say only roughly how many of these things apply to you ({answers}), and not which. This happens with probability {share}, and is drawn before your answers are looked at. Noise is added here too: such a report gives the right answer with probability {right}, and each other one with probability {wrong}.",
  sizes_server:
    "Instead, your report may say only roughly how many of these things apply to you ({answers}), and not which. This happens with probability {share}, and is drawn by the collector, which does not know your answers. Noise is added here too: such a report gives the right answer with probability {right}, and each other one with probability {wrong}.",
  size_most: "at most {size}",
  size_about: "about {size}",
  invited:
    "You answer by invitation: whoever gave it to you might find out which report is yours. The noise hides your answers from them as well.",
  invited_mixed:
    "You answer by invitation: {operator} sees it with your sealed report, and might learn from it who you are. It cannot read the report.",
  coin: "A number that the collector drew for your invitation decides a part of your report that has nothing to do with your answers; so nobody can choose that part to distort the result.",
  once: "One report is made from your answers and sent at once; you see it afterwards. If people could look at their report first, and some then kept it back, who stays away would tell something that no noise hides. It cannot be made again with other answers, since several reports would give away more.",
  budget:
    "All surveys of {host} together may spend at most ε = {cap} on this device; ε = {spent} is spent so far. Each survey is answered once.",
  budget_mixed:
    "All surveys of {host} together may spend at most ε = {cap} on this device towards those who ask; ε = {spent} is spent so far, if second parties follow the protocol and enough reports are honest. Each survey is answered once.",
  budget_local: "Whatever fails, they may spend at most ε = {localCap}; ε = {localSpent} is spent so far.",
  remembered:
    "This is remembered in this browser, for {host} alone. The same survey at another address, in another browser or in a private window does not know that you answered: every report made there gives away as much about you again.",
  remembered_title: "What is remembered",
  forgetful:
    "This browser may forget that you answered: it has not promised to keep what pages store, and a private window never keeps it. Do not clear the data of {host}, and do not answer this survey again should you be asked to.",

  answers: "Your answers",
  choose_up_to: {
    one: "Choose one that applies to you, if any does, and give it a value. If more apply to you, choose any one of them.",
    other:
      "Choose up to {count} that apply to you, and give each a value. If more apply to you, choose any {count} of them.",
  },
  choose_all: "Give a value to everything that applies to you, and leave out the rest.",
  tick_up_to: {
    one: "Choose one that applies to you, if any does. If more apply to you, choose any one of them.",
    other: "Choose up to {count} that apply to you. If more apply to you, choose any {count} of them.",
  },
  tick_all: "Tick everything that applies to you, and leave out the rest.",
  write_all: "Write down everything that applies to you, and give each a value.",
  choose_sampled: {
    one: "If more than one applies, this device picks one of them at random for your report.",
    other: "If more than {count} apply, this device picks {count} of them at random for your report.",
  },
  values: "Values: {low} to {high}.",
  values_unit: "Values: {low} to {high}. Unit: {unit}.",
  nearest: "If your value is not among those offered, choose the nearest one.",
  value_unit: "{value} {unit}",
  value_label: "{value} ({label})",
  list: "Answers",
  search: "Search",
  letter: "Letter",
  any_letter: "All",
  only_chosen: "Only my answers ({count})",
  range: "{first}–{last} of {count}",
  nothing_found: "Nothing found.",
  nothing_chosen_yet: "You have not chosen anything yet.",
  previous: "Previous",
  next: "Next",
  remove: "Remove {key}",
  removed: "{key} removed.",
  value_of: "{key}, from {low} to {high}",
  slider_of: "{key}, slider",
  no_value: "no value",
  own_name: "What applies to you",
  own_spelling:
    "One at a time, written as others would write it too: another spelling counts as something else. Your words are not sent.",
  own_else: "Something else?",
  own_stays:
    "What you write stays on this device. A report tells no more than that something is not in the list, and that with noise too. If you add several, this device picks one of them at random.",
  own_list: "Not in the list",
  own_add: "Add",
  own_added: "{key} added. Give it a value.",
  own_empty: "Write something first.",
  own_unfinished: "“{key}” is written but not added: press “Add”, or clear the field.",
  own_again: "“{key}” is there already.",
  own_listed: "“{key}” is in the list: choose it there.",
  own_controls: "There is a character in it that cannot be seen, such as a tab. Write it without.",
  own_long: "This is too long: it takes {count} bytes, of at most {most}.",
  some_key: "something",
  another_key: "something else",

  chosen: { one: "{count} chosen", other: "{count} chosen" },
  chosen_none: "Nothing chosen. That is an answer too.",
  chosen_of: "{count} of {limit} chosen",
  chosen_full: "{count} of {limit} chosen. To choose another, remove one first.",
  ticked_full: "{count} of {limit} chosen. To choose another, untick or remove one first.",
  segment_note: "Give one answer. The report hides it with the same random noise.",
  segment_missing: "Please give one answer to “{name}”.",
  segment_claims: "Of “{name}” it claims: {labels}.",
  segment_claims_none: "It names none of the answers to “{name}”.",
  segment_by_chance: "Chance decides which it names: the true one more often than any other.",
  together_note: "A report is also about which of these apply to you together, and hides that in the same way.",
  together_claims: "In the same way it claims which two of all these apply together; that is not listed here.",
  consent: "Your consent",
  agree: "I agree",
  agree_first: "Please read “Your consent”, and tick “I agree” before you send.",
  missing: "Please give “{key}” a value from {low} to {high}, or remove it.",
  send: "Send my report",
  preview: "Preview: this is what participants will see. Nothing is sent.",
  preview_sends_nothing: "This is a preview: no report is made.",
  sending: "Sending …",
  still: "Still trying to reach {host}. Keep this page open.",
  try_again: "Try again",
  try_now: "Try again now",
  not_reached: "{host} cannot be reached just now. Nothing was made or sent: try again in a moment.",

  sent_title: "Thank you",
  sent: "Your report has arrived. You can close this page.",
  sent_mixed:
    "Your sealed report has arrived at {operator}. You can close this page. {operator} is to hand all reports over to those who ask after the end of {day} (UTC) if at least {batch} have come by then, and otherwise to delete them unread.",
  before: "This device has taken part already. There is one report, and no second one is made.",
  waiting_title: "Saved on this device, not sent yet",
  waiting:
    "{host} cannot be reached now. The report is made, and this page sends the same one as soon as you are online; or come back later. You see it here once it has arrived.",
  waiting_same: "Trying again sends the same report: nothing is spent twice, and it counts once.",
  refused_title: "The report was not taken",
  refused_kept: "What it spent stays spent, and no other report is made.",
  refused_closed: "The survey had ended when the report arrived.",
  refused_deleted: "The survey was deleted before the report arrived.",
  refused_invitation_spent: "The invitation was used before, and each is good for one report.",
  refused_invitation_unknown:
    "The survey takes reports by invitation only, and this one came without a valid invitation. With the whole link that you were given, you can send the same report.",
  refused_other: "{host} did not take it ({reason}).",

  what_was_sent: "What was sent",
  own_entered: "What you entered",
  own_left: "What left this device",
  own_sealed: "What was sealed",
  sealed_note:
    "This is your report as it was sealed. It left this device as {count} sealed bytes, for those who ask to open.",
  own_claim: "It claims that you have:",
  own_size: "Chance decided that this report says only roughly how many things apply to you, and not which.",
  example: "What a report looks like",
  example_note: "Made up for this page: it has nothing to do with you or your answers, and is not sent.",
  example_failed: "This part of the page cannot be loaded now.",
  example_entered: "What somebody enters",
  example_left: "What could leave their device",
  example_sealed: "What could be sealed on their device",
  example_claim: "It claims that they have:",
  example_size: "Chance decided that this report says only roughly how many things apply to them, and not which.",
  not_stored: "Your answers were not stored: only the report is.",
  entered_nothing: "Nothing. A report is made all the same, so that nobody can tell.",
  entered: {
    one: "{count} in total. It is neither sent nor stored.",
    other: "{count} in total. They are neither sent nor stored.",
  },
  pair: "{key}: {value}",
  claims_none: "It names none of the things that were asked about.",
  claims_none_alone: "It names none of the single things that were asked about.",
  claims_none_entered: "It names nothing of what was entered.",
  claims_more: "and {count} more.",
  claims_others: "Of the {rest} others it claims about {count}, by chance.",
  claims_texts: "Of all other texts it claims {share}, by chance.",
  claims_chance: "Chance decides: each claim is in {share} of such reports by people to whom it does not apply.",
  claim_high: "with a high value",
  claim_low: "with a low value",
  claim_both: "with a high or a low value",
  claim_levels: "with the value {values}",
  picked: "It was made from at most {count} of your {all} answers, picked at random.",
  size_claim: "It claims that their number is {answer}.",
  size_chance:
    "{share} of all reports are of this kind, whatever people enter. They give the right answer with probability {right}, and each other one with probability {wrong}. A number between two answers counts as one of the two, at random.",
  bytes: "The bytes",
  bytes_note: "{count} bytes in total, a random number and the claims:",
  bytes_sealed: "{count} bytes were sealed, the claims alone:",
  bytes_rest: " … ({count} bytes)",

  panel_closed_title: "This survey is closed",
  panel_closed: "It takes no more answers. Nothing was made or sent.",
  panel_ended_title: "This survey has ended",
  panel_ended: "Its last day was {day}. Nothing was made or sent.",
  panel_not_open_title: "This survey is not open yet",
  panel_not_open: "It opens on {day} (UTC). Come back then: this link stays the same.",
  panel_deleted_title: "This survey was deleted",
  panel_deleted: "It takes no answers. Nothing was made or sent.",
  panel_unknown_title: "There is no such survey here",
  panel_unknown: "{host} does not know this link. Check that you have the whole link that you were given.",
  panel_invitation_needed_title: "This survey is by invitation",
  panel_invitation_needed:
    "Use the whole link that you were given: this one has no invitation in it. Nothing was made or sent.",
  panel_invitation_unknown_title: "This invitation is not valid",
  panel_invitation_unknown:
    "{host} does not know it. Use the whole link that you were given. Nothing was made or sent.",
  panel_invitation_spent_title: "This invitation was used before",
  panel_invitation_spent: "Each invitation is good for one report. Nothing was made or sent.",
  panel_series_title: "This survey is answered by an app",
  panel_series:
    "It asks the same again in rounds, and an app that takes part sends a report by itself when it is this device's turn. The survey cannot be answered on this page. Nothing was made or sent.",
  panel_answered_title: "You have answered this survey",
  panel_answered:
    "This device answered it before, by another link. A second answer would give away more about you, so none is made.",
  panel_over_budget_title: "Enough was asked of you",
  panel_over_budget:
    "All surveys of {host} together may spend at most ε = {cap} on this device. ε = {spent} is spent, and this survey would spend {cost} more. Nothing is sent, to protect you.",
  panel_over_budget_mixed_title: "You have been asked enough",
  panel_over_budget_mixed:
    "Two limits protect this device, for all surveys of {host} together: on what is learned if second parties mix as they should, and on what is learned if they do not. This survey would pass one of them: it would spend ε = {epsilon} if {operator} follows the protocol and at least {honest} reports are honest, and otherwise ε = {local}. Nothing was made or sent.",
  panel_refused_title: "This survey takes no answers now",
  panel_refused: "{host} would not take your report. Nothing was made or sent.",
  panel_unreachable_title: "This survey cannot be opened now",
  panel_unreachable:
    "{host} does not answer. Check your connection, and try again in a moment. Nothing was made or sent.",
  panel_no_crypto_title: "This page needs a secure connection",
  panel_no_crypto:
    "It was opened by a link that starts with “http”. Your browser protects answers only on pages that start with “https”: ask for such a link. Nothing was made or sent.",
  panel_storage_title: "This browser keeps nothing for this page",
  panel_storage:
    "The page must remember that you answered, so that you are never asked to give away more. Allow {host} to store data, or open the link in a window that is not private. Nothing was made or sent.",
  panel_unexpected_title: "This page does not work here",
  panel_unexpected: "Something unexpected happened ({reason}). Try a current browser, or reload the page.",
  panel_cannot_seal_title: "This browser cannot seal reports",
  panel_cannot_seal:
    "Reports of this survey are sealed before they leave a device, and this browser cannot do that (X25519). Update it, or open the link in another browser. Nothing was made or sent.",
  panel_not_accepted_title: "Reports are not taken yet",
  panel_not_accepted: "{operator}, who is to mix the reports, has not accepted this survey. Nothing was made or sent.",

  text_all: "Write down everything that applies to you, one at a time.",
  text_alphabet: "The first {count} characters count, and these can be found: {alphabet}",
  text_added: "{key} added.",
  text_unknown: "This survey cannot find anything with “{letter}” in it. Write it with the characters below.",
  text_spaces: "{alphabet} and spaces",
  text_cut: "counts as “{text}”",
  text_privacy:
    "Your words are not sent: a report is about their first characters only, at most {count} of them, and noise hides those as well. How many it is about has nothing to do with what you write.",
  text_odds:
    "If nothing that you write begins with “{key}”, a report about beginnings of that length claims it all the same with probability {absent}. If something does, it claims it with probability {held}.",
  text_asked: {
    one: "It is about the first character, and nothing behind it.",
    other: "It is about the first {count} characters, and nothing behind them.",
  },
  own_begins: "It claims that you wrote something that begins with:",
  example_begins: "It claims that they wrote something that begins with:",
  text_start: "{text} …",
  text_whole: "{text}, and nothing more",
  text_none: "It claims nothing that begins like what was entered.",
  text_others: "Of all other beginnings of that length it claims {share}, by chance.",
};

const DE = {
  title: "{name} – mitmachen",
  asked_by: "Es fragt, wer {host} betreibt.",
  until: "Antworten sind bis zum Ende des {day} (UTC) möglich.",
  eligibility: "Wer mitmachen kann",
  contact: "Fragen? Schreiben Sie an",

  privacy: "Ihre Privatsphäre",
  privacy_stays: "Was Sie eingeben, bleibt auf diesem Gerät.",
  privacy_noise:
    "Gesendet wird nur ein Bericht mit zufälligem Rauschen, der Ihre Antworten auch vor denen verbirgt, die fragen.",
  privacy_weak:
    "In dieser Umfrage ist dieser Schutz schwach: Die Chance eines Berichts ändert sich um einen Faktor von bis zu {factor}.",
  privacy_mixed:
    "Gesendet wird nur ein Bericht mit zufälligem Rauschen, versiegelt für die Fragenden. Er geht an {operator}: eine zweite Stelle, die ihn nicht lesen kann und ihn mit mindestens {others} anderen mischen soll, bevor die Fragenden etwas davon bekommen. Kommen weniger zusammen, soll sie alle ungelesen löschen.",
  privacy_weak_mixed:
    "Für sich allein schützt das Rauschen in dieser Umfrage schwach: Die Chance eines Berichts ändert sich um einen Faktor von bis zu {factor}. Sie verlassen sich auch auf das Mischen und auf das, wovon es abhängt.",
  privacy_how: "Wie schützt mich das?",
  odds_have:
    "Trifft „{key}“ nicht auf Sie zu, behauptet Ihr Bericht es dennoch mit Wahrscheinlichkeit {absent}. Trifft es zu, behauptet er es mit Wahrscheinlichkeit {held}.",
  odds_choose:
    "Wählen Sie „{key}“ nicht, behauptet Ihr Bericht es dennoch mit Wahrscheinlichkeit {absent}. Wählen Sie es, behauptet er es mit Wahrscheinlichkeit {held}.",
  odds_less: {
    one: "Die zweite Wahrscheinlichkeit ist kleiner, wenn mehr als eines auf Sie zutrifft.",
    other: "Die zweite Wahrscheinlichkeit ist kleiner, wenn mehr als {count} auf Sie zutreffen.",
  },
  factor:
    "Was immer Sie antworten: Die Chance jedes Berichts ändert sich höchstens um den Faktor {factor} (ε = {epsilon}).",
  factor_weak: "Das ist ein schwacher Schutz.",
  factor_mixed:
    "Für alle, die Ihren Bericht für sich allein sehen: Was immer Sie antworten, seine Chance ändert sich höchstens um den Faktor {factor} (ε = {local}).",
  parties: "Wer was über Sie erfahren kann",
  party_mixer:
    "{operator} ({address}) erfährt, dass Sie mitgemacht haben, wann und bei welcher Umfrage. Hält sich {operator} an das Verfahren, erfährt diese Stelle nichts über Ihre Antworten: Bis heute ist kein Weg bekannt, das Siegel ohne den Schlüssel der Fragenden zu öffnen. Wird das Siegel später gebrochen, bleibt das Rauschen (ε = {local}).",
  party_mixer_cheats:
    "Lässt {operator} Berichte weg oder fügt welche hinzu, kann diese Stelle die Ergebnisse verfälschen und aus veröffentlichten Ergebnissen Ihren Bericht erfahren: Dann schützt Sie nur das Rauschen (ε = {local}).",
  party_recipient:
    "Die Fragenden sollen alle Berichte auf einmal bekommen, in einer Reihenfolge, die nichts verrät. Hält sich {operator} an das Verfahren und sind mindestens {honest} der Berichte ehrlich, so ändern Ihre Antworten die Chance von allem, was sie sehen, höchstens um den Faktor {factor} (ε = {epsilon}, bis auf eine Wahrscheinlichkeit von δ = {delta}). Ehrliche Berichte entstehen so wie Ihrer auf dieser Seite, einer je Person, von Menschen, die nicht mit den Fragenden zusammenarbeiten.",
  party_both:
    "Arbeiten {operator} und die Fragenden zusammen, oder sieht sonst jemand einzelne Berichte, so schützt Sie nur das Rauschen (ε = {local}).",
  party_page:
    "Wer diese Seite ausliefert, hier {host}, oder dieses Gerät beherrscht, könnte alles sehen, was Sie eingeben.",
  honest_open:
    "Dass {honest} Berichte ehrlich sind, ist eine Annahme: Bei dieser Umfrage können alle Berichte senden, auch die Fragenden. Je weniger ehrlich sind, desto mehr können die Fragenden aus Ihrem Bericht erfahren, höchstens das, was das Rauschen lässt (ε = {local}).",
  honest_invited:
    "Dass {honest} Berichte ehrlich sind, ist eine Annahme: Dafür müssen {operator} oder Dritte die Einladungen gemacht und verschickt haben. Haben die Fragenden sie gemacht oder geben sie sie weiter, so können sie viele der Berichte selbst senden. Je weniger ehrlich sind, desto mehr können sie aus Ihrem erfahren, höchstens das, was das Rauschen lässt (ε = {local}).",
  honest_few:
    "Sind nur {few} ehrlich, so ändern Ihre Antworten die Chance von allem, was sie sehen, höchstens um den Faktor {factor} (ε = {left}, mit demselben δ), solange sich {operator} an das Verfahren hält.",
  sizes_device:
    "Stattdessen kann Ihr Bericht nur ungefähr sagen, wie viele davon auf Sie zutreffen ({answers}), und nicht welche. Das geschieht mit Wahrscheinlichkeit {share} und wird ausgelost, bevor Ihre Antworten betrachtet werden. Auch hier kommt Rauschen hinzu: Ein solcher Bericht gibt mit Wahrscheinlichkeit {right} die richtige Antwort und jede andere mit Wahrscheinlichkeit {wrong}.",
  sizes_server:
    "Stattdessen kann Ihr Bericht nur ungefähr sagen, wie viele davon auf Sie zutreffen ({answers}), und nicht welche. Das geschieht mit Wahrscheinlichkeit {share} und wird vom Server ausgelost, der Ihre Antworten nicht kennt. Auch hier kommt Rauschen hinzu: Ein solcher Bericht gibt mit Wahrscheinlichkeit {right} die richtige Antwort und jede andere mit Wahrscheinlichkeit {wrong}.",
  size_most: "höchstens {size}",
  size_about: "etwa {size}",
  invited:
    "Sie antworten auf Einladung: Wer sie Ihnen gegeben hat, könnte herausfinden, welcher Bericht Ihrer ist. Das Rauschen verbirgt Ihre Antworten auch dann.",
  invited_mixed:
    "Sie antworten auf Einladung: {operator} sieht sie mit Ihrem versiegelten Bericht und könnte daraus erfahren, wer Sie sind. Lesen kann diese Stelle den Bericht nicht.",
  coin: "Eine Zahl, die der Server für Ihre Einladung gezogen hat, bestimmt einen Teil Ihres Berichts, der nichts mit Ihren Antworten zu tun hat; so kann niemand diesen Teil wählen, um das Ergebnis zu verfälschen.",
  once: "Aus Ihren Antworten entsteht ein Bericht, der sofort gesendet wird; danach sehen Sie ihn. Könnte man ihn vorher ansehen und zurückhalten, so würde das Fehlen etwas verraten, was kein Rauschen verbirgt. Er kann nicht mit anderen Antworten neu gemacht werden, denn mehrere Berichte würden mehr preisgeben.",
  budget:
    "Alle Umfragen von {host} zusammen dürfen auf diesem Gerät höchstens ε = {cap} verbrauchen; bisher ist ε = {spent} verbraucht. Jede Umfrage wird einmal beantwortet.",
  budget_mixed:
    "Alle Umfragen von {host} zusammen dürfen auf diesem Gerät gegenüber den Fragenden höchstens ε = {cap} verbrauchen; bisher ist ε = {spent} verbraucht, wenn sich zweite Stellen an das Verfahren halten und genügend Berichte ehrlich sind. Jede Umfrage wird einmal beantwortet.",
  budget_local:
    "Was auch versagt, sie dürfen höchstens ε = {localCap} verbrauchen; bisher ist ε = {localSpent} verbraucht.",
  remembered:
    "Das wird in diesem Browser gemerkt, nur für {host}. Dieselbe Umfrage unter einer anderen Adresse, in einem anderen Browser oder in einem privaten Fenster weiß nicht, dass Sie geantwortet haben: Jeder Bericht von dort gibt noch einmal ebenso viel über Sie preis.",
  remembered_title: "Was gemerkt wird",
  forgetful:
    "Dieser Browser könnte vergessen, dass Sie geantwortet haben: Er hat nicht zugesagt, Daten von Seiten zu behalten, und ein privates Fenster behält sie nie. Löschen Sie die Daten von {host} nicht, und antworten Sie nicht noch einmal, falls Sie gefragt werden.",

  answers: "Ihre Antworten",
  choose_up_to: {
    one: "Wählen Sie eines, das auf Sie zutrifft, falls es eines gibt, und geben Sie ihm einen Wert. Treffen mehrere zu, wählen Sie ein beliebiges davon.",
    other:
      "Wählen Sie bis zu {count}, die auf Sie zutreffen, und geben Sie jedem einen Wert. Treffen mehr zu, wählen Sie beliebige {count} davon.",
  },
  choose_all: "Geben Sie allem einen Wert, was auf Sie zutrifft, und lassen Sie den Rest aus.",
  tick_up_to: {
    one: "Wählen Sie eines, das auf Sie zutrifft, falls es eines gibt. Treffen mehrere zu, wählen Sie ein beliebiges davon.",
    other: "Wählen Sie bis zu {count}, die auf Sie zutreffen. Treffen mehr zu, wählen Sie beliebige {count} davon.",
  },
  tick_all: "Kreuzen Sie alles an, was auf Sie zutrifft, und lassen Sie den Rest frei.",
  write_all: "Schreiben Sie alles auf, was auf Sie zutrifft, und geben Sie jedem einen Wert.",
  choose_sampled: {
    one: "Trifft mehr als eines zu, wählt dieses Gerät zufällig eines davon für Ihren Bericht.",
    other: "Treffen mehr als {count} zu, wählt dieses Gerät zufällig {count} davon für Ihren Bericht.",
  },
  values: "Werte: {low} bis {high}.",
  values_unit: "Werte: {low} bis {high}. Einheit: {unit}.",
  nearest: "Ist Ihr Wert nicht dabei, wählen Sie den nächstgelegenen.",
  value_unit: "{value} {unit}",
  value_label: "{value} ({label})",
  list: "Antworten",
  search: "Suchen",
  letter: "Buchstabe",
  any_letter: "Alle",
  only_chosen: "Nur meine Antworten ({count})",
  range: "{first}–{last} von {count}",
  nothing_found: "Nichts gefunden.",
  nothing_chosen_yet: "Sie haben noch nichts gewählt.",
  previous: "Zurück",
  next: "Weiter",
  remove: "{key} entfernen",
  removed: "{key} entfernt.",
  value_of: "{key}, von {low} bis {high}",
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
  own_added: "{key} hinzugefügt. Geben Sie ihm einen Wert.",
  own_empty: "Schreiben Sie zuerst etwas.",
  own_unfinished:
    "„{key}“ ist geschrieben, aber nicht hinzugefügt: Drücken Sie „Hinzufügen“, oder leeren Sie das Feld.",
  own_again: "„{key}“ steht schon da.",
  own_listed: "„{key}“ steht auf der Liste: Wählen Sie es dort.",
  own_controls: "Darin ist ein Zeichen, das man nicht sieht, etwa ein Tabulator. Schreiben Sie es ohne.",
  own_long: "Das ist zu lang: Es braucht {count} Bytes, höchstens {most} sind möglich.",
  some_key: "etwas",
  another_key: "etwas anderes",

  chosen: { one: "{count} gewählt", other: "{count} gewählt" },
  chosen_none: "Nichts gewählt. Auch das ist eine Antwort.",
  chosen_of: "{count} von {limit} gewählt",
  chosen_full: "{count} von {limit} gewählt. Um anderes zu wählen, entfernen Sie zuerst etwas.",
  ticked_full: "{count} von {limit} gewählt. Um anderes zu wählen, wählen Sie zuerst etwas ab.",
  segment_note: "Geben Sie eine Antwort. Der Bericht verbirgt sie mit demselben Zufallsrauschen.",
  segment_missing: "Bitte geben Sie eine Antwort auf „{name}“.",
  segment_claims: "Zu „{name}“ behauptet er: {labels}.",
  segment_claims_none: "Er nennt keine der Antworten auf „{name}“.",
  segment_by_chance: "Welche er nennt, entscheidet der Zufall: die wahre öfter als jede andere.",
  together_note: "Ein Bericht sagt auch, was davon zusammen auf Sie zutrifft, und verbirgt das auf dieselbe Weise.",
  together_claims: "Ebenso behauptet er, welche zwei von allen zusammen zutreffen; das steht hier nicht.",
  consent: "Ihre Einwilligung",
  agree: "Ich stimme zu",
  agree_first: "Bitte lesen Sie „Ihre Einwilligung“ und wählen Sie „Ich stimme zu“, bevor Sie senden.",
  missing: "Bitte geben Sie „{key}“ einen Wert von {low} bis {high}, oder entfernen Sie es.",
  send: "Bericht senden",
  preview: "Vorschau: Das sehen die Teilnehmenden. Es wird nichts gesendet.",
  preview_sends_nothing: "Dies ist eine Vorschau: Es wird kein Bericht erstellt.",
  sending: "Wird gesendet …",
  still: "{host} ist noch nicht erreicht, es wird weiter versucht. Lassen Sie diese Seite offen.",
  try_again: "Noch einmal versuchen",
  try_now: "Jetzt noch einmal versuchen",
  not_reached:
    "{host} ist gerade nicht erreichbar. Nichts wurde erstellt oder gesendet: Versuchen Sie es gleich noch einmal.",

  sent_title: "Vielen Dank",
  sent: "Ihr Bericht ist angekommen. Sie können diese Seite schließen.",
  sent_mixed:
    "Ihr versiegelter Bericht ist bei {operator} angekommen. Sie können diese Seite schließen. {operator} soll alle Berichte nach dem Ende des {day} (UTC) den Fragenden übergeben, wenn bis dahin mindestens {batch} gekommen sind, und sie sonst ungelesen löschen.",
  before: "Dieses Gerät hat schon mitgemacht. Es gibt einen Bericht, und es wird kein zweiter erstellt.",
  waiting_title: "Auf diesem Gerät gespeichert, noch nicht gesendet",
  waiting:
    "{host} ist gerade nicht erreichbar. Der Bericht ist erstellt, und diese Seite sendet denselben, sobald Sie online sind; oder kommen Sie später wieder. Sie sehen ihn hier, wenn er angekommen ist.",
  waiting_same: "Ein neuer Versuch sendet denselben Bericht: Nichts wird doppelt verbraucht, und er zählt einmal.",
  refused_title: "Der Bericht wurde nicht angenommen",
  refused_kept: "Was er verbraucht hat, bleibt verbraucht, und es wird kein anderer erstellt.",
  refused_closed: "Die Umfrage war beendet, als der Bericht ankam.",
  refused_deleted: "Die Umfrage wurde gelöscht, bevor der Bericht ankam.",
  refused_invitation_spent: "Die Einladung wurde schon benutzt, und jede gilt für einen Bericht.",
  refused_invitation_unknown:
    "Die Umfrage nimmt Berichte nur auf Einladung an, und dieser kam ohne gültige Einladung. Mit dem vollständigen Link, den Sie bekommen haben, können Sie denselben Bericht senden.",
  refused_other: "{host} hat ihn nicht angenommen ({reason}).",

  what_was_sent: "Was gesendet wurde",
  own_entered: "Was Sie eingegeben haben",
  own_left: "Was dieses Gerät verlassen hat",
  own_sealed: "Was versiegelt wurde",
  sealed_note:
    "Das ist Ihr Bericht, wie er versiegelt wurde. Er hat dieses Gerät als {count} versiegelte Bytes verlassen; öffnen können ihn die Fragenden.",
  own_claim: "Er behauptet, dass auf Sie zutrifft:",
  own_size:
    "Der Zufall hat entschieden, dass dieser Bericht nur ungefähr sagt, wie viele auf Sie zutreffen, und nicht welche.",
  example: "Wie ein Bericht aussieht",
  example_note:
    "Für diese Seite erfunden: Er hat nichts mit Ihnen oder Ihren Antworten zu tun und wird nicht gesendet.",
  example_failed: "Dieser Teil der Seite kann gerade nicht geladen werden.",
  example_entered: "Was jemand eingibt",
  example_left: "Was das Gerät dann verlassen könnte",
  example_sealed: "Was auf dem Gerät versiegelt werden könnte",
  example_claim: "Er behauptet, dass zutrifft:",
  example_size:
    "Der Zufall hat entschieden, dass dieser Bericht nur ungefähr sagt, wie viele zutreffen, und nicht welche.",
  not_stored: "Ihre Antworten wurden nicht gespeichert, nur der Bericht.",
  entered_nothing: "Nichts. Ein Bericht entsteht trotzdem, damit es niemand merkt.",
  entered: {
    one: "{count} insgesamt. Es wird weder gesendet noch gespeichert.",
    other: "{count} insgesamt. Sie werden weder gesendet noch gespeichert.",
  },
  pair: "{key}: {value}",
  claims_none: "Er nennt nichts von dem, wonach gefragt wurde.",
  claims_none_alone: "Er nennt keines der einzelnen Dinge, nach denen gefragt wurde.",
  claims_none_entered: "Er nennt nichts von dem, was eingegeben wurde.",
  claims_more: "und {count} weitere.",
  claims_others: "Von den {rest} anderen behauptet er zufällig etwa {count}.",
  claims_texts: "Von allen anderen Texten behauptet er zufällig {share}.",
  claims_chance:
    "Der Zufall entscheidet: Jede Behauptung steht in {share} solcher Berichte von Menschen, auf die sie nicht zutrifft.",
  claim_high: "mit hohem Wert",
  claim_low: "mit niedrigem Wert",
  claim_both: "mit hohem oder niedrigem Wert",
  claim_levels: "mit dem Wert {values}",
  picked: "Er entstand aus höchstens {count} Ihrer {all} Antworten, zufällig ausgewählt.",
  size_claim: "Er behauptet, dass ihre Anzahl {answer} ist.",
  size_chance:
    "{share} aller Berichte sind von dieser Art, was immer eingegeben wird. Sie geben mit Wahrscheinlichkeit {right} die richtige Antwort und jede andere mit Wahrscheinlichkeit {wrong}. Eine Zahl zwischen zwei Antworten zählt zufällig als eine der beiden.",
  bytes: "Die Bytes",
  bytes_note: "{count} Bytes insgesamt, eine Zufallszahl und die Behauptungen:",
  bytes_sealed: "{count} Bytes wurden versiegelt, nur die Behauptungen:",
  bytes_rest: " … ({count} Bytes)",

  panel_closed_title: "Diese Umfrage ist geschlossen",
  panel_closed: "Sie nimmt keine Antworten mehr an. Nichts wurde erstellt oder gesendet.",
  panel_ended_title: "Diese Umfrage ist beendet",
  panel_ended: "Ihr letzter Tag war der {day}. Nichts wurde erstellt oder gesendet.",
  panel_not_open_title: "Diese Umfrage ist noch nicht offen",
  panel_not_open: "Sie beginnt am {day} (UTC). Kommen Sie dann wieder: Dieser Link bleibt derselbe.",
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
  panel_series_title: "Diese Umfrage beantwortet eine App",
  panel_series:
    "Sie fragt in Runden immer wieder dasselbe, und eine App, die teilnimmt, sendet von selbst einen Bericht, wenn dieses Gerät an der Reihe ist. Auf dieser Seite lässt sich die Umfrage nicht beantworten. Nichts wurde erstellt oder gesendet.",
  panel_answered_title: "Sie haben diese Umfrage beantwortet",
  panel_answered:
    "Dieses Gerät hat sie schon über einen anderen Link beantwortet. Eine zweite Antwort würde mehr über Sie preisgeben, darum wird keine erstellt.",
  panel_over_budget_title: "Sie wurden genug gefragt",
  panel_over_budget:
    "Alle Umfragen von {host} zusammen dürfen auf diesem Gerät höchstens ε = {cap} verbrauchen. ε = {spent} ist verbraucht, und diese Umfrage bräuchte {cost} mehr. Zu Ihrem Schutz wird nichts gesendet.",
  panel_over_budget_mixed_title: "Sie wurden oft genug gefragt",
  panel_over_budget_mixed:
    "Zwei Grenzen schützen dieses Gerät, für alle Umfragen von {host} zusammen: eine für das, was man erfährt, wenn zweite Stellen mischen, wie sie sollen, und eine für das, was man sonst erfährt. Diese Umfrage würde eine davon überschreiten: Sie würde ε = {epsilon} verbrauchen, wenn sich {operator} an das Verfahren hält und mindestens {honest} Berichte ehrlich sind, und sonst ε = {local}. Nichts wurde erstellt oder gesendet.",
  panel_refused_title: "Diese Umfrage nimmt gerade keine Antworten an",
  panel_refused: "{host} würde Ihren Bericht nicht annehmen. Nichts wurde erstellt oder gesendet.",
  panel_unreachable_title: "Diese Umfrage lässt sich gerade nicht öffnen",
  panel_unreachable:
    "{host} antwortet nicht. Prüfen Sie Ihre Verbindung, und versuchen Sie es gleich noch einmal. Nichts wurde erstellt oder gesendet.",
  panel_no_crypto_title: "Diese Seite braucht eine sichere Verbindung",
  panel_no_crypto:
    "Sie wurde über einen Link geöffnet, der mit „http“ beginnt. Ihr Browser schützt Antworten nur auf Seiten, die mit „https“ beginnen: Bitten Sie um einen solchen Link. Nichts wurde erstellt oder gesendet.",
  panel_storage_title: "Dieser Browser behält nichts für diese Seite",
  panel_storage:
    "Die Seite muss sich merken, dass Sie geantwortet haben, damit Sie nie mehr preisgeben. Erlauben Sie {host}, Daten zu speichern, oder öffnen Sie den Link in einem Fenster, das nicht privat ist. Nichts wurde erstellt oder gesendet.",
  panel_unexpected_title: "Diese Seite funktioniert hier nicht",
  panel_unexpected:
    "Etwas Unerwartetes ist geschehen ({reason}). Versuchen Sie es mit einem aktuellen Browser, oder laden Sie die Seite neu.",
  panel_cannot_seal_title: "Dieser Browser kann Berichte nicht versiegeln",
  panel_cannot_seal:
    "Berichte dieser Umfrage werden versiegelt, bevor sie ein Gerät verlassen, und dieser Browser kann das nicht (X25519). Aktualisieren Sie ihn, oder öffnen Sie den Link in einem anderen Browser. Nichts wurde erstellt oder gesendet.",
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
  own_begins: "Er behauptet, dass Sie etwas geschrieben haben, das so beginnt:",
  example_begins: "Er behauptet, dass etwas geschrieben wurde, das so beginnt:",
  text_start: "{text} …",
  text_whole: "{text} und nichts weiter",
  text_none: "Er behauptet nichts, was so beginnt wie das, was eingegeben wurde.",
  text_others: "Von allen anderen Anfängen dieser Länge behauptet er zufällig {share}.",
};

export const STRINGS = { en: EN, de: DE };

export const language =
  navigator.languages.map((tag) => tag.split("-")[0].toLowerCase()).find((tag) => Object.hasOwn(STRINGS, tag)) ?? "en";

const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 15 });
const percents = new Intl.NumberFormat(language, { style: "percent", maximumSignificantDigits: 3 });
// Up, since the sentences say that no ratio is larger.
const ratios = new Intl.NumberFormat(language, { maximumSignificantDigits: 3, roundingMode: "ceil" });
const days = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });

// A sentence in the person's language; numbers are written as that language writes them.
export function say(key, values = {}) {
  const found = STRINGS[language][key],
    text = typeof found === "string" ? found : found[plurals.select(values.count)];
  return text.replace(/\{(\w+)\}/g, (_, name) =>
    typeof values[name] === "number" ? number(values[name]) : values[name],
  );
}

export const number = (value) => numbers.format(value);

export const percent = (share) => percents.format(share);

export const ratio = (factor) => ratios.format(factor);

// A day as YYYY-MM-DD, and some days later.
export const day = (text, later = 0) => days.format(Date.parse(text) + later * 86_400_000);

export const anyOf = (items) => new Intl.ListFormat(language, { type: "disjunction" }).format(items);

export const compareNames = new Intl.Collator(language, { numeric: true }).compare;
