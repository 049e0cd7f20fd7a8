// Prints the rows of the QR codes of texts, which are read as JSON.
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const { encode } = await import(pathToFileURL(process.argv[2]).href);
console.log(JSON.stringify(JSON.parse(await text(process.stdin)).map(encode)));
