import Type, { type TProperties } from 'typebox';
import { oneOf, optional } from '../parameters.ts';
import { CATALOG_PROVIDERS } from '../providers.ts';
import type { ResultShape } from '../route.ts';

const text = (description: string) => Type.String({ description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const schema = (description: string) => Type.Unsafe<object>({ type: 'object', description });
/** An object that holds these members, and may hold more. */
const open = (properties: TProperties, description: string) => Type.Object(properties, { description });

/** That the process is alive: the whole body, for the gateway's own routes have no envelope. */
export const liveness: ResultShape = {
  schema: Type.Object(
    { ok: Type.Literal(true), service: text('The name of the service.'), status: Type.Literal('healthy') },
    { additionalProperties: false },
  ),
  example: { ok: true, service: 'asset-gateway', status: 'healthy' },
};

/** That the node can be sent requests. */
export const readiness: ResultShape = {
  schema: Type.Object({ ok: Type.Literal(true), status: Type.Literal('ready') }, { additionalProperties: false }),
  example: { ok: true, status: 'ready' },
};

/** What beyond the providers' own rows a catalog lists, where credit is on. */
interface Listing {
  readonly providers: readonly string[];
  readonly surfaces: readonly string[];
  readonly more: TProperties;
}

const catalogEntry = ({ providers, surfaces, more }: Listing) =>
  open(
    {
      path: text('Path, with :name for what stands for a value.'),
      httpMethod: oneOf(['GET', 'POST'], 'The verb.'),
      cluster: optional(oneOf(['mainnet', 'devnet'], 'The cluster that is asked and paid on.')),
      provider: oneOf(providers, 'Who answers.'),
      surface: oneOf(surfaces, 'The family of routes.'),
      method: text("The envelope's method."),
      description: text('What it answers.'),
      accessMode: oneOf(['siwx', 'exact'], "A wallet's signature, or a payment."),
      paymentRequired: Type.Boolean(),
      priceUsd: text('Dollars a call.'),
      ...more,
      authNetworks: optional(Type.Array(text('CAIP-2.'), { description: 'What a sign-in may name.' })),
      paymentNetwork: optional(text('CAIP-2.')),
      paymentAsset: optional(
        open(
          { symbol: text('USDC.'), mint: text('Its mint.'), decimals: count('Its decimals.') },
          'What is paid with.',
        ),
      ),
      enabled: Type.Literal(true),
      inputSchema: schema('What validates the query, or the body of a POST.'),
      inputExample: optional(schema('An input that is valid.')),
      outputSchema: schema('The body of a success.'),
      pathParamsSchema: optional(schema('What validates the values in the path.')),
      pathParamsExample: optional(schema('Values that are valid.')),
      rules: optional(Type.Array(schema('A rule over several parameters.'))),
    },
    'A route.',
  );

const catalogOf = (listing: Listing): ResultShape => ({
  schema: open(
    {
      ok: Type.Literal(true),
      version: Type.Literal(1),
      payment: optional(schema('Networks and mints, where anything is sold.')),
      catalog: open(
        {
          totalRoutes: count('How many routes there are.'),
          returnedRoutes: count('How many of them are listed here.'),
          filters: schema('The filter that was asked for.'),
        },
        'What is listed.',
      ),
      categories: schema('The providers, and where each one is listed alone.'),
      routes: Type.Array(catalogEntry(listing)),
    },
    'The catalog.',
  ),
  example: null,
});

const SURFACES = ['tokens', 'rpc', 'das', 'wallet'];

/** The catalog. */
export const catalog = catalogOf({ providers: CATALOG_PROVIDERS, surfaces: SURFACES, more: {} });

/** The catalog where credit is on. */
export const catalogWithCredit = catalogOf({
  providers: [...CATALOG_PROVIDERS, 'gateway'],
  surfaces: [...SURFACES, 'credit'],
  more: { credit: optional(oneOf(['accepted', 'sold'], 'Whether credit pays for it, or is what it sells.')) },
});

/** The document that crawlers of x402 look for. */
export const wellKnown: ResultShape = {
  schema: open(
    {
      version: Type.Literal(1),
      resources: Type.Array(text('The URL of a route, with the values of its example in the path.')),
    },
    'What x402 opens here.',
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
            id: text('The kid of what is signed with the key.'),
            type: Type.Literal('JsonWebKey2020'),
            controller: text('The did:web of this origin.'),
            publicKeyJwk: schema('The public key (RFC 8037).'),
          },
          'A key.',
        ),
      ),
      assertionMethod: Type.Array(text('The id of a key whose receipts are to be believed.')),
    },
    'Who signs receipts here.',
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
