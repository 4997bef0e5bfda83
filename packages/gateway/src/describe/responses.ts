import { REFUSALS, type RefusalCode, type Route } from '@asset-gateway/protocol';
import { headersOf } from './headers.ts';
import type { JsonObject, JsonSchema } from './schemas.ts';
import type { Service } from './service.ts';

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
