import type { TokensCall } from './calls.ts';

/** A call in another client. */
interface Sample {
  readonly title: string;
  readonly text: string;
  readonly note?: string;
}

const NAME = /^[a-z]\w*$/i;

/** A value as JavaScript source. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${NAME.test(name) ? name : JSON.stringify(name)}: ${literal(each)}`,
  );
  return `{ ${members.join(', ')} }`;
}

/** Quotes a text for a shell. */
const word = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A call as curl, TypeScript, command line and MCP tool. */
export function samplesOf({ method, values, named }: Omit<TokensCall, 'ask'>, url: string): readonly Sample[] {
  const { origin } = new URL(url);
  const path = url.slice(origin.length);
  return [
    {
      title: 'curl',
      text: `curl -i ${word(url)}`,
      note: 'curl does not sign, so you see the challenge.',
    },
    {
      title: 'TypeScript',
      text: [
        "import { createClient } from '@asset-gateway/client';",
        '',
        `const client = createClient({ baseUrl: '${origin}' });`,
        `console.log(await client.tokens.${method}(${values.map(literal).join(', ')}));`,
      ].join('\n'),
    },
    { title: 'Command line', text: `ASSET_GATEWAY_URL=${origin} npx -y @asset-gateway/cli ${word(path)}` },
    {
      title: 'MCP tool',
      text: JSON.stringify({ name: `tokens_${method}`, arguments: named }, null, 2),
      ...(method === 'profile' && { note: 'Available with --tools=all.' }),
    },
  ];
}
