/** White space, one structural character, or other text outside of strings. */
const TOKEN = /\s+|[{}[\],:]|[^\s{}[\],:"]+/y;
const MAX_DEPTH = 64;

function stringAt(json: string, start: number): string {
  let end = start + 1;
  while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
  return json.slice(start, end + 1);
}

function* tokensOf(json: string): Generator<string> {
  for (let at = 0; at < json.length; ) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(json)?.[0] ?? stringAt(json, at);
    at += token.length;
    if (token.trim() !== '') yield token;
  }
}

/** Indents JSON text without parsing it, so that numbers beyond 2^53 stay exact. */
export function indent(json: string): string {
  let depth = 0;
  let result = '';
  let previous = '';
  const newLine = () => `\n${'  '.repeat(Math.max(0, Math.min(depth, MAX_DEPTH)))}`;
  for (const token of tokensOf(json)) {
    const opened = previous === '{' || previous === '[';
    const closes = token === '}' || token === ']';
    if (closes) depth--;
    if (opened !== closes || previous === ',') result += newLine();
    result += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth++;
    previous = token;
  }
  return result;
}
