import { HEADERS, type Route } from '@asset-gateway/protocol';
import { initOf, targetOf } from '../http/targets.ts';

/** One request of a route, by what is odd about it. */
export interface Exchange {
  readonly title: string;
  readonly target: string;
  readonly init: RequestInit;
}

const withHeader = (init: RequestInit, name: string, value: string): RequestInit => ({
  ...init,
  headers: { ...init.headers, [name]: value },
});

/** What strangers ask of a route without being let in. */
export function refusedExchanges(route: Route): Exchange[] {
  const [target, init] = [targetOf(route), initOf(route)];
  const credential = route.access === 'exact' ? HEADERS.payment : HEADERS.signIn;
  const exchanges: Record<string, Omit<Exchange, 'title'>> = {
    'as it is': { target, init },
    'by HEAD': { target, init: { method: 'HEAD' } },
    'by OPTIONS of another origin': {
      target,
      init: withHeader({ method: 'OPTIONS' }, 'Origin', 'https://elsewhere.example'),
    },
    'by DELETE': { target, init: { method: 'DELETE' } },
    'with a credential that is none': { target, init: withHeader(init, credential, 'bm9uZQ==') },
    'with an unknown parameter': { target: `${target.split('?')[0]}?unknown=1`, init },
    'with a slash more': { target: `${target.split('?')[0]}/`, init },
    ...(init.body ? { 'with half a body': { target, init: { ...init, body: '{"' } } } : {}),
  };
  return Object.entries(exchanges).map(([title, exchange]) => ({ title, ...exchange }));
}
