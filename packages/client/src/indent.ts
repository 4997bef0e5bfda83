/** A run of JSON text that indenting leaves alone, or one structural character. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Indents JSON text without reading its numbers, so that those beyond 2^53 stay what they are. */
export function indent(json: string): string {
  let depth = 0;
  let result = '';
  let previous = '';
  const newLine = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of json.matchAll(TOKENS)) {
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
