import { HEADERS, REFUSALS, type RefusalCode, type Route } from '@asset-gateway/protocol';
import shared from './components.json' with { type: 'json' };
import type { JsonObject, JsonSchema } from './schemas.ts';
import type { Service } from './service.ts';

const HEADER_COMPONENTS: Readonly<Record<string, JsonObject>> = shared.headers;

/** A status, or all other client errors. */
type Status = number | '4XX';

const RETRYABLE: readonly Status[] = [409, 429, 503];
/** The statuses that no gate affects, because they are sent before admission or for internal errors. */
const WITHOUT_SIGN_IN: readonly Status[] = [402, 408, 413, 414, 431, 500];

function namesOf({ access, credit, maxAgeSeconds }: Route, status: Status): string[] {
  const names = ['X-Request-Id'];
  if (RETRYABLE.includes(status)) names.push('Retry-After');
  if (status === 402) names.push(HEADERS.paymentRequired);
  if (access === 'siwx' && status === 402) names.push('WWW-Authenticate');
  if (access === 'siwx' && !WITHOUT_SIGN_IN.includes(status)) {
    names.push(HEADERS.replayNonce, 'RateLimit', 'RateLimit-Policy');
  }
  if (access === 'exact' && (status === 200 || status === 402 || status === 503)) {
    names.push(HEADERS.paymentResponse, HEADERS.version1PaymentResponse);
  }
  if (access === 'exact' && status === 200) names.push(HEADERS.replayed);
  if (credit !== undefined && status === 200) names.push(HEADERS.credit);
  if (credit === 'accepted' && !WITHOUT_SIGN_IN.includes(status)) names.push(HEADERS.replayNonce);
  if (maxAgeSeconds !== undefined && (status === 200 || status === 304)) names.push('ETag', 'Cache-Control', 'Vary');
  if (maxAgeSeconds !== undefined && status === 200) names.push('Content-Encoding');
  return names;
}

/** Returns the headers that a route's response may have with this status, as references to components. */
export const headersOf = (route: Route, status: Status): JsonObject =>
  Object.fromEntries(namesOf(route, status).map((name) => [name, { $ref: `#/components/headers/${name}` }]));

type Applies = (route: Route, service: Service) => boolean;

/** Which routes can refuse with which codes. The first match decides. Codes without a match apply to every route. */
const CODE_GROUPS: readonly (readonly [codes: RegExp, applies: Applies])[] = [
  // These codes are for unknown paths and unsupported verbs, so no operation lists them.
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

const codeGroupOf = (code: RefusalCode) => CODE_GROUPS.find(([codes]) => codes.test(code));

/** Whether a route belongs to an operator's API. */
const isOwn = ({ provider }: Route, { titles }: Service): boolean => titles?.has(provider) === true;

/**
 * Returns the statuses of a code. A rejection by an upstream keeps the upstream's status. At an operator's API that may be any client
 * error.
 */
function statusesOf(code: RefusalCode, isOfOwnApi: boolean): Status[] {
  const others: Status[] = code === 'upstream_rejected' ? [400, 404, ...(isOfOwnApi ? (['4XX'] as const) : [])] : [];
  return [REFUSALS[code].status, ...others];
}

/**
 * Returns a function that makes a value once for all routes of a kind. There are few kinds, and to make it for each of ten thousand routes
 * would take seconds.
 */
function byKind<T>(make: (route: Route, service: Service) => T): (route: Route, service: Service) => T {
  const ofServices = new WeakMap<Service, Map<string, T>>();
  return (route, service) => {
    const { access, credit, codes, input, maxAgeSeconds, method } = route;
    const facts = [
      access,
      credit,
      method === 'readiness',
      input.body !== undefined,
      maxAgeSeconds,
      isOwn(route, service),
    ];
    const kind = [...facts, ...Object.entries(codes).flat()].join(' ');
    const made = ofServices.get(service) ?? new Map<string, T>();
    ofServices.set(service, made);
    const found = made.get(kind) ?? make(route, service);
    made.set(kind, found);
    return found;
  };
}

/** Returns the codes with which a route may refuse, by status. */
export const refusalsOf = byKind((route, service) => {
  const byStatus = new Map<Status, RefusalCode[]>();
  for (const code of Object.keys(REFUSALS) as RefusalCode[]) {
    const [, applies] = codeGroupOf(code) ?? [];
    if (applies && !applies(route, service)) continue;
    for (const status of statusesOf(code, isOwn(route, service)))
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));
});

/** Returns the name of a refusal component. Routes with the same codes share it. */
function componentNameOf(
  { access, credit, input, codes }: Route,
  status: Status,
  refusals: readonly RefusalCode[],
): string {
  const isGeneral = refusals.every((code) => codeGroupOf(code) === undefined);
  const kind = isGeneral
    ? ['any']
    : [access, ...(credit === 'sold' ? ['credit'] : []), ...(input.body ? ['body'] : []), ...Object.keys(codes)];
  return [...kind, status].join('-');
}

/** Returns codes with their sentences. Codes with the same sentence share a line. */
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

function refusalResponse(route: Route, status: Status, codes: readonly RefusalCode[]): JsonObject {
  const code = { type: 'object', properties: { error: { enum: codes } } };
  const schema = { allOf: [refTo('Error'), ...(status === 402 ? [refTo('PaymentRequired')] : []), code] };
  return {
    description: explained(codes),
    headers: headersOf(route, status),
    content: { 'application/json': { schema } },
  };
}

/** Returns a route's refusals by status, each with the name of its component. */
export const refusalResponses = byKind((route, service) =>
  [...refusalsOf(route, service)].map(([status, codes]) => {
    return { status, name: componentNameOf(route, status, codes), response: refusalResponse(route, status, codes) };
  }),
);

const SUCCESSES: readonly Status[] = [200, 304];

/** Returns the header components to which a route's responses refer. */
export const headerComponents = byKind((route, service): JsonObject => {
  const statuses = [...SUCCESSES, ...refusalsOf(route, service).keys()];
  const names = new Set(statuses.flatMap((status) => namesOf(route, status)));
  return Object.fromEntries([...names].map((name) => [name, HEADER_COMPONENTS[name]]));
});
