import Type, { type TProperties, type TSchema } from 'typebox';
import { NETWORKS } from '../networks.ts';
import { catalogProviders } from '../providers.ts';
import type { ResultShape } from '../route.ts';
import * as field from './fields.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const schema = (description: string) => Type.Unsafe<object>({ type: 'object', description });

const strictObject = (properties: TProperties) => Type.Object(properties, { additionalProperties: false });

/** A document without an example. */
const documentOf = (schema: TSchema): ResultShape => ({ schema, example: null });

/** Liveness. This is the whole body, because the gateway's own routes have no envelope. */
export const liveness = field.resultShape(
  strictObject({
    ok: field.always(true),
    service: field.string('The name of the service.', 'asset-gateway'),
    status: field.always('healthy'),
  }),
);

/** Readiness. */
export const readiness = field.resultShape(strictObject({ ok: field.always(true), status: field.always('ready') }));

const SURFACES = ['tokens', 'rpc', 'das', 'wallet'];
const CREDIT = {
  creditPriceUsd: field.optional(field.string('Dollars per call from credit.')),
  credit: field.optional(field.word(['accepted', 'sold'], 'Whether the route accepts or sells credit.')),
};

const entryOf = (apis: readonly string[], hasCredit: boolean) =>
  field.part('A route.', {
    path: field.string('The path, with :name for parameters.'),
    httpMethod: field.word(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], 'The verb.'),
    cluster: field.optional(field.word(['mainnet', 'devnet'], 'The cluster of the data and of the payment.')),
    provider: field.word(catalogProviders(apis, hasCredit), 'The provider.'),
    surface: field.word([...SURFACES, ...apis, ...(hasCredit ? ['credit'] : [])], 'The family of routes.'),
    method: field.string("The envelope's method."),
    description: field.string('What the route answers.'),
    accessMode: field.word(['siwx', 'exact'], "A wallet's signature, or a payment."),
    paymentRequired: Type.Boolean(),
    priceUsd: field.string('Dollars per call that is settled by itself.'),
    ...(hasCredit && CREDIT),
    authNetworks: field.optional(
      Type.Array(field.string('CAIP-2.'), { description: 'The networks that a sign-in may name.' }),
    ),
    paymentNetwork: field.optional(field.string('CAIP-2.')),
    paymentAsset: field.optional(
      field.part('The token to pay with.', {
        symbol: field.string('USDC.'),
        mint: field.string('Its mint.'),
        decimals: count('Its decimals.'),
      }),
    ),
    enabled: field.always(true),
    inputSchema: schema('The schema of the query, or of the body of a POST.'),
    inputExample: field.optional(schema('A valid input.')),
    outputSchema: schema("The schema of a success's body."),
    queryParamsSchema: field.optional(schema('The schema of the query of a POST.')),
    queryParamsExample: field.optional(schema('A valid query of a POST.')),
    pathParamsSchema: field.optional(schema('The schema of the path parameters.')),
    pathParamsExample: field.optional(schema('Valid path parameters.')),
    rules: field.optional(Type.Array(schema('A rule over several parameters.'))),
  });

/** The catalog of a service that serves these APIs besides ours. */
export const catalog = (apis: readonly string[], hasCredit: boolean): ResultShape =>
  documentOf(
    field.part('The catalog.', {
      ok: field.always(true),
      version: field.always(1),
      payment: field.optional(schema('Networks and mints, if anything is sold.')),
      catalog: field.part('The size of the list.', {
        totalRoutes: count('Number of routes.'),
        returnedRoutes: count('Number of listed routes.'),
        filters: schema('The requested filter.'),
      }),
      categories: schema('The providers, with the URL of the catalog of each.'),
      routes: Type.Array(entryOf(apis, hasCredit)),
    }),
  );

/** The document that x402's crawlers look for. */
export const wellKnown = documentOf(
  field.part('The x402 resources.', {
    version: field.always(1),
    resources: Type.Array(field.string('The URL of a route, with the values of its example in the path.')),
  }),
);

/** A DID document by W3C's DID Core and did:web. */
export const didDocument = documentOf(
  field.part('The keys that sign receipts.', {
    '@context': Type.Array(field.string('A JSON-LD context.')),
    id: field.string('The did:web of this origin.'),
    verificationMethod: Type.Array(
      field.part('A key.', {
        id: field.string('The kid of signatures by this key.'),
        type: field.always('JsonWebKey2020'),
        controller: field.string('The did:web of this origin.'),
        publicKeyJwk: schema('The public key (RFC 8037).'),
      }),
    ),
    assertionMethod: Type.Array(field.string('The id of a key that signs receipts.')),
  }),
);

/** An OpenAPI document describes itself. */
export const openapi = documentOf(schema('An OpenAPI document.'));

/** Text for language models. */
export const llms: ResultShape = { ...documentOf(field.string('Markdown.')), mediaType: 'text/plain; charset=utf-8' };

const micros = (description: string, example: number) =>
  field.shown(Type.Integer({ minimum: 0, description: `${description}, in millionths of a dollar.` }), example);
const cluster = field.word(['mainnet', 'devnet'], 'Credit is valid on one cluster only.', 'mainnet');

const WALLET = '6uW5RWdZtZzHH8jGTrGyYSx8Yw3hMF5tZHKyTZ5B6PUA';

const balance = (balanceUsd: string) => ({
  cluster,
  network: field.string('CAIP-2.', NETWORKS.mainnet),
  balanceUsd: field.string('The balance in dollars.', balanceUsd),
  balanceMicros: micros('The same', Number(balanceUsd) * 1e6),
});

/** A wallet's credit and its latest movements. */
export const credit = field.answer({
  wallet: field.string('The wallet that signed.', WALLET),
  balances: field.rows('One for each cluster with paid routes.', {
    ...balance('0.0499'),
    heldMicros: micros('Held for calls in flight', 0),
    grantedMicros: micros('Total credit bought', 50_000),
    spentMicros: micros('Total credit spent', 100),
  }),
  movements: field.rows('The latest 20, the newest first.', {
    kind: field.word(['grant', 'debit'], 'Credit bought, or spent.', 'debit'),
    cluster,
    micros: micros('How much', 100),
    at: field.string('RFC 3339, UTC.', '2026-01-01T00:00:00.000Z'),
    route: field.string(
      'The route that was called, as the catalog names its methods.',
      'rpc.mainnet.helius.getBalance',
    ),
    transaction: field.optional(field.string('The transaction of the purchase.')),
  }),
});

/** A wallet's credit after a settled purchase. */
export const bought = field.answer({
  wallet: field.string('The wallet that paid.', WALLET),
  ...balance('0.05'),
  boughtMicros: micros('Credit bought by this payment', 50_000),
});
