import type { ListedRoute } from '@asset-gateway/client/pay';
import { cacheFolder } from '../config.ts';
import { EXIT } from '../exit-code.ts';
import { catalogOf } from '../money/catalog.ts';
import { table } from '../show/table.ts';
import type { Command } from './command.ts';

/** The prefix that a typed path may omit. */
const FAMILY = /^\/v1\/x402\/(?:tokens\/)?/;

/** A row without the prefix. */
const shown = (row: ListedRoute): ListedRoute => ({ ...row, path: row.path.replace(FAMILY, '') });

const columnsFor = (bold: (text: string) => string) => [
  { title: 'METHOD', cell: ({ httpMethod }: ListedRoute) => httpMethod },
  { title: 'PATH', cell: ({ path }: ListedRoute) => path, paint: bold, minWidth: 24 },
  {
    title: 'PRICE',
    cell: ({ priceUsd }: ListedRoute) => (Number(priceUsd) > 0 ? `$${priceUsd}` : 'free'),
    align: 'right' as const,
  },
  { title: 'WHAT', cell: ({ description }: ListedRoute) => description, minWidth: 20 },
];

/** The routes of the gateway. The whole catalog is at its own path. */
export const routesCommand: Command = {
  name: 'routes',
  takes: '[<text>]',
  summary: 'the routes of the gateway with prices',
  examples: ['routes', 'routes balance'],
  async run({ words, session }) {
    const { terminal, gateway } = session;
    const text = words.join(' ').toLowerCase();
    const rows = await terminal.whileWaiting('asking …', () => catalogOf(gateway, cacheFolder()));
    const found = rows.filter((row) => `${row.path} ${row.description}`.toLowerCase().includes(text));
    if (!terminal.isFormatted) terminal.lines(found.map((row) => `${row.httpMethod}\t${row.path}\t${row.priceUsd}`));
    else if (found.length === 0) terminal.note(`no route matches "${text}"`);
    else terminal.lines(table(columnsFor(terminal.colours.bold), found.map(shown), terminal.columns));
    return found.length === 0 ? EXIT.refused : EXIT.ok;
  },
};
