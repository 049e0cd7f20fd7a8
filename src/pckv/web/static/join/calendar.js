// Days in a file for calendars (RFC 5545).

const MAX_BYTES_PER_LINE = 75;
const bytes = (text) => new TextEncoder().encode(text).length;

const escaped = (text) => text.replace(/[\\;,]/g, "\\$&").replace(/\r\n?|\n/g, "\\n");

// A line that is too long goes on in the next one, behind a space; no character is cut.
function folded(line) {
  const lines = [""];
  for (const character of line) {
    const last = lines.length - 1;
    if (bytes(lines[last] + character) > MAX_BYTES_PER_LINE) lines.push(` ${character}`);
    else lines[last] += character;
  }
  return lines.join("\r\n");
}

const dateOf = (day) => day.replaceAll("-", "");
const dayAfter = (day) => new Date(Date.parse(day) + 86_400_000).toJSON().slice(0, 10);

// Events that last all of their day, in which calendars show the time as free.
export function calendarOf(events, now) {
  const stamp = now.toJSON().replace(/[-:]|\.\d+/g, "");
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//pckv//survey//EN",
    ...events.flatMap(({ uid, day, title, text, link }) => [
      "BEGIN:VEVENT",
      `UID:${uid}`,
      `DTSTAMP:${stamp}`,
      `DTSTART;VALUE=DATE:${dateOf(day)}`,
      `DTEND;VALUE=DATE:${dateOf(dayAfter(day))}`,
      `SUMMARY:${escaped(title)}`,
      `DESCRIPTION:${escaped(text)}`,
      `URL:${link}`,
      "TRANSP:TRANSPARENT",
      "END:VEVENT",
    ]),
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join("");
}
