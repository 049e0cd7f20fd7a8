// Addresses of the dashboard: `#/place/part/part?name=value`.

// The parts without their escapes, and the settings after the question mark.
export function readAddress() {
  const [path, query = ""] = location.hash.slice(1).split("?");
  return {
    parts: path.split("/").slice(1).map(decode),
    settings: Object.fromEntries(new URLSearchParams(query)),
  };
}

// A mistyped address is still an address.
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// Puts settings into the address without opening another page; empty ones are left out.
export function writeSettings(settings) {
  history.replaceState(null, "", withSettings((location.hash || "#/").split("?")[0], settings));
}

export function withSettings(address, settings) {
  const given = Object.entries(settings).filter(([, value]) => value !== "" && value !== undefined);
  const query = new URLSearchParams(given).toString();
  return query ? `${address}?${query}` : address;
}
