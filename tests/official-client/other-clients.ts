import { locked, type Manifests } from '../kit/packages.ts';

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
  '2.11': all('2.11.0'),
  '2.20': all('2.20.0'),
  '2.22': all('2.22.0'),
} as const satisfies Readonly<Record<string, Versions>>;

/** Another maker's client, in the folder `faremeter`. */
export const FAREMETER_VERSION = '0.22.0';

const officialOf = (versions: Versions) => ({
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

/** All of them, as suites of packages install them. */
export const OTHER_CLIENTS: Manifests = {
  '.': { workspaces: [...Object.keys(OTHER_VERSIONS), 'faremeter'], overrides: { viem: locked('viem') } },
  ...Object.fromEntries(Object.entries(OTHER_VERSIONS).map(([name, versions]) => [name, officialOf(versions)])),
  faremeter,
};
