import { writeFileSync } from 'node:fs';
import type { ListedRoute } from '@asset-gateway/client/pay';
import { callName, callParameters, isOpen } from '@asset-gateway/client/tools';
import { below, comment, literal, oneLine, quoted, typeText } from '@asset-gateway/protocol';
import { EXIT, UsageError } from '../failure.ts';
import { wholeCatalog } from '../money/catalog.ts';
import { isHttpUrl } from '../session.ts';
import type { Command } from './command.ts';

/** A longer type becomes `unknown`, because an editor would not show it. */
const MAX_TYPE = 100_000;
const MAX_CALLS = 5_000;
const MEMBER = '      ';

const bounded = (text: string): string => (text.length > MAX_TYPE ? 'unknown' : text);

/** Returns the type of a call's values. */
function inputText(route: ListedRoute): string {
  const members = callParameters(route).map(({ name, schema, isRequired }) => {
    const indent = `${MEMBER}  `;
    const description = oneLine(below(schema, 'description'), 1_000);
    const type = bounded(typeText(schema, 'input', indent)) + (isRequired ? '' : ' | undefined');
    return `${comment(description ? [description] : [], indent)}${indent}${quoted(name)}${isRequired ? '' : '?'}: ${type};\n`;
  });
  const others = isOpen(route) ? `${MEMBER}  [other: string]: unknown;\n` : '';
  const text = members.join('') + others;
  return text === '' ? 'Record<string, never>' : bounded(`{\n${text}${MEMBER}}`);
}

const resultText = ({ outputSchema }: ListedRoute): string =>
  bounded(typeText(below(outputSchema, 'properties', 'result'), 'answer', MEMBER));

function callText(name: string, route: ListedRoute): string {
  const { description, accessMode, priceUsd } = route;
  const price = accessMode === 'exact' ? `$${priceUsd} a call.` : 'Free, for a signature.';
  return `${comment([`${description} ${price}`.trim()], '    ')}    ${literal(name)}: {
      input: ${inputText(route)};
      result: ${resultText(route)};
    };
`;
}

/** Returns a TypeScript file that adds a catalog's calls to the client's `Calls`. */
export function typesOf(routes: readonly ListedRoute[], origin: string): string {
  // By default, a name calls its last row.
  const calls = new Map(
    routes.filter(({ surface, method }) => surface && method).map((each) => [callName(each), each]),
  );
  const texts = [...calls].slice(0, MAX_CALLS).map(([name, route]) => callText(name, route));
  return `// Written by asset-gateway-client types from the catalog of ${oneLine(origin, 200)}. Do not edit.
import '@asset-gateway/client';

declare module '@asset-gateway/client' {
  interface Calls {
${texts.join('')}  }
}
`;
}

/** The command that writes types for `client.call` at a gateway. */
export const typesCommand: Command = {
  name: 'types',
  takes: '[<url>]',
  summary: "a TypeScript file with the types of a gateway's calls, for client.call",
  examples: ['types https://gateway.example --output src/gateway.ts'],
  options: {
    output: { takes: '<file>', description: 'the file to write; default: standard output' },
  },
  async run({ words: [url, ...more], values, session }) {
    if (more.length > 0 || (url !== undefined && !isHttpUrl(url)))
      throw new UsageError('types takes the URL of a gateway, such as https://gateway.example');
    const gateway = url ?? session.gateway;
    const text = typesOf(await wholeCatalog(gateway), new URL(gateway).origin);
    const file = values.text('output');
    if (file === undefined && session.terminal.isFormatted)
      throw new UsageError('types writes a file of thousands of lines: add --output <file>, or pipe it');
    if (file === undefined) session.terminal.write(text);
    else writeFileSync(file, text);
    return EXIT.ok;
  },
};
