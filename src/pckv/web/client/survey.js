// A survey is its name as people read it, whatever its task's id.
const fold = (name) => name.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC");

export const surveyOf = (name) => fold(name.replace(/[\p{Cf}\p{DI}]/gu, "")).trim().replace(/\s+/g, " ");
