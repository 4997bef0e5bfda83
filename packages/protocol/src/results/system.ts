import Type, { type TProperties } from 'typebox';
import { oneOf, optional } from '../parameters.ts';
import { CATALOG_PROVIDERS } from '../providers.ts';
import type { ResultShape } from '../route.ts';

const text = (description: string) => Type.String({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const schema = (description: string) => Type.Unsafe<object>({ type: 'object', description });
/** An object with these and possibly further members. */
const open = (properties: TProperties, description: string) => Type.Object(properties, { description });

/** Liveness: the whole body, as the gateway's own routes have no envelope. */
export const liveness: ResultShape = {
  schema: Type.Object(
    { ok: Type.Literal(true), service: text('The name of the service.'), status: Type.Literal('healthy') },
    { additionalProperties: false },
  ),
  example: { ok: true, service: 'asset-gateway', status: 'healthy' },
};

/** Readiness. */
export const readiness: ResultShape = {
  schema: Type.Object({ ok: Type.Literal(true), status: Type.Literal('ready') }, { additionalProperties: false }),
  example: { ok: true, status: 'ready' },
};

/** What a catalog lists. */
interface Listing {
  readonly providers: readonly string[];
  readonly surfaces: readonly string[];
  readonly more: TProperties;
}

const catalogEntry = ({ providers, surfaces, more }: Listing) =>
  open(
    {
      path: text('The path, with :name for parameters.'),
      httpMethod: oneOf(['GET', 'POST'], 'The verb.'),
      cluster: optional(oneOf(['mainnet', 'devnet'], 'The cluster of the data and of the payment.')),
      provider: oneOf(providers, 'The provider.'),
      surface: oneOf(surfaces, 'The family of routes.'),
      method: text("The envelope's method."),
      description: text('What the route answers.'),
      accessMode: oneOf(['siwx', 'exact'], "A wallet's signature, or a payment."),
      paymentRequired: Type.Boolean(),
      priceUsd: text('Dollars per call.'),
      ...more,
      authNetworks: optional(Type.Array(text('CAIP-2.'), { description: 'The networks that a sign-in may name.' })),
      paymentNetwork: optional(text('CAIP-2.')),
      paymentAsset: optional(
        open(
          { symbol: text('USDC.'), mint: text('Its mint.'), decimals: count('Its decimals.') },
          'The token to pay with.',
        ),
      ),
      enabled: Type.Literal(true),
      inputSchema: schema('The schema of the query, or of the body of a POST.'),
      inputExample: optional(schema('A valid input.')),
      outputSchema: schema("The schema of a success's body."),
      queryParamsSchema: optional(schema('The schema of the query of a POST.')),
      queryParamsExample: optional(schema('A valid query of a POST.')),
      pathParamsSchema: optional(schema('The schema of the path parameters.')),
      pathParamsExample: optional(schema('Valid path parameters.')),
      rules: optional(Type.Array(schema('A rule over several parameters.'))),
    },
    'A route.',
  );

const catalogOf = (listing: Listing): ResultShape => ({
  schema: open(
    {
      ok: Type.Literal(true),
      version: Type.Literal(1),
      payment: optional(schema('Networks and mints, if anything is sold.')),
      catalog: open(
        {
          totalRoutes: count('Number of routes.'),
          returnedRoutes: count('Number of listed routes.'),
          filters: schema('The requested filter.'),
        },
        'The size of the list.',
      ),
      categories: schema('The providers, with the URL of the catalog of each.'),
      routes: Type.Array(catalogEntry(listing)),
    },
    'The catalog.',
  ),
  example: null,
});

const SURFACES = ['tokens', 'rpc', 'das', 'wallet'];
const CREDIT = { credit: optional(oneOf(['accepted', 'sold'], 'Whether the route accepts or sells credit.')) };

/** The catalog of a service with these APIs besides ours. */
export const catalog = (apis: readonly string[], hasCredit: boolean): ResultShape =>
  catalogOf({
    providers: [...CATALOG_PROVIDERS, ...apis, ...(hasCredit ? ['gateway'] : [])],
    surfaces: [...SURFACES, ...apis, ...(hasCredit ? ['credit'] : [])],
    more: hasCredit ? CREDIT : {},
  });

/** The document that crawlers of x402 look for. */
export const wellKnown: ResultShape = {
  schema: open(
    {
      version: Type.Literal(1),
      resources: Type.Array(text('The URL of a route, with the values of its example in the path.')),
    },
    'The x402 resources.',
  ),
  example: null,
};

/** A DID document, as W3C's DID Core and did:web have it. */
export const didDocument: ResultShape = {
  schema: open(
    {
      '@context': Type.Array(text('A JSON-LD context.')),
      id: text('The did:web of this origin.'),
      verificationMethod: Type.Array(
        open(
          {
            id: text('The kid of signatures by this key.'),
            type: Type.Literal('JsonWebKey2020'),
            controller: text('The did:web of this origin.'),
            publicKeyJwk: schema('The public key (RFC 8037).'),
          },
          'A key.',
        ),
      ),
      assertionMethod: Type.Array(text('The id of a key that signs receipts.')),
    },
    'The keys that sign receipts.',
  ),
  example: null,
};

/** An OpenAPI document describes itself. */
export const openapi: ResultShape = { schema: schema('An OpenAPI document.'), example: null };

/** Text for language models. */
export const llms: ResultShape = {
  schema: text('Markdown.'),
  example: null,
  mediaType: 'text/plain; charset=utf-8',
};

const micros = (description: string) =>
  Type.Integer({ minimum: 0, description: `${description}, in millionths of a dollar.` });
const cluster = oneOf(['mainnet', 'devnet'], 'Credit is valid on one cluster only.');

const WALLET = '6uW5RWdZtZzHH8jGTrGyYSx8Yw3hMF5tZHKyTZ5B6PUA';

const balance = {
  cluster,
  network: text('CAIP-2.'),
  balanceUsd: text('The balance in dollars.'),
  balanceMicros: micros('The same'),
};

/** A wallet's credit and its latest movements. */
export const credit: ResultShape = {
  schema: Type.Object({
    wallet: text('The wallet that signed.'),
    balances: Type.Array(
      Type.Object({
        ...balance,
        heldMicros: micros('Held for calls in flight'),
        grantedMicros: micros('Total credit bought'),
        spentMicros: micros('Total credit spent'),
      }),
      { description: 'One for each cluster with paid routes.' },
    ),
    movements: Type.Array(
      Type.Object({
        kind: oneOf(['grant', 'debit'], 'Credit bought, or spent.'),
        cluster,
        micros: micros('How much'),
        at: text('RFC 3339, UTC.'),
        route: text('The route that was called, as the catalog names its methods.'),
        transaction: optional(text('The transaction of the purchase.')),
      }),
      { description: 'The latest 20, the newest first.' },
    ),
  }),
  example: {
    wallet: WALLET,
    balances: [
      {
        cluster: 'mainnet',
        network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        balanceUsd: '0.0499',
        balanceMicros: 49_900,
        heldMicros: 0,
        grantedMicros: 50_000,
        spentMicros: 100,
      },
    ],
    movements: [
      {
        kind: 'debit',
        cluster: 'mainnet',
        micros: 100,
        at: '2026-01-01T00:00:00.000Z',
        route: 'rpc.mainnet.helius.getBalance',
      },
    ],
  },
};

/** A wallet's credit after a settled purchase. */
export const bought: ResultShape = {
  schema: Type.Object({
    wallet: text('The wallet that paid.'),
    ...balance,
    boughtMicros: micros('Credit bought by this payment'),
  }),
  example: {
    wallet: WALLET,
    cluster: 'mainnet',
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    balanceUsd: '0.05',
    balanceMicros: 50_000,
    boughtMicros: 50_000,
  },
};
