// Everyday English of what the server says first: verdicts, lights and charts. It says keys, pairs and reports, as analysts
// and commands do; operators read answer options, choices and responses, and meet the others under "Details".
export default {
  // Titles of problems, and their details.
  "The task does not take reports yet.": "The survey does not take responses yet.",
  "The task takes no more reports.": "The survey takes no more responses.",
  "The task has no such invitation.": "The survey has no such invitation.",
  "The reports of this task go to its mixer.": "The responses to this survey go to its mixer.",
  "There is no such task or page here.": "There is no such survey or page here.",
  "The mixer or the private key of this task is not ready.":
    "The mixer or the private key of this survey is not ready.",
  "The task was deleted.": "The survey was deleted.",
  "the results of this task are not public": "the results of this survey are not public",
  "this task does not ask which keys are held together":
    "this survey does not ask which answer options are chosen together",
  "this task has no segment": "this survey has no groups",
  "this task takes reports by invitation only": "this survey takes responses by invitation only",
  "the series was closed on {}, and takes no more reports": "the survey was closed on {1}, and takes no more responses",
  "reports have come since: ask again without the snapshot": "responses have come since: load the results again",
  "Its reports were deleted on {}: only their counts are left.":
    "Its responses were deleted on {1}: only their counts are left.",
  "it has not accepted this {}: its operator does so first":
    "it has not accepted this survey: its operator does so first",
  "it does not take the recipient's token of this task": "it does not take the recipient's token of this survey",
  // The names of facts.
  "pairs per report": "answers per response",
  "keys per report": "answer options per response",
  "texts per report": "texts per response",
  "items per report": "entries per response",
  "bytes per report": "bytes per response",
  "ε of a report": "ε of a response",
  "first keys": "first answer options",
  // Days are written in words.
  "rounds without end of {} from {} on": "rounds without end of {1} from {2} on",
  "{} of {} days from {} on": "{1} of {2} days from {3} on",
  "{}; a device reports in every round": "{1}; a device answers in every round",
  "{}; a device reports in one round out of {}": "{1}; a device answers in one round out of {2}",
  "it opens on {}": "it opens on {1}",
  "The closing day, {}, is in the past.": "The closing day, {1}, is in the past.",
  "Its closing day, {}, has come.": "Its closing day, {1}, has come.",
  "It was closed on {}, which could be undone until {}.": "It was closed on {1}, which could be undone until {2}.",

  // The batch of a survey through a mixer.
  "Reports go to the mixer of {} and come together from {} on{}. Fewer than {} are deleted unread.":
    "Responses go to the mixer of {1:raw} and come together from {2} on{3}. Fewer than {4} are deleted unread.",
  "; as it said on {}, {} wait": "; as it said on {1}, {2} wait",
  "A batch of {} sealed report has come and is being opened.":
    "A batch of {1} sealed response has come and is being opened.",
  "A batch of {} sealed reports has come and is being opened.":
    "A batch of {1} sealed responses has come and is being opened.",
  "Fewer than {} had come to the mixer of {} by {}: it deleted them unread, and there are no results.":
    "Fewer than {1} had come to the mixer of {2:raw} by {3}: it deleted them unread, and there are no results.",
  "{}, which runs the mixer, withdrew the task: its reports were deleted unread, and there are no results.":
    "{1:raw}, which runs the mixer, withdrew the survey: its responses were deleted unread, and there are no results.",
  "{} came from the mixer of {}; {} more could not be read.":
    "{1} came from the mixer of {2:raw}; {3} more could not be read.",
  "{} came from the mixer of {}.": "{1} came from the mixer of {2:raw}.",

  // Refusals of forms.
  "most pairs must be at least 1 and at most the number of keys ({}), not {}":
    "“At most” must be at least 1 and at most the number of answer options ({1}), not {2}",
  "most pairs must be at least the {} pairs of the average and at most the number of keys ({}), not {}":
    "“At most” must be at least the average, {1}, and at most the number of answer options ({2}), not {3}",
  "most pairs must be at least the {} pairs that those who hold any hold on average and at most the number of keys ({}), not {}":
    "“At most” must be at least the {1} that those who choose any choose on average, and at most the number of answer options ({2}), not {3}",
  "pairs must be at most the number of keys ({}), not {}":
    "people cannot choose more than all {1} answer options on average: this says {2}",
  "pairs must be at most the number of keys ({}), not {}: the {} of people who hold any would hold {} each, on average":
    "people cannot choose more than all {1} answer options on average: this says {2}, which is {4} for each of those who choose any",
  "pairs must be at least the share of people who hold any ({}), not {}: each of those holds one or more":
    "the average must be at least the share of people who choose any ({1}), not {2}: each of those chooses one or more",
  "pairs must be at least the frequency of a key ({}), not {}":
    "the average must be at least the share of people who choose an answer option ({1}), not {2}",
  "pairs must be at least {}, not {}": "the average must be at least {1}, not {2}",
  "holding, the share of people who hold any pair, must be at least {} and at most 1, not {}":
    "the share of people who choose any answer option must be at least {1} and at most 1, not {2}",
  "the share of people who hold any pair must be a number above 0 and at most 1":
    "the share of people who choose any answer option must be a number above 0 and at most 1",
  "the pairs per person must be a number above 0": "the answer options per person must be a number above 0",
  "the most pairs per person must be a whole number from 1 on": "“At most” must be a whole number from 1 on",
  "key {} {} is the same as key {}": "answer option {1}, {2:raw}, is the same as answer option {3}",
  "label {} {} is the same as label {}": "group {1}, {2:raw}, is the same as group {3}",
  "key {} appears twice": "answer option {1:raw} appears twice",
  "other must not have the name of a listed key, {}":
    "the answer for all others has the name of an answer option: {1:raw}",
  "hostile reports must be a number such as 100, or a share such as 1%, not {}":
    "forged responses must be a number such as 100, or a share such as 1%, not {1:raw}",
  "hostile reports must be fewer than all reports: {} of {} leave none":
    "forged responses must be fewer than all responses: {1} of {2} leave none",
  "the first day, {}, is in the past: use force if that is meant": "the first day, {1}, is in the past",
  // Plans of discoveries.
  "The light: {} (green) if texts are found that {} of the people hold, {} (red) if not even those are that {} hold, and {} (amber) for anything between.":
    "The light: {1} (green) if answers are found that {2} of the people give, {3} (red) if not even those are that {4} give, and {5} (yellow) for anything between.",
  "The light compares the frequency from which keys stand out with what is plausible for the ten most frequent keys, or all if there are fewer: a few prevail (Zipf's law), they decline evenly, or all keys are equally frequent. Enough people (green): all of them stand out in each case. Too few people (red): fewer than a quarter do if a few prevail. Enough people for frequent keys (amber): anything between. Where you name a frequency, it is green if keys of that frequency stand out, and red if not even those of twice that frequency do.{}":
    "The light compares the frequency from which answers stand out with what is plausible for the ten most frequent answers, or all if there are fewer: a few prevail (Zipf's law), they decline evenly, or all answers are equally frequent. Enough people (green): all of them stand out in each case. Too few people (red): fewer than a quarter do if a few prevail. Enough people for frequent answers (yellow): anything between. Where you name a frequency, it is green if answers of that frequency stand out, and red if not even those of twice that frequency do.{1}",
  "{}, translated into {}": "{1:languages}; translations: {2:languages}",
  "{} are in {}, each of which reports prefixes of another length, at ε {}. More people, a larger ε or fewer characters find rarer texts.":
    "{1} are in {2}, each of which is asked for the beginnings of texts in another length. More people, a lighter privacy level or fewer letters find rarer answers.",
  "A text of {} that {} of the people hold is found {} of the time; shorter ones are found at lower frequencies.":
    "An answer of {1} that {2} of the people give is found {3} of the time; shorter ones are found where fewer give them.",
  "No text of {} is sure to be found, even if all people hold it.":
    "No answer of {1} is sure to be found, even if all people give it.",
  // Verdicts.
  "Do not use these numbers: honest reports do not give such counts, whatever people hold.":
    "Do not use these numbers: honest responses do not give such counts, whatever people chose.",
  "Some reports were copied, made up, or made by a faulty client: find where they come from, and count again without them, or collect again.":
    "Some responses were copied, made up, or made by a faulty program: find out where they come from, or repeat the survey.",
  "There are no reports yet.": "There are no responses yet.",
  "1 of {} keys stands out from the noise{}; {}.": "1 of {1} answer options is clearly above zero{2}; {3}.",
  "{} of {} keys {} out from the noise{}; {}.": "{1} of {2} answer options are clearly above zero{4}; {5}.",
  "The key stands out from the noise{}.": "The answer option is clearly above zero{1}.",
  "Both keys stand out from the noise{}.": "Both answer options are clearly above zero{1}.",
  "All {} keys stand out from the noise{}.": "All {1} answer options are clearly above zero{2}.",
  "No key stands out from the noise{}: {}. More people or a larger ε would help.":
    "No answer option is clearly above zero{1}: {2}. With more responses, more could be seen.",
  "No key stands out from the noise{}: {}. Fewer hostile reports or a larger ε would help.":
    "No answer option is clearly above zero{1}: {2}. With fewer forged responses, more could be seen.",
  "The key does not stand out from the noise{}: {}. More people or a larger ε would help.":
    "This answer option is not clearly above zero{1}: {2}. With more responses, more could be seen.",
  "The key does not stand out from the noise{}: {}. Fewer hostile reports or a larger ε would help.":
    "This answer option is not clearly above zero{1}: {2}. With fewer forged responses, more could be seen.",
  " (at most {} % of such flags are false, on average)": " (on average, at most {1} % of such statements are false)",
  ", whatever {} of the reports say{}": ", whatever {1} of the responses say{2}",
  "the noise, whatever {} of the reports say": "the noise, whatever {1} of the responses say",
  "the noise, of {} tested (at most {} of such flags are false, on average)":
    "the noise, of {1} that were compared (on average, at most {2} of such statements are false)",
  "the noise, whatever {} of the reports say, of {} tested (at most {} of such flags are false, on average)":
    "the noise, whatever {1} of the responses say, of {2} that were compared (on average, at most {3} of such statements are false)",
  "intervals hold whatever {} of the reports say": "ranges are right whatever {1} of the responses say",
  "the one that does not may be zero": "the other one may be zero",
  "how frequent the one that does not is is unknown": "how frequent the other one is is unknown",
  "Up to {} of people may hold keys that are not listed.":
    "Up to {1} of people may choose something that is not listed.",
  "{} of people hold keys that are not listed ({} to {}).":
    "{1} of people choose something that is not listed ({2} to {3}).",
  "Up to {} of people may hold keys that are not listed": "Up to {1} of people may choose something that is not listed",
  "{} of people hold keys that are not listed ({} to {})":
    "{1} of people choose something that is not listed ({2} to {3})",
  "Of the intervals of keys that stand out, at most {} miss the truth by chance, on average: each has the level {} %, since these keys were selected. Others have {} %.":
    "Of the ranges of answer options that stand out, at most {1} miss the truth by chance, on average: each has the confidence {2} %, since these were selected. Others have {3} %.",
  "{} of the keys share their numbers with each other: reports do not tell such keys apart, and the estimates of each are those of all that have its number.":
    "{1} of the answer options share their numbers with each other: responses do not tell such ones apart, and the estimates of each are those of all that have its number.",
  "The mean of 1 key is unknown for that reason: the mean of the reported pairs stands beside.{}":
    "The average of 1 answer option is unknown for that reason: the average of the values that were sent stands beside.",
  "The means of {} keys are unknown for that reason: the mean of the reported pairs stands beside.{}":
    "The averages of {1} answer options are unknown for that reason: the average of the values that were sent stands beside.",
  "No participant holds more than {}, by contract.": "No participant may choose more than {1}.",
  "How many pairs people hold is not known, and a report stands for at most {}. If people hold more, true frequencies are higher, up to {} times{}":
    "A response stands for at most {1}, and whether people chose more is not known. If they did, true shares are higher, up to {2} times{3}",
  "How many pairs people hold is not known, and a report stands for at most {}. If people hold more, true frequencies are higher, perhaps many times{}":
    "A response stands for at most {1}, and whether people chose more is not known. If they did, true shares are higher, perhaps many times{2}",
  "How many keys people hold is not known, and a report stands for at most {}. If people hold more, true frequencies are higher, up to {} times{}":
    "A response stands for at most {1}, and whether people chose more is not known. If they did, true shares are higher, up to {2} times{3}",
  "How many keys people hold is not known, and a report stands for at most {}. If people hold more, true frequencies are higher, perhaps many times{}":
    "A response stands for at most {1}, and whether people chose more is not known. If they did, true shares are higher, perhaps many times{2}",
  "Up to {} of people may hold more than the {} that a report stands for: frequencies may be too low by up to {} point for that reason{}":
    "Up to {1} of people may have chosen more than {2}, the most that one response stands for: shares may be up to {3} point too low{4}",
  "Up to {} of people may hold more than the {} that a report stands for: frequencies may be too low by up to {} points for that reason{}":
    "Up to {1} of people may have chosen more than {2}, the most that one response stands for: shares may be up to {3} points too low{4}",
  "{} of people hold more than {} ({} to {}), but a report stands for at most {}. So frequencies may be too low by up to {} point{}":
    "About {1} of people chose more than {2}, the most that one response stands for: shares may be up to {6} point too low{7}",
  "{} of people hold more than {} ({} to {}), but a report stands for at most {}. So frequencies may be too low by up to {} points{}":
    "About {1} of people chose more than {2}, the most that one response stands for: shares may be up to {6} points too low{7}",
  ", and if people with many pairs give other values than the rest, {} are off. The intervals include both.":
    ", and averages may be off, too. The ranges include both.",
  ". The intervals include that.": ". The ranges include that.",
  "up to {} times": "up to {1} times",
  "perhaps many times": "perhaps many times",
  "{} pair": "{1:number} answer option",
  "{} pairs": "{1:number} answer options",
  "{} key": "{1:number} answer option",
  "A single key is taken to be held by {} of people: all who hold a pair. Or it is the rarer of two answers that those give, and held by {} if the answers decline evenly, or {} if both are equally frequent. The mechanism is chosen for the first; green takes the least.":
    "A single answer option is taken to be chosen by {1} of people: all who choose anything. Or it is the rarer of two answers that those give, and chosen by {2} if the answers decline evenly, or {3} if both are equally frequent. The mechanism is chosen for the first; green takes the least.",
  "The share is that of one level among the holders of a key. Guessing the same share for all levels would typically be off by {} where any shares are equally likely.":
    "The share is that of one level among those who choose an answer option. Guessing the same share for all levels would typically be off by {1} where any shares are equally likely.",
  "{} keys": "{1:number} answer options",
  "{} report": "{1:number} response",
  "{} reports": "{1:number} responses",
  "Within the labels of “{}”, 1 share of a key stands out from the noise, of {} tested (at most {} of such flags are false, on average).":
    "Within the groups of “{1:raw}”, 1 of {2} shares is clearly above zero. On average, at most {3} of such statements are false.",
  "Within the labels of “{}”, {} shares of keys stand out from the noise, of {} tested (at most {} of such flags are false, on average).":
    "Within the groups of “{1:raw}”, {2} of {3} shares are clearly above zero. On average, at most {4} of such statements are false.",
  "Within the labels of “{}”, no key stands out from {}.":
    "Within the groups of “{1:raw}”, no answer option stands out from {2}.",
  "Within the labels of “{}”, 1 share of a key stands out from {}.":
    "Within the groups of “{1:raw}”, 1 share of an answer option stands out from {2}.",
  "Within the labels of “{}”, {} shares of keys stand out from {}.":
    "Within the groups of “{1:raw}”, {2} shares of answer options stand out from {3}.",
  "1 difference of shares between labels of “{}” stands out from {}.":
    "1 difference of shares between groups of “{1:raw}” stands out from {2}.",
  "{} differences of shares between labels of “{}” stand out from {}.":
    "{1} differences of shares between groups of “{2:raw}” stand out from {3}.",
  "No difference of shares between labels of “{}” stands out from {}.":
    "No difference of shares between groups of “{1:raw}” stands out from {2}.",
  "A share of {} here and one within a label that {} of people have are said to differ about {} of the time if they are about {} apart; smaller differences often stay hidden.":
    "A share of {1} here and one within a group of {2} of people are said to differ about {3} of the time if they are about {4} apart; smaller differences often stay hidden.",
  "If a share of {} here and one within a label that {} of people have are less than about {} apart, that mostly stays hidden; so may larger differences, since people may hold more than a report stands for.":
    "If a share of {1} here and one within a group of {2} of people are less than about {3} apart, that mostly stays hidden; so may larger differences, since people may choose more than a response stands for.",
  "Whatever the share within a label that {} of people have is, it is not sure to be said to differ from one of {} here.":
    "Whatever the share within a group of {1} of people is, it is not sure to be said to differ from one of {2} here.",
  "Means are not compared between labels: only shares are.":
    "Averages are not compared between groups: only shares are.",
  "No two keys together stand out from {}.": "No two answer options chosen together stand out from {1}.",
  "1 pair of keys stands out from {}.": "1 combination of two answer options stands out from {1}.",
  "{} pairs of keys stand out from {}.": "{1} combinations of two answer options stand out from {2}.",
  "That two keys are held together more or less often than by chance does not stand out from {}.":
    "That two answer options are chosen together more or less often than by chance does not stand out from {1}.",
  "1 pair of keys is held together more often than by chance, and {} less often, {}.":
    "1 combination of two answer options is chosen together more often than by chance, and {1} less often, {2}.",
  "{} pairs of keys are held together more often than by chance, and {} less often, {}.":
    "{1} combinations of two answer options are chosen together more often than by chance, and {2} less often, {3}.",

  // Alarms.
  "Single reports of this mechanism cannot be tested, only their counts: copied reports that keep every count possible are not found.":
    "Single responses to this survey cannot be tested, only their counts: copied responses that keep every count possible are not found.",
  "Nothing unusual about the random parts of the reports.":
    "Nothing is unusual about the random parts of the responses.",
  "These reports are unusual, and numbers that come from them may be wrong.":
    "These responses are unusual, and numbers that come from them may be wrong.",
  "Find where these reports come from, and count again without them: nothing is dropped.":
    "Find out where these responses come from: all of them are counted.",
  "{}: a chance of at most {} if all reports were honest.":
    "{1}: a chance of at most {2:raw} if all responses were honest.",
  "the functions that reports name treat {} keys alike {} standard errors more often than by chance":
    "the random functions of responses treat {1} answer options alike {2} standard errors more often than by chance",
  "{} reports name the same function, where {}": "{1} responses name the same random function, where {2:raw}",
  "{} reports name the function of an earlier one, where {}":
    "{1} responses name the random function of an earlier one, where {2:raw}",
  "{} pairs of reports name the same function, where {}":
    "{1} times, two responses name the same random function, where {2:raw}",
  "{} reports name functions whose {} is {}, where {}":
    "{1} responses name random functions whose {2:raw} is {3:raw}, where {4:raw}",
  "{} of {} reports answer the size question, where {}":
    "{1} of {2} responses say how many answer options were chosen, where {3:raw}",
  "{} bits per report are set, where {}": "{1} bits per response are set, where {2:raw}",
  "one report sets {} of {} bits, where {}": "one response sets {1} of {2} bits, where {3:raw}",
  "“{}” is counted {} times in {}, where {} are expected whatever people hold{}":
    "“{1:raw}” is counted {2} times in {3}, where {4:raw} are expected whatever people chose{5:raw}",
  "“{}” with the value {} is counted {} times in {}, where {} are expected whatever people hold{}":
    "“{1:raw}” with the value {2} is counted {3} times in {4}, where {5:raw} are expected whatever people chose{6:raw}",
  "The label “{}” is counted {} times in {}, where {} are expected whatever people hold{}":
    "The group “{1:raw}” is counted {2} times in {3}, where {4:raw} are expected whatever people chose{5:raw}",
  "“{}” within the label “{}” is counted {} times in {}, where {} are expected whatever people hold{}":
    "“{1:raw}” within the group “{2:raw}” is counted {3} times in {4}, where {5:raw} are expected whatever people chose{6:raw}",
  "“{}” together with “{}” is counted {} times in {}, where {} are expected whatever people hold{}":
    "“{1:raw}” together with “{2:raw}” is counted {3} times in {4}, where {5:raw} are expected whatever people chose{6:raw}",
  "all keys together are counted {} times in {}, where {} are expected whatever people hold{}":
    "all answer options together are counted {1} times in {2}, where {3:raw} are expected whatever people chose{4:raw}",
  "the answer “{} pairs” is given {} times in {}, where {} are expected whatever people hold{}":
    "that {1} answer options were chosen is said {2} times in {3}, where {4:raw} are expected whatever people chose{5:raw}",

  // Repeated surveys.
  "{} of {} keys changed between rounds {}": "{1} of {2} answer options changed between rounds {3:raw}",
  "On average at most {} of these keys have a change outside its interval: each interval has the level {} %, since the keys were selected.":
    "On average at most {1} of these have a change outside its range: each range has the confidence {2} %, since they were selected.",
  "A change of any key by {} stands out {}; smaller ones may not.":
    "A change of any answer option by {1:raw} stands out {2:raw}; smaller ones may not.",
  "These are too few reports to see any change four times out of five.":
    "These are too few responses to see any change four times out of five.",
  "Changes are those of reported pairs: of a person who holds more than the {} that a report stands for, only some count. If people hold more or fewer pairs than before, that alone can look like a change of a key, or hide one; the intervals of changes do not include it.":
    "Of a person who chooses more than the {1} that a response stands for, only some count. If people choose more or fewer than before, that alone can look like a change, or hide one; the ranges of changes do not include it.",
  "Changes are those of reported keys: of a person who holds more than the {} that a report stands for, only some count. If people hold more or fewer keys than before, that alone can look like a change of a key, or hide one; the intervals of changes do not include it.":
    "Of a person who chooses more than the {1} that a response stands for, only some count. If people choose more or fewer than before, that alone can look like a change, or hide one; the ranges of changes do not include it.",
  "In round {}, {} of {} keys {} from what the other rounds lead to expect, as up to {} do by noise alone, on average. There the smoothed interval contains that of the round alone, which is shown as well.":
    "In round {1}, {2} of {3} answer options {4:raw} from what the other rounds lead to expect, as up to {5} do by noise alone, on average. There the smoothed range contains that of the round alone, which is shown as well.",
  "The trend is that of all labels of “{}” together: the estimates of a round tell them apart.":
    "The trend is that of all groups of “{1:raw}” together: the results of a round tell them apart.",
  "The trend is that of single keys: the estimates of a round have those of two keys together.":
    "The trend is that of single answer options: the results of a round have those that are chosen together.",

  // Unknown answers.
  "No key was found among {}.": "No answer was found among {1}.",
  "{} key found among {}.": "{1} answer found among {2}.",
  "{} keys found among {}.": "{1} answers found among {2}.",
  "A key of {} characters that {} of the people hold is found four times out of five; shorter ones are found more easily.":
    "An answer of {1} characters that {2} of the people give is found four times out of five; shorter ones are found more easily.",
  "These are too few for a key of {} characters, even if all people hold it.":
    "These are too few for an answer of {1} characters, even if all people give it.",
  "Of the intervals of these keys, at most {} miss the truth by chance, on average: each has the level {} %, since the keys were selected.":
    "Of the ranges of these answers, at most {1} miss the truth by chance, on average: each has the confidence {2} %, since they were selected.",
  "A report stands for {} key of a person at most. A person who holds more counts for less, so that true frequencies may be higher than the intervals say.":
    "A response stands for {1} answer of a person at most. Each answer of a person who gives more counts for less, so that true shares may be higher than the ranges say.",
  "A report stands for {} keys of a person at most. A person who holds more counts for less, so that true frequencies may be higher than the intervals say.":
    "A response stands for {1} answers of a person at most. Each answer of a person who gives more counts for less, so that true shares may be higher than the ranges say.",
  "{} key may be longer: only the first {} characters are found. Complete such keys before you measure them: a measurement counts whole keys, written alike, capital letters too.":
    "{1} answer may be longer: only the first {2} characters are found. Complete it before you measure it: only whole answers count, written alike, capital letters too.",
  "{} keys may be longer: only the first {} characters are found. Complete such keys before you measure them: a measurement counts whole keys, written alike, capital letters too.":
    "{1} answers may be longer: only the first {2} characters are found. Complete them before you measure them: only whole answers count, written alike, capital letters too.",

  // Lights.
  "Enough people for frequent keys": "Enough people for frequent answer options",
  "With {} at ε = {}, no key is sure to stand out from the noise, not even one that all people hold.":
    "With {1} at ε = {2}, no answer option is sure to stand out from the noise, not even one that all people choose.",
  "With {} at ε = {}, the key stands out, four times out of five, if at least {} of people hold it.":
    "With {1} at ε = {2}, the answer option stands out, four times out of five, if at least {3} of people choose it.",
  "With {} at ε = {}, a key stands out, four times out of five, if at least {} of people hold it{}.":
    "With {1} at ε = {2}, an answer option stands out, four times out of five, if at least {3} of people choose it{4:raw}.",
  "With {} at ε = {}, keys that at least {} of people hold stand out from the noise: all of them together, four times out of five.":
    "With {1} at ε = {2}, answer options that at least {3} of people choose stand out from the noise: all of them together, four times out of five.",
  "With {} at ε = {}, those of the {} most frequent keys that at least {} of people hold stand out from the noise: all of them together, four times out of five.":
    "With {1} at ε = {2}, those of the {3} most frequent answer options that at least {4} of people choose stand out from the noise: all of them together, four times out of five.",
  "In all cases considered that is {} of these {} keys.": "In all cases considered that is {1:raw} of these {2}.",
  "Of these {} keys that is {}), {}), and {}).": "Of these {1} that is {2}), {3}), and {4}).",
  "Of these {} keys that is {}), and {}).": "Of these {1} that is {2}), and {3}).",
  "{} if a few keys prevail, as by Zipf's law ({}": "{1:raw} if a few prevail, as by Zipf's law ({2:raw}",
  "{} if they decline evenly ({}": "{1:raw} if they decline evenly ({2:raw}",
  "{} if all keys are equally frequent ({}": "{1:raw} if all are equally frequent ({2:raw}",
  "{} of a mixed report": "{1} of a mixed response",
  "{} at this ε of a report.": "{1:raw} at this ε of a response.",
  "no key is sure to stand out": "none is sure to stand out",
  "it takes {} %": "it takes {1} %",
  "This assumes at most one {} per person; if people hold {}, {} with this padding: name the number of {}s to plan for it.":
    "This assumes that people choose at most one; if they choose {2}, {3}: say how many they choose to plan for it.",
  "A key that {} of people hold comes out{} with a 95 % range of about {}.":
    "An answer option that {1} of people choose comes out{2:raw} with a 95 % range of about {3:raw}.",
  "A key that {} of people hold comes out{} with a 95 % range of about {}; its mean {}.":
    "An answer option that {1} of people choose comes out{2:raw} with a 95 % range of about {3:raw}; its average {4:raw}.",
  "This and all ranges below are those of the noise and of the bias that is expected of the padding; the ranges that estimates print also allow for what people with more than {} may hide, and are wider for it.":
    "The ranges of the results will also allow for what people who choose more than {1} may hide, and are wider for it.",
  "{} levels ({}) instead of two, each with its best setting: the error of a frequency is {} times as large, that of a mean {} times in the middle of the range and {} times near its ends, with method corrected, for keys that are well above the noise. Bayes, the default method, may gain or lose: on real ratings its means were off 0.7 to 1.3 times as much with five levels as with two.":
    "With {1} levels ({2:raw}) instead of two, the error of a share is {3} times as large, that of an average {4} times in the middle of the range and {5} times near its ends, for answer options well above the noise. What results show by default may gain or lose: on real ratings, averages were off 0.7 to 1.3 times as much with five levels as with two.",
  "For a key of {}, {}": "For an answer option that {1} choose, {2}",
  "Within a label that {} of people have, a key that {} of them hold comes out with a 95 % range of about {}.":
    "Within a group that {1} of people belong to, an answer option that {2} of them choose comes out with a 95 % range of about {3:raw}.",
  "Two keys stand out from the noise as held together {}, or more often, if {} of people hold both.":
    "That two answer options are chosen together stands out from the noise {1:raw}, or more often, if {2} of people choose both.",
  "No two keys stand out from the noise as held together.":
    "No two answer options stand out from the noise as chosen together.",
  "Assumed: {}, of whom {} hold any {}: {} ({} over all people); {}.":
    "Assumed: {1:raw}, of whom {2} choose any: {4} ({5} over all people); {6}.",
  "Assumed: {} per person; {}.": "Assumed: {1} per person; {2}.",
  "Assumed: {} per person, {} on average; {}.": "Assumed: {1} per person, {2} on average; {3}.",
  "{} people, {} key": "{1} people, {2:raw} choice",
  "{} people, {} keys": "{1} people, {2:raw} choices",
  "{} people, {} pair": "{1} people, {2:raw} choice",
  "{} people, {} pairs": "{1} people, {2:raw} choices",
  "{} to {} keys, {} on average": "{1} to {2} answer options, {3} on average",
  "{} to {} pairs, {} on average": "{1} to {2} answer options, {3} on average",
  "the key is held by {}": "the answer option is chosen by {1:raw}",
  "the keys that matter are held by {} each": "the answer options that matter are chosen by {1} each",
  "the most frequent of {} keys is held by {}, number {} by {}":
    "the most frequent of {1} answer options is chosen by {2}, number {3} by {4}",
  "the most frequent key is held by {}, number {} by {}": "the most frequent answer is given by {1}, number {2} by {3}",

  "{} (realised {})": "{1} (as built: {2})",

  // Charts.
  "{}: {} most frequent of {} keys{}": "{1:raw}: the {2} most frequent of {3} answer options{4:raw}",
  "{}: {} keys{}": "{1:raw}: {2} answer options{3:raw}",
  "{}: {} keys in pairs": "{1:raw}: {2} answer options, every two together",
  "{}: {} of {} keys in pairs": "{1:raw}: {2} of {3} answer options, every two together",
  "{} most frequent of {} keys{}": "The {1} most frequent of {2} answer options{3:raw}",
  "{}, {}, ε = {}, method {}": "{1}",
  "{}, {}, ε = {}, method {}, intervals hold whatever {} of the reports say":
    "{1}, ranges are right whatever {5} of the responses say",
  "{}, {}, ε = {}, method {}, {} % intervals{}": "{1}, {5} % ranges{6}",
  " after selection (false coverage rate){}": " after selection{1}",
  ", intervals hold whatever {} of the reports say{}": ", ranges are right whatever {1} of the responses say{2}",
  ", those of shares that stand out after selection (false coverage rate){}":
    ", those of shares that stand out after selection{1}",
  ", grey line: overall; grey bar: {}": ", grey line: overall; grey bar: {1:raw}",
  ", grey: {}": ", grey: {1:raw}",
  ", {}": ", {1}",
  ", blue: more often together than by chance, red: less often, grey: does not stand out":
    ", blue: more often together than by chance, red: less often, grey: does not stand out",
  "not distinguishable from noise": "not distinguishable from noise",
  "the pair": "these two",
  lift: "times chance",
  key: "answer option",
  mean: "average",
  reports: "responses",
  "half the 95 % range of a frequency": "half the 95 % range of a share",
  "half the 95 % range of a mean": "half the 95 % range of an average",
  "mean, in {}": "average ({1:raw})",
  "value, in {}": "value ({1:raw})",
  "share of holders": "share of those who chose it",
  "held together more often than by chance": "chosen together more often than by chance",
  "held together less often than by chance": "chosen together less often than by chance",
};
