import Type from 'typebox';
import { NETWORKS } from '../networks.ts';
import { CATALOG_PROVIDERS } from '../providers.ts';
import type { ResultShape } from '../route.ts';
import { always, answer, list, object, optional, shown, string, word } from './fields.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const schema = (description: string) => Type.Unsafe<object>({ type: 'object', description });

/** Liveness: the whole body, as the gateway's own routes have no envelope. */
export const liveness: ResultShape = {
  schema: Type.Object(
    { ok: always(true), service: string('The name of the service.'), status: always('healthy') },
    { additionalProperties: false },
  ),
  example: { ok: true, service: 'asset-gateway', status: 'healthy' },
};

/** Readiness. */
export const readiness: ResultShape = {
  schema: Type.Object({ ok: always(true), status: always('ready') }, { additionalProperties: false }),
  example: { ok: true, status: 'ready' },
};

const SURFACES = ['tokens', 'rpc', 'das', 'wallet'];
const CREDIT = { credit: optional(word(['accepted', 'sold'], 'Whether the route accepts or sells credit.')) };

const entryOf = (apis: readonly string[], hasCredit: boolean) =>
  object(
    {
      path: string('The path, with :name for parameters.'),
      httpMethod: word(['GET', 'POST'], 'The verb.'),
      cluster: optional(word(['mainnet', 'devnet'], 'The cluster of the data and of the payment.')),
      provider: word([...CATALOG_PROVIDERS, ...apis, ...(hasCredit ? ['gateway'] : [])], 'The provider.'),
      surface: word([...SURFACES, ...apis, ...(hasCredit ? ['credit'] : [])], 'The family of routes.'),
      method: string("The envelope's method."),
      description: string('What the route answers.'),
      accessMode: word(['siwx', 'exact'], "A wallet's signature, or a payment."),
      paymentRequired: Type.Boolean(),
      priceUsd: string('Dollars per call.'),
      ...(hasCredit && CREDIT),
      authNetworks: optional(Type.Array(string('CAIP-2.'), { description: 'The networks that a sign-in may name.' })),
      paymentNetwork: optional(string('CAIP-2.')),
      paymentAsset: optional(
        object(
          { symbol: string('USDC.'), mint: string('Its mint.'), decimals: count('Its decimals.') },
          'The token to pay with.',
        ),
      ),
      enabled: always(true),
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

/** The catalog of a service with these APIs besides ours. */
export const catalog = (apis: readonly string[], hasCredit: boolean): ResultShape => ({
  schema: object(
    {
      ok: always(true),
      version: always(1),
      payment: optional(schema('Networks and mints, if anything is sold.')),
      catalog: object(
        {
          totalRoutes: count('Number of routes.'),
          returnedRoutes: count('Number of listed routes.'),
          filters: schema('The requested filter.'),
        },
        'The size of the list.',
      ),
      categories: schema('The providers, with the URL of the catalog of each.'),
      routes: Type.Array(entryOf(apis, hasCredit)),
    },
    'The catalog.',
  ),
  example: null,
});

/** The document that crawlers of x402 look for. */
export const wellKnown: ResultShape = {
  schema: object(
    {
      version: always(1),
      resources: Type.Array(string('The URL of a route, with the values of its example in the path.')),
    },
    'The x402 resources.',
  ),
  example: null,
};

/** A DID document, as W3C's DID Core and did:web have it. */
export const didDocument: ResultShape = {
  schema: object(
    {
      '@context': Type.Array(string('A JSON-LD context.')),
      id: string('The did:web of this origin.'),
      verificationMethod: Type.Array(
        object(
          {
            id: string('The kid of signatures by this key.'),
            type: always('JsonWebKey2020'),
            controller: string('The did:web of this origin.'),
            publicKeyJwk: schema('The public key (RFC 8037).'),
          },
          'A key.',
        ),
      ),
      assertionMethod: Type.Array(string('The id of a key that signs receipts.')),
    },
    'The keys that sign receipts.',
  ),
  example: null,
};

/** An OpenAPI document describes itself. */
export const openapi: ResultShape = { schema: schema('An OpenAPI document.'), example: null };

/** Text for language models. */
export const llms: ResultShape = {
  schema: string('Markdown.'),
  example: null,
  mediaType: 'text/plain; charset=utf-8',
};

const micros = (description: string, example: number) =>
  shown(Type.Integer({ minimum: 0, description: `${description}, in millionths of a dollar.` }), example);
const cluster = word(['mainnet', 'devnet'], 'Credit is valid on one cluster only.', 'mainnet');

const WALLET = '6uW5RWdZtZzHH8jGTrGyYSx8Yw3hMF5tZHKyTZ5B6PUA';

const balance = (balanceUsd: string) => ({
  cluster,
  network: string('CAIP-2.', NETWORKS.mainnet),
  balanceUsd: string('The balance in dollars.', balanceUsd),
  balanceMicros: micros('The same', Number(balanceUsd) * 1e6),
});

/** A wallet's credit and its latest movements. */
export const credit = answer({
  wallet: string('The wallet that signed.', WALLET),
  balances: list(
    object({
      ...balance('0.0499'),
      heldMicros: micros('Held for calls in flight', 0),
      grantedMicros: micros('Total credit bought', 50_000),
      spentMicros: micros('Total credit spent', 100),
    }),
    'One for each cluster with paid routes.',
  ),
  movements: list(
    object({
      kind: word(['grant', 'debit'], 'Credit bought, or spent.', 'debit'),
      cluster,
      micros: micros('How much', 100),
      at: string('RFC 3339, UTC.', '2026-01-01T00:00:00.000Z'),
      route: string('The route that was called, as the catalog names its methods.', 'rpc.mainnet.helius.getBalance'),
      transaction: optional(string('The transaction of the purchase.')),
    }),
    'The latest 20, the newest first.',
  ),
});

/** A wallet's credit after a settled purchase. */
export const bought = answer({
  wallet: string('The wallet that paid.', WALLET),
  ...balance('0.05'),
  boughtMicros: micros('Credit bought by this payment', 50_000),
});
