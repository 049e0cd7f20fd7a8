// Public results in the language of their reader, as far as the operator wrote their texts and names in it.
import { shownIn } from "/client/translations.js";

// What names a key in the tables and charts of results.
const NAMING = ["key", "partner", "first", "second", "other"];

// The results with texts and names in the nearest of some languages; `about` says which.
export function inLanguage({ names, about, ...results }, preferred) {
  const { name, keys: _, ...texts } = shownIn(about, preferred),
    known = new Map(Object.entries(names[texts.language] ?? {})),
    isName = (member, value) => NAMING.includes(member) && known.has(value);
  return {
    ...JSON.parse(JSON.stringify(results), (member, value) => (isName(member, value) ? known.get(value) : value)),
    name: name || results.name,
    about: texts,
  };
}
