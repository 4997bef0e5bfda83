import type { SystemCatalogInput, SystemCatalogResult } from '@asset-gateway/client';
import { routesIn } from '@asset-gateway/client/pay';
import { below, listAt, oneLine } from '@asset-gateway/protocol';
import { once } from '../parts/hooks.ts';
import { session } from '../session.ts';
import type { FormRow } from './fields.ts';
import { SYSTEM_ROWS } from './system-rows.ts';

/** A row of the catalog, and its name in links. */
export type CatalogRow = SystemCatalogResult['routes'][number] &
  FormRow & {
    readonly id: string;
    readonly creditPriceUsd?: string;
    /** Whether credit can pay for the call, or the call buys credit. */
    readonly credit?: string;
    /** The heading of the row's surface. For an API, its title. */
    readonly family: string;
  };

/** Titles of our surfaces. */
export const SURFACES: Readonly<Record<string, string>> = {
  tokens: 'Asset data',
  rpc: 'Solana RPC',
  das: 'Digital assets',
  wallet: 'Wallet data',
  credit: 'Credit',
  system: 'The gateway itself',
};

/** Returns a row's description as a heading. */
export const titleOf = ({ description }: CatalogRow): string => description.replace(/\.$/, '');

const idOf = ({ surface, cluster, provider, method }: SystemCatalogResult['routes'][number]): string =>
  [surface, ...(cluster ? [cluster, provider] : []), method].join('.');

/** The common members of the gateway's own rows. */
const SYSTEM = { surface: 'system', provider: 'gateway', accessMode: 'public', paymentRequired: false, priceUsd: '0' };

/** Returns the row with checked path, price and texts; none if they cannot be read. */
const readable = (row: object): object[] =>
  (routesIn({ routes: [row] }) ?? []).map((listed) => ({ ...row, ...listed }));

const MAX_TITLE = 60;

/** Returns the titles of providers. APIs are providers too. */
const titlesIn = (categories: unknown): ReadonlyMap<unknown, string> =>
  new Map(listAt(categories, 'providers').map((row) => [below(row, 'id'), oneLine(below(row, 'label'), MAX_TITLE)]));

type Provider = NonNullable<SystemCatalogInput['provider']>;
const FIRST: Provider = 'tokens';

/** All rows. */
export const rowsOf = once(async (): Promise<readonly CatalogRow[]> => {
  // The catalog of all providers may be longer than a client reads, but one provider's names all.
  const { routes: first, categories } = await session.client.system.catalog({ provider: FIRST });
  const titles = titlesIn(categories);
  const others = [...titles.keys()].filter((provider) => provider !== FIRST) as Provider[];
  const lists = await Promise.all(others.map((provider) => session.client.system.catalog({ provider })));
  const routes = [...first, ...lists.flatMap((each) => each.routes)];
  const own = SYSTEM_ROWS.map((row) => ({ ...SYSTEM, ...row }));
  return [...routes.flatMap(readable), ...own].map((each) => {
    const row = each as CatalogRow;
    const family = SURFACES[row.surface] ?? (titles.get(row.surface) || row.surface);
    return { ...row, id: idOf(row), family };
  });
});

/** A method. Its rows differ in cluster and provider. */
export type Method = ReturnType<typeof methodsOf>[number];

/** Returns the key of a row's method. */
export const methodKeyOf = ({ surface, method }: CatalogRow): string => `${surface}.${method}`;

const PREFERRED = ['mainnet', 'helius'];

/** Returns how well a row suits as first choice. */
const rankOf = ({ cluster, provider }: CatalogRow): number =>
  PREFERRED.filter((each) => each === cluster || each === provider).length;

/** Returns the methods of the rows. The row that opens first comes first. */
export function methodsOf(rows: readonly CatalogRow[]) {
  const methods = new Map<string, CatalogRow[]>();
  for (const row of rows) {
    const key = methodKeyOf(row);
    methods.set(key, [...(methods.get(key) ?? []), row]);
  }
  return [...methods].map(([key, own]) => ({ key, rows: own.sort((one, other) => rankOf(other) - rankOf(one)) }));
}
