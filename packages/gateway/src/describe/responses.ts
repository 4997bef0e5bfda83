import { HEADERS, REFUSALS, type RefusalCode, type Route } from '@asset-gateway/protocol';
import shared from './components.json' with { type: 'json' };
import type { JsonObject, JsonSchema } from './schemas.ts';
import type { Service } from './service.ts';

const HEADER_COMPONENTS: Readonly<Record<string, JsonObject>> = shared.headers;

const RETRYABLE = [409, 429, 503];
/** Statuses sent before admission, or for internal errors: independent of the gate. */
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

/** The possible headers of a route's response with this status, as references to components. */
export const headersOf = (route: Route, status: number): JsonObject =>
  Object.fromEntries(namesOf(route, status).map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** The header components that a route's responses refer to. */
export function headerComponents(route: Route, statuses: readonly number[]): JsonObject {
  const names = new Set(statuses.flatMap((status) => namesOf(route, status)));
  return Object.fromEntries([...names].map((name) => [name, HEADER_COMPONENTS[name]]));
}

type Applies = (route: Route, service: Service) => boolean;

/** The routes that can refuse with a family of codes. The first match decides; other codes apply to every route. */
const FAMILIES: readonly (readonly [codes: RegExp, applies: Applies])[] = [
  // Unknown paths, and verbs that a path does not take.
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

/** A rejection by an upstream keeps the upstream's status. */
const OTHER_STATUSES: Readonly<Partial<Record<RefusalCode, readonly number[]>>> = { upstream_rejected: [400, 404] };

const statusesOf = (code: RefusalCode): number[] => [REFUSALS[code].status, ...(OTHER_STATUSES[code] ?? [])];

/** The possible refusal codes of a route, by status. */
export function refusalsOf(route: Route, service: Service): Map<number, RefusalCode[]> {
  const byStatus = new Map<number, RefusalCode[]>();
  for (const code of Object.keys(REFUSALS) as RefusalCode[]) {
    const [, applies] = familyOf(code) ?? [];
    if (applies && !applies(route, service)) continue;
    for (const status of statusesOf(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

/** The name of a refusal's component, shared by routes with the same codes. */
function nameOf({ access, credit, input, codes }: Route, status: number, refusals: readonly RefusalCode[]): string {
  const isGeneral = refusals.every((code) => familyOf(code) === undefined);
  const kind = isGeneral
    ? ['any']
    : [access, ...(credit === 'sold' ? ['credit'] : []), ...(input.body ? ['body'] : []), ...Object.keys(codes)];
  return [...kind, status].join('-');
}

/** The codes with their sentences; codes with the same sentence share a line. */
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

/** A route's refusals by status, each with the name of its component. */
export const refusalResponses = (route: Route, service: Service) =>
  [...refusalsOf(route, service)].map(([status, codes]) => {
    return { status, name: nameOf(route, status, codes), response: refusalResponse(route, status, codes) };
  });
