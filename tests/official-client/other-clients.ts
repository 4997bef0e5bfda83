import { locked, type Manifests } from '../kit/packages.ts';
import { isFull } from '../kit/rounds.ts';

/** A version of x402's own client: of each of its packages. */
export interface Versions {
  readonly core: string;
  readonly extensions: string;
  readonly fetch: string;
  readonly svm: string;
}

const all = (version: string): Versions => ({ core: version, extensions: version, fetch: version, svm: version });

/** The official client of the lock. */
export const LOCKED_VERSIONS = all('2.27.0');

/** Other versions of the official client than the lock's, each in a folder of this name. */
export const OTHER_VERSIONS = {
  '2.4': { ...all('2.4.0'), svm: '2.6.0' },
  '2.9': all('2.9.0'),
  '2.11': all('2.11.0'),
  '2.20': all('2.20.0'),
  '2.22': all('2.22.0'),
} as const satisfies Readonly<Record<string, Versions>>;

/** Another maker's client, in the folder `faremeter`. */
export const FAREMETER_VERSION = '0.22.0';

const officialOf = (versions: Partial<Versions>) => ({
  dependencies: {
    '@solana/kit': locked('@solana/kit'),
    ...Object.fromEntries(Object.entries(versions).map(([name, version]) => [`@x402/${name}`, version])),
  },
});

const faremeter = {
  dependencies: {
    '@solana/kit': '6.7.0',
    ...Object.fromEntries(
      ['fetch', 'payment-solana', 'wallet-solana'].map((name) => [`@faremeter/${name}`, FAREMETER_VERSION]),
    ),
  },
};

/** Whether a run tests a version; a short one only the oldest that buys. */
export const isLookedAt = (name: string): boolean => isFull || name === '2.11';

const VERSIONS = Object.entries(OTHER_VERSIONS).filter(([name]) => isLookedAt(name));

/** Dependencies of that version that the lock has too; a short run installs none again. */
const NEEDED = [
  '@noble/curves',
  '@scure/base',
  '@solana-program/compute-budget',
  '@solana-program/token',
  '@solana-program/token-2022',
  'ajv',
  'jose',
  'tweetnacl',
  'zod',
];

/** The clients that a run looks at, as suites of packages install them. */
export const OTHER_CLIENTS: Manifests = {
  '.': {
    workspaces: [...VERSIONS.map(([name]) => name), ...(isFull ? ['faremeter'] : [])],
    overrides: Object.fromEntries(['viem', ...(isFull ? [] : NEEDED)].map((name) => [name, locked(name)])),
  },
  ...Object.fromEntries(VERSIONS.map(([name, versions]) => [name, officialOf(versions)])),
  ...(isFull && { faremeter }),
};

/** Versions of the official client that make transactions; the first two copy no memo into them. */
const MAKERS = '2.6 2.9 2.10 2.11 2.12 2.14 2.17 2.18 2.19 2.20 2.21 2.22 2.23 2.24 2.25 2.26'.split(' ');

/** Those that a run looks at, each in the folder of its name. */
export const LOOKED_AT_MAKERS: readonly string[] = MAKERS.filter(isLookedAt);
export const MAKING_CLIENTS: Manifests = isFull
  ? {
      '.': { workspaces: MAKERS },
      ...Object.fromEntries(MAKERS.map((name) => [name, officialOf({ svm: `${name}.0` })])),
    }
  : OTHER_CLIENTS;
