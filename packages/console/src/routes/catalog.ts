import type { SystemCatalogResult } from '@asset-gateway/client';
import { routesIn } from '@asset-gateway/client/pay';
import type { Session } from '../session.ts';
import type { FormRow } from './fields.ts';
import { SYSTEM_ROWS } from './system-rows.ts';

/** A row of the catalog, and the name that a link to it has. */
export type Row = SystemCatalogResult['routes'][number] & FormRow & { readonly id: string };

/** What the surfaces are, for whoever sees them first. */
export const SURFACES: Readonly<Record<string, string>> = {
  tokens: 'Asset data',
  rpc: 'Solana RPC',
  das: 'Digital assets',
  wallet: 'Wallet data',
  credit: 'Credit',
  system: 'The gateway itself',
};

let asked: Promise<readonly Row[]> | undefined;

const idOf = ({ surface, cluster, provider, method }: SystemCatalogResult['routes'][number]): string =>
  [surface, ...(cluster ? [cluster, provider] : []), method].join('.');

/** What the gateway's own rows have in common. */
const SYSTEM = { surface: 'system', provider: 'gateway', accessMode: 'public', paymentRequired: false };

/** A row with the path, price and texts that a payment is judged by; none where these cannot be read. */
const readable = (row: object): object[] =>
  (routesIn({ routes: [row] }) ?? []).map((listed) => ({ ...row, ...listed }));

/** All rows, asked for once; a failure is forgotten. */
export function rowsOf({ client }: Session): Promise<readonly Row[]> {
  asked ??= client.system.catalog().then(({ routes }) => {
    const own = SYSTEM_ROWS.map((row) => ({ ...SYSTEM, ...row }));
    return [...routes.flatMap(readable), ...own].map((row) => ({ ...row, id: idOf(row as Row) }) as Row);
  });
  asked.catch(() => {
    asked = undefined;
  });
  return asked;
}
