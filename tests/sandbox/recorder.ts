import { createHash } from 'node:crypto';

/** Items of a list that are recorded; a digest stands for the others. */
const MAX_ITEMS = 1;

const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);

/** Rounded, because the last digit of a float can depend on the version of Node. */
const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(8)) : value;

/** A value with short lists. */
function shortened(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]));
  const [first, rest] = [value.slice(0, MAX_ITEMS), value.slice(MAX_ITEMS)];
  return [...first.map(shortened), ...(rest.length > 0 ? [`and ${rest.length} more: ${digest(rest)}`] : [])];
}

/** An answer as it is recorded: its status, its cache rule, and a line for each member of its JSON. */
export async function recorded(response: Response): Promise<string> {
  const head = `${response.status} ${response.headers.get('cache-control')}`;
  const text = await response.text();
  if (!response.headers.get('content-type')?.startsWith('application/json')) return `${head}\n  ${text}`;
  const body = shortened(JSON.parse(text, (name, value) => rounded(name, value))) as object;
  const lines = Array.isArray(body)
    ? body.map((each) => JSON.stringify(each))
    : Object.entries(body).map(([name, each]) => `${name}: ${JSON.stringify(each)}`);
  return [head, ...lines].join('\n  ');
}
