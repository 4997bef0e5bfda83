const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** The index after the string that starts here. */
function afterString(json: string, start: number): number {
  let end = start;
  let escapes: number;
  do {
    end = json.indexOf('"', end + 1);
    escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
  } while (escapes % 2 === 1);
  return end + 1;
}

/** The index of the comma or bracket that ends the value starting here. */
export function afterValue(json: string, start: number): number {
  let depth = 0;
  for (let index = start; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) index = afterString(json, index) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && depth-- === 0) return index;
    else if (code === COMMA && depth === 0) return index;
  }
  return json.length;
}

/**
 * The unchanged text of a JSON object's member, so numbers keep every digit. Of duplicate members it is the last, as in JSON.parse.
 * The text must be valid JSON; it is not checked here.
 */
export function memberText(json: string, name: string): string | undefined {
  let found: string | undefined;
  let index = json.indexOf('{') + 1;
  while (index < json.length) {
    const keyStart = json.indexOf('"', index);
    if (keyStart < 0) break;
    const keyEnd = afterString(json, keyStart);
    let valueStart = keyEnd;
    while (valueStart < json.length && json.charCodeAt(valueStart) !== COLON) valueStart++;
    const valueEnd = afterValue(json, valueStart + 1);
    if (JSON.parse(json.slice(keyStart, keyEnd)) === name) found = json.slice(valueStart + 1, valueEnd).trim();
    index = valueEnd + 1;
  }
  return found;
}
