// Names that others chose may hold characters that turn the direction of what stands around them: what is read would be
// another text than the one that counts. Such characters are shown as such; all other texts keep their own direction.

const OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/gu,
  RIGHT_TO_LEFT =
    /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

// A text as it may be shown. An element that holds nothing else is a `bdi`, or has the attribute dir="auto".
export const shownText = (text) => text.replace(OVERRIDES, "\uFFFD");

// Whether a text would be shown as another one than it is.
export const isDisguised = (text) => shownText(text) !== text;

// A text within a sentence, which keeps its order around the text.
export function inSentence(text) {
  const shown = shownText(text);
  return RIGHT_TO_LEFT.test(shown) ? `\u2068${shown}\u2069` : shown;
}
