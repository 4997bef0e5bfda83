import { HEADERS, REFUSALS, type RefusalCode, type Route } from '@asset-gateway/protocol';
import type { JsonObject, JsonSchema } from './schemas.ts';
import type { Service } from './service.ts';

const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } });

const HEADER_COMPONENTS: Readonly<Record<string, JsonObject>> = {
  'X-Request-Id': text('Of this request, for the log: the one that was sent, or a fresh one.'),
  'Retry-After': { description: 'Seconds after which to send the same again.', schema: { type: 'integer' } },
  'WWW-Authenticate': text('`SIWX realm="<origin>", error="<code>"`.'),
  [HEADERS.paymentRequired]: text('The challenge of the body, base64 of its JSON: what to sign or to pay.'),
  [HEADERS.paymentResponse]: text('What became of the payment, base64 of JSON (x402 SettleResponse).'),
  [HEADERS.version1PaymentResponse]: text(
    `As ${HEADERS.paymentResponse}, with short network names, where ${HEADERS.version1Payment} paid.`,
  ),
  [HEADERS.replayed]: {
    description: 'The answer had been paid for before: nothing was settled now.',
    schema: { type: 'string', enum: ['true'] },
  },
  [HEADERS.credit]: text(
    'Where credit was charged or bought: `charged=<millionths of a dollar>, balance=<what is left>`.',
  ),
  [HEADERS.replayNonce]: text('A fresh nonce: signed in place of a challenge, it saves the next 402.'),
  RateLimit: text('`"upstream";r=<calls left>;t=<seconds until the next one frees>`.'),
  'RateLimit-Policy': text('`"upstream";q=<calls>;w=<seconds>`: what the shared budget allows.'),
  ETag: text('Sent back in If-None-Match, it saves the body of an unchanged document.'),
  'Cache-Control': text('For how long anybody may keep the document.'),
};

const RETRYABLE = [409, 429, 503];
/** Given before anybody is let in, or by our own fault: the same whatever the gate. */
const WITHOUT_SIGN_IN = [402, 408, 413, 414, 431, 500];

function namesOf({ access, credit, maxAgeSeconds }: Route, status: number): string[] {
  const names = ['X-Request-Id'];
  if (RETRYABLE.includes(status)) names.push('Retry-After');
  if (status === 402) names.push(HEADERS.paymentRequired);
  if (access === 'siwx' && status === 402) names.push('WWW-Authenticate');
  if (access === 'siwx' && !WITHOUT_SIGN_IN.includes(status)) {
    names.push(HEADERS.replayNonce, 'RateLimit', 'RateLimit-Policy');
  }
  if (access === 'exact' && [200, 402, 503].includes(status)) {
    names.push(HEADERS.paymentResponse, HEADERS.version1PaymentResponse);
  }
  if (access === 'exact' && status === 200) names.push(HEADERS.replayed);
  if (credit !== undefined && status === 200) names.push(HEADERS.credit);
  if (credit === 'accepted' && !WITHOUT_SIGN_IN.includes(status)) names.push(HEADERS.replayNonce);
  if (maxAgeSeconds !== undefined && (status === 200 || status === 304)) names.push('ETag', 'Cache-Control');
  return names;
}

