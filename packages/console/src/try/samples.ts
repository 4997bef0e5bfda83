import type { TokensCall } from './calls.ts';

/** A call as somebody else would make it. */
export interface Sample {
  readonly title: string;
  readonly text: string;
  readonly note?: string;
}

const NAME = /^[a-z]\w*$/i;

/** A value as JavaScript has it. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${NAME.test(name) ? name : JSON.stringify(name)}: ${literal(each)}`,
  );
  return `{ ${members.join(', ')} }`;
}

/** One word of a shell, whatever is in it. */
const word = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A call as curl, TypeScript, at the command line and as a tool. `url` is where it went. */
export function samplesOf({ method, values, named }: Omit<TokensCall, 'ask'>, url: string): readonly Sample[] {
  const { origin } = new URL(url);
  const path = url.slice(origin.length);
  return [
    {
      title: 'curl',
      text: `curl -i ${word(url)}`,
      note: 'Nothing is signed here, so it shows the challenge.',
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
      ...(method === 'profile' && { note: 'Served with --tools=all.' }),
    },
  ];
}
