import { HEADERS, type Route, routes } from '@asset-gateway/protocol';
import type { PaymentRequired } from '@x402/core/types';
import type { Discovery } from '../../packages/gateway/src/describe/discovery.ts';
import { type PaidGateway, startTestGateway } from '../kit/test-gateway.ts';
import { ROOMY } from '../payments/calls.ts';

/** Routes that upstreams answer. */
export const served: readonly Route[] = routes.filter(({ surface }) => surface !== 'system');

/** A gateway with all routes and high limits. */
export const startEverything = (variables: Record<string, string> = {}): Promise<PaidGateway> =>
  startTestGateway({ ...ROOMY, ...variables }, { paid: true });

/** The challenge in an answer's header. */
export function challengeIn(response: Response): { header: string; required: PaymentRequired } {
  const header = response.headers.get(HEADERS.paymentRequired) ?? '';
  return { header, required: JSON.parse(Buffer.from(header, 'base64').toString()) as PaymentRequired };
}

/** The discovery extension of a challenge, if any. */
export const discoveryIn = ({ extensions }: PaymentRequired): Discovery | undefined =>
  extensions?.bazaar as Discovery | undefined;

/** `GET /v1/…`, as the table spells it. */
export const endpointOf = ({ httpMethod, path }: Pick<Route, 'httpMethod' | 'path'>): string => `${httpMethod} ${path}`;