/** The headers that an answer of a route with this status can carry, as references to components. */
export const headersOf = (route: Route, status: number): JsonObject =>
  Object.fromEntries(namesOf(route, status).map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The components that the answers of a route refer to, whatever their status. */
export function headerComponents(route: Route, statuses: readonly number[]): JsonObject {
  const names = new Set(statuses.flatMap((status) => namesOf(route, status)));
  return Object.fromEntries([...names].map((name) => [name, HEADER_COMPONENTS[name]]));
}

type Applies = (route: Route, service: Service) => boolean;

/** Which routes a family of codes can come from; the first family that a code is of decides, and the rest is of all. */
const FAMILIES: readonly (readonly [codes: RegExp, applies: Applies])[] = [
  // Of paths that there are not, and of verbs that a path does not take.
  [/^(?:not_found|method_not_allowed)$/, () => false],
  [/^blocked$/, ({ access }, { hasBlocked }) => access !== 'public' && hasBlocked === true],
  [/^sign_in_/, ({ access }) => access === 'siwx'],
  [/^invalid_siwx_/, ({ access, credit }) => access === 'siwx' || credit === 'accepted'],
  [/^credit_exhausted$/, ({ credit }) => credit === 'accepted'],
  [/^credit_limit$/, ({ credit }) => credit !== undefined],
  [/^(?:payment_|no_matching_|invalid_exact_|settlement_|facilitator_)/, ({ access }) => access === 'exact'],
  [/^(?:upstream_|rate_limited$|overloaded$)/, ({ access }) => access !== 'public'],
  [/^state_unavailable$/, ({ access, method }) => access !== 'public' || method === 'readiness'],
  [/^(?:invalid_json|unsupported_media_type)$/, ({ input }) => input.body !== undefined],
  [/^invalid_provider_filter$/, ({ codes }) => Object.values(codes).includes('invalid_provider_filter')],
];

const familyOf = (code: RefusalCode) => FAMILIES.find(([codes]) => codes.test(code));

/** An upstream's own verdict on a request keeps its status. */
const OTHER_STATUSES: Readonly<Partial<Record<RefusalCode, readonly number[]>>> = { upstream_rejected: [400, 404] };

const statusesOf = (code: RefusalCode): number[] => [REFUSALS[code].status, ...(OTHER_STATUSES[code] ?? [])];

/** Every refusal that a route of a service can give: the codes by status. */
export function refusalsOf(route: Route, service: Service): Map<number, RefusalCode[]> {
  const byStatus = new Map<number, RefusalCode[]>();
  for (const code of Object.keys(REFUSALS) as RefusalCode[]) {
    const [, applies] = familyOf(code) ?? [];
    if (applies && !applies(route, service)) continue;
    for (const status of statusesOf(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

/** The name of a refusal's component: routes that can give the same codes share it. */
function nameOf({ access, credit, input, codes }: Route, status: number, refusals: readonly RefusalCode[]): string {
  const isAnybodys = refusals.every((code) => familyOf(code) === undefined);
  const kind = isAnybodys
    ? ['any']
    : [access, ...(credit === 'sold' ? ['credit'] : []), ...(input.body ? ['body'] : []), ...Object.keys(codes)];
  return [...kind, status].join('-');
}

/** What each code means, in its own sentence; codes with one sentence share a line. */
function explained(codes: readonly RefusalCode[]): string {
  const sentences = new Map<string, RefusalCode[]>();
  for (const code of codes) {
    const { message } = REFUSALS[code];
    sentences.set(message, [...(sentences.get(message) ?? []), code]);
  }
  const lines = [...sentences].map(([sentence, of]) => `- ${of.map((code) => `\`${code}\``).join(', ')}: ${sentence}`);
  return lines.join('\n');
}

const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

function refusalResponse(route: Route, status: number, codes: readonly RefusalCode[]): JsonObject {
  const code = { type: 'object', properties: { error: { enum: codes } } };
  const schema = { allOf: [refTo('Error'), ...(status === 402 ? [refTo('PaymentRequired')] : []), code] };
  return {
    description: explained(codes),
    headers: headersOf(route, status),
    content: { 'application/json': { schema } },
  };
}

/** The refusals of a route as references, by status. */
export const refusalReferences = (route: Route, service: Service): JsonObject =>
  Object.fromEntries(
    [...refusalsOf(route, service)].map(([status, codes]) => {
      return [status, { $ref: `#/components/responses/${nameOf(route, status, codes)}` }];
    }),
  );

/** What those references refer to. */
export const refusalComponents = (service: Service): JsonObject =>
  Object.fromEntries(
    service.routes.flatMap((route) =>
      [...refusalsOf(route, service)].map(([status, codes]) => {
        return [nameOf(route, status, codes), refusalResponse(route, status, codes)];
      }),
    ),
  );
