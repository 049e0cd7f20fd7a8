// Every sentence of the participant's page in English. A text has the same {placeholders} in all languages; where it
// depends on a number, {count} decides between its forms.
export default {
  title: "{name} – take part",
  asked_by: "Run by {name}.",
  organisation: "the organisation behind this survey",
  of_organisation: "the organisation behind this survey",
  until: "Answers are taken until the end of {day} (world time, UTC).",
  eligibility: "Who may take part",
  contact: "Questions? Write to",
  language: "Language",

  privacy: "Your privacy",
  privacy_stays: "Your answers themselves stay on this device.",
  privacy_noise:
    "Only a report with random noise in it is sent: it may point to answers that you gave, to others by chance, or to none. So not even {asker} can tell for certain what you answered.",
  privacy_weak:
    "In this survey that protection is weak: your answers can make a given report up to {factor} times likelier.",
  privacy_mixed:
    "Only a report with random noise in it is sent, and it is sealed for {asker}. It goes to {operator}, a second party that cannot read it and is to mix it with at least {others} others before {asker} gets any of them. If fewer come, it is to delete them all unread.",
  privacy_weak_mixed:
    "On its own, the noise protects weakly in this survey: your answers can make a given report up to {factor} times likelier. You rely on the mixing as well, and on what it depends on.",
  privacy_help: "More about how your answers are protected",
  privacy_how: "How does this protect me?",
  odds_have:
    "If you do not have “{key}”, your report says that you do with probability {absent}. If you have it, it says so with probability {held}.",
  odds_choose:
    "If you do not choose “{key}”, your report says that you did with probability {absent}. If you choose it, it says so with probability {held}.",
  odds_less: {
    one: "The second probability is lower if more than one thing applies to you.",
    other: "The second probability is lower if more than {count} things apply to you.",
  },
  factor:
    "Whatever you answer, it can make a given report at most {factor} times likelier. That is what ε = {epsilon} stands for; a smaller ε is a stronger protection.",
  factor_weak: "Here, the protection is weak.",
  factor_mixed:
    "To anyone who sees your report on its own: whatever you answer, it can make a given report at most {factor} times likelier. That is what ε = {local} stands for; a smaller ε is a stronger protection.",
  parties: "Who can learn what about you",
  party_mixer:
    "{operator} ({address}) learns that you took part, when and in which survey. If {operator} follows the protocol, it learns nothing about your answers: no way is known today to open the seal without the key of {of_asker}. Should the seal be broken later, the noise is left (ε = {local}).",
  party_mixer_cheats:
    "If {operator} leaves out reports or adds some, it can falsify the results and, from published results, learn your report: then the noise alone protects you (ε = {local}).",
  party_recipient:
    "All reports are to reach {asker} at once, in an order that says nothing. If {operator} follows the protocol and at least {honest} of the reports are honest, your answers can make anything that is seen there at most {factor} times likelier (ε = {epsilon}, except for a probability of δ = {delta}). Honest reports are made as this page makes yours, one per person, by people who do not work with {of_asker}.",
  party_both:
    "If {operator} works together with {of_asker}, or if anyone else sees single reports, the noise alone protects you (ε = {local}).",
  party_page:
    "The server of this page, {host}, and anyone who controls this device could see everything that you enter.",
  honest_open:
    "That {honest} reports are honest is an assumption: anyone can send reports to this survey, {asker} too. The fewer are honest, the more {asker} can learn from your report, at most what the noise leaves (ε = {local}).",
  honest_invited:
    "That {honest} reports are honest is an assumption: it needs invitations that were made and sent by {operator} or a third party. If {asker} made them or gets them, many of the reports can come from there. The fewer are honest, the more {asker} can learn from yours, at most what the noise leaves (ε = {local}).",
  honest_few:
    "If only {few} are honest, your answers can make anything that is seen there at most {factor} times likelier (ε = {left}, with the same δ), as long as {operator} follows the protocol.",
  sizes_device:
    "Some reports say only roughly how many of these things apply to a person ({answers}), and not which. Yours is one of these with probability {share}; that is drawn before your answers are looked at. Noise is added here too: such a report gives the right answer with probability {right}, and each other one with probability {wrong}.",
  sizes_server:
    "Some reports say only roughly how many of these things apply to a person ({answers}), and not which. Yours is one of these with probability {share}; that is drawn by the collector, which does not know your answers. Noise is added here too: such a report gives the right answer with probability {right}, and each other one with probability {wrong}.",
  size_most: "at most {size}",
  size_about: "about {size}",
  invited:
    "You answer by invitation: the person who gave it to you might find out which report is yours. Even then, they cannot tell for certain what you answered.",
  invited_mixed:
    "You answer by invitation: {operator} sees it with your sealed report, and might learn from it who you are. It cannot read the report.",
  coin: "A number that the collector drew for your invitation decides a part of your report that has nothing to do with your answers; so that part cannot be chosen to distort the result.",
  once: "One report is made from your answers and sent at once; you see it afterwards. If people could look at their report first, and some then kept it back, who stays away would tell something that no noise hides. It cannot be made again with other answers, since several reports would give away more.",
  budget:
    "Every report uses up part of a limit that protects you: all surveys of {host} together may spend at most ε = {cap} on this device. ε = {spent} is spent so far.",
  budget_mixed:
    "All surveys of {host} together may spend at most ε = {cap} on this device towards {asker}; ε = {spent} is spent so far, if second parties follow the protocol and enough reports are honest.",
  budget_local: "Whatever fails, they may spend at most ε = {localCap}; ε = {localSpent} is spent so far.",
  answered_once: "Each survey is answered once.",
  answered_rounds: "Each round of this survey is answered once.",
  remembered:
    "This browser remembers that, for {host} alone. The same survey at another address, in another browser or in a private window does not know that you answered: every report made there gives away as much about you again.",
  remembered_title: "What is remembered",
  forgetful:
    "This browser notes which surveys of {host} you have answered, so that nothing asks you twice: a second report would tell more about you. It may lose these notes, and a private window always does. You help to protect yourself if you keep the data of {host} in this browser, and answer nothing a second time.",
  forgetful_rounds:
    "This browser notes which rounds of this survey you have answered, so that none asks you twice: a second report for the same round would tell more about you. It may lose these notes, and a private window always does. You help to protect yourself if you come back in this browser, keep the data of {host} in it, and answer each round only once.",

  answers: "Your answers",
  choose_up_to: {
    one: "Choose one that applies to you, if any does, and give it a value. If more apply to you, choose one of them.",
    other:
      "Choose up to {count} that apply to you, and give each a value. If more apply to you, choose {count} of them.",
  },
  choose_all: "Give a value to everything that applies to you. Leave the rest empty.",
  rate_all: "Rate everything that applies to you. Leave the rest empty.",
  tick_up_to: {
    one: "Choose one that applies to you, if any does. If more apply to you, choose one of them.",
    other: "Choose up to {count} that apply to you. If more apply to you, choose {count} of them.",
  },
  tick_all: "Tick everything that applies to you. Leave the rest empty.",
  write_all: "Write down everything that applies to you, and give each a value.",
  choose_sampled: {
    one: "If more than one applies, this device picks one of them at random for your report.",
    other: "If more than {count} apply, this device picks {count} of them at random for your report.",
  },
  value_range: "{low} to {high}",
  value_range_middle: "{low} to {high}, in the middle {middle}",
  values: "Values: {range}.",
  values_unit: "Values: {range}. Unit: {unit}.",
  two_levels:
    "A report tells no more of a value than whether it is low or high: one in between counts as either, at random.",
  nearest: "If your value is not among those offered, choose the nearest one.",
  value_unit: "{value} {unit}",
  value_label: "{value} ({label})",
  list: "Answers",
  none_of_these: "None of these applies to me",
  none_written: "Nothing applies to me",
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
  value_of: "{key}, from {range}",
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
  chosen_none: "Nothing chosen yet.",
  none_chosen: "None of these. That is an answer too.",
  write_something: "Nothing written yet.",
  chosen_of: "{count} of {limit} chosen",
  chosen_full: "{count} of {limit} chosen. Remove one to choose another.",
  ticked_full: "{count} of {limit} chosen. Untick or remove one to choose another.",
  segment_note: "Give one answer. The report hides it with the same random noise.",
  segment_missing: "Please give one answer to “{name}”.",
  segment_claims: "For “{name}” it names: {labels}.",
  segment_claims_none: "The report names none of the answers to “{name}”.",
  segment_by_chance: "Chance plays a part in this too: the true one is named more often than any other.",
  together_note: "A report is also about which of these apply to you together, and hides that in the same way.",
  together_claims: "In the same way it names which two of all these apply together; that is not listed here.",
  consent: "Your consent",
  agree: "I agree",
  agree_first: "Please read “Your consent”, and tick “I agree” before you send.",
  missing: "Please give “{key}” a value from {low} to {high}, or remove it.",
  send: "Send my answers",
  preview_label: "Preview",
  preview: "Preview: this is what participants will see. Nothing is sent.",
  panel_preview_title: "This is a preview: nothing was sent",
  panel_preview:
    "After sending, participants read here that their report has arrived, what they entered, and what left their device.",
  sending: "Sending …",
  still: "Still trying to reach {host}. Keep this page open.",
  try_again: "Try again",
  try_now: "Try now",
  not_reached: "{host} cannot be reached just now. Nothing was made or sent: try again in a moment.",

  sent_title: "Thank you",
  sent: "Your report has arrived. Because of the random noise in it, it may say what you answered, or something else: that is intended. You can close this page.",
  sent_mixed:
    "Your sealed report has arrived at {operator}. You can close this page. {operator} is to hand all reports over to {of_asker} after the end of {day} (world time, UTC) if at least {batch} have come by then, and otherwise to delete them unread.",
  see_results: "See the results",
  before: "This survey was already answered on this device. There is one report, and no second one is made.",
  before_open: "Another person can answer on another device, or in another browser.",
  before_closed: "The survey is closed: it takes no more answers.",
  waiting_title: "Saved on this device, not sent yet",
  waiting:
    "{host} cannot be reached now. The report is made. Keep this page open, and it sends the same report as soon as that works; or come back later. You see it here once it has arrived.",
  waiting_same: "Trying again sends the same report: nothing is spent twice, and it counts once.",
  next_try: "It tries again in {time}.",
  refused_title: "The report was not taken",
  refused_kept: "What it spent stays spent, and no other report is made.",
  refused_closed: "The survey had ended when the report arrived.",
  refused_deleted: "The survey was deleted before the report arrived.",
  refused_invitation_spent: "The invitation was used before, and each is good for one report.",
  refused_invitation_unknown:
    "The survey takes reports by invitation only, and this one came without a valid invitation. With the whole link that you were given, you can send the same report.",
  refused_other: "{host} did not take it.",

  what_was_sent: "What was sent",
  see_report: "Show what was sent",
  own_entered: "What you entered",
  own_left: "What left this device",
  own_sealed: "What was sealed",
  sealed_note:
    "This is your report as it was sealed. It left this device as {count} sealed bytes, which only {asker} can open.",
  own_size:
    "This report says only roughly how many things apply to you, and not which. That was drawn by chance, and helps the survey too: it shows how many answers people give.",
  example: "What a report looks like",
  example_note: "Made up for this page: it has nothing to do with you or your answers, and is not sent.",
  example_failed: "This part of the page cannot be loaded now.",
  example_entered: "What a person enters",
  example_left: "What could leave their device",
  example_sealed: "What could be sealed on their device",
  example_size: "This report says only roughly how many things apply to them, and not which. That was drawn by chance.",
  not_stored: "Your answers were not stored: only the report is.",
  entered_nothing: "None of these. A report is made all the same, so that it cannot be told from others.",
  entered: {
    one: "{count} in total. It is not sent as it is, nor stored: a report with random noise is made from it.",
    other: "{count} in total. They are not sent as they are, nor stored: a report with random noise is made from them.",
  },
  pair: "{key}: {value}",
  claims: "With random noise added, the report names:",
  claims_none:
    "The report names none of the answer options. That is part of the protection, whatever you chose: all reports together still tell how often each was chosen.",
  claims_none_alone: "The report names no single answer option.",
  claims_none_entered:
    "The report names nothing of what was entered. That is part of the protection: all reports together still tell what is frequent.",
  claims_more: "and {count} more.",
  claims_others: "Of the {rest} others it names about {count}, by chance.",
  claims_texts: "Of all other texts it names {share}, by chance.",
  claims_chance: {
    one: "This need not be what was entered: of people who entered it, at most {held} send a report that names it; of people who did not, {share} do so by chance. So a single report is no proof of what anyone entered.",
    other:
      "These need not be what was entered: of people who entered one of them, at most {held} send a report that names it; of people who did not, {share} do so by chance. So a single report is no proof of what anyone entered.",
  },
  claim_high: "with a high value",
  claim_low: "with a low value",
  claim_both: "with a high or a low value",
  claim_levels: "with the value {values}",
  picked: "It was made from at most {count} of the {all} answers, picked at random.",
  size_claim: "The number that it names: {answer}.",
  size_chance:
    "{share} of all reports are of this kind, whatever people enter. They give the right answer with probability {right}, and each other one with probability {wrong}. A number between two answers counts as one of the two, at random.",
  bytes: "The bytes",
  bytes_note: "{count} bytes in total, a random number and what the report names:",
  bytes_sealed: "{count} bytes were sealed, nothing but what the report names:",
  bytes_rest: " … ({count} bytes)",

  panel_closed_title: "This survey is closed",
  panel_closed: "It takes no more answers. Nothing was made or sent.",
  panel_ended_title: "This survey has ended",
  panel_ended: "Its last day was {day}. Nothing was made or sent.",
  panel_not_open_title: "This survey is not open yet",
  panel_not_open: "It opens on {day} (world time, UTC). Come back then: this link stays the same.",
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
  panel_series_title: "This is one round of a repeated survey",
  panel_series:
    "The survey has one link for all of its rounds, and this browser remembers there which ones you answered. Nothing was made or sent.",
  panel_not_due_title: "It is not your turn now",
  panel_not_due:
    "To protect you, this survey asks each device in one of {panels} rounds. The turn of this device is on {day} (world time, UTC). This link stays the same.",
  panel_not_started_title: "This survey has not started yet",
  panel_not_started: "The survey starts on {day} (world time, UTC). This link stays the same.",
  panel_round_closed_title: "This round is closed",
  panel_round_closed:
    "It takes no more answers, and nothing was made or sent. Your next turn is on {day} (world time, UTC). This link stays the same.",
  panel_over_title: "This survey is over for this device",
  panel_over: "No further round asks this device. Nothing was made or sent.",
  series_note: "This survey repeats. Your next turn is on {day} (world time, UTC), at this same link.",
  series_ended: "This survey has ended. No further round opens.",
  series_over: "This was the last round that asks this device.",
  series_repeats:
    "This survey repeats. A round takes {days}, and this device is asked in {turns}. Each round is a report of its own: together they give away more than one.",
  series_every: "every round",
  series_one_of: "one of {panels} rounds",
  open_series: "Open the repeated survey",
  calendar: "Put my next turns in a calendar",
  calendar_note: {
    one: "A file with one day for your calendar, made on this device. It names {host} and the link, but not the survey.",
    other:
      "A file with {count} days for your calendar, made on this device. It names {host} and the link, but not the survey.",
  },
  calendar_event: "Take part in a survey ({host})",
  calendar_text: "Your turn lasts until the end of {day} (world time, UTC). Use the same browser as before: {link}",
  panel_answered_title: "This survey was already answered on this device",
  panel_answered: "That was by another link. A second report would give away more about you, so none is made.",
  panel_over_budget_title: "Your privacy limit is reached",
  panel_over_budget:
    "With this survey, all surveys of {host} together could learn more about you than this browser allows. Nothing is sent, to protect you.",
  limits_title: "In numbers",
  limits:
    "All surveys of {host} together may spend at most ε = {cap} on this device. ε = {spent} is spent, and this survey would spend {cost} more.",
  limits_mixed:
    "Two limits protect this device, for all surveys of {host} together: on what is learned if second parties mix as they should, and on what is learned if they do not. This survey would pass one of them: it would spend ε = {epsilon} if {operator} follows the protocol and at least {honest} reports are honest, and otherwise ε = {local}.",
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
  begins: "The report names texts that begin with:",
  text_start: "{text} …",
  text_whole: "{text}, and nothing more",
  begins_chance:
    "This need not be what was entered: of reports about beginnings of that length, from people who entered nothing that begins so, {share} name it, by chance. So a single report is no proof of what anyone entered.",
  text_none: "The report names nothing that begins like what was entered.",
  text_others: "Of all other beginnings of that length it names {share}, by chance.",
};
