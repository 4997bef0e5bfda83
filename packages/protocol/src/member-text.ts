import { afterString } from './json.ts';

/** Returns the index of the comma or bracket that ends the value at `start`. */
export function afterValue(json: string, start: number): number {
  let depth = 0;
  for (let index = start; index < json.length; index++) {
    const character = json[index];
    if (character === '"') index = afterString(json, index) - 1;
    else if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && depth-- === 0) return index;
    else if (character === ',' && depth === 0) return index;
  }
  return json.length;
}

/**
 * Returns the unchanged text of an object's member, so that numbers keep every digit. If several members have the name, the last counts, as
 * for JSON.parse. The caller must know that the text is valid JSON.
 */
export function memberText(json: string, name: string): string | undefined {
  let found: string | undefined;
  let index = json.indexOf('{') + 1;
  while (index < json.length) {
    const keyStart = json.indexOf('"', index);
    if (keyStart < 0) break;
    const keyEnd = afterString(json, keyStart);
    const valueStart = json.indexOf(':', keyEnd) + 1;
    const valueEnd = afterValue(json, valueStart);
    if (JSON.parse(json.slice(keyStart, keyEnd)) === name) found = json.slice(valueStart, valueEnd).trim();
    index = valueEnd + 1;
  }
  return found;
}
