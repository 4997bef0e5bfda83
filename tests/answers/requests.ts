import { HEADERS, type Route } from '@asset-gateway/protocol';
import { initOf, targetOf } from '../http/targets.ts';

const withHeader = (init: RequestInit, name: string, value: string): RequestInit => ({
  ...init,
  headers: { ...init.headers, [name]: value },
});

/** Requests that the route refuses or answers without an upstream call. */
export function refusedRequests(route: Route): Readonly<Record<string, readonly [target: string, init: RequestInit]>> {
  const [target, init] = [targetOf(route), initOf(route)];
  const [path = ''] = target.split('?');
  const credential = route.access === 'exact' ? HEADERS.payment : HEADERS.signIn;
  return {
    'as it is': [target, init],
    'by HEAD': [target, { method: 'HEAD' }],
    'by OPTIONS of another origin': [target, withHeader({ method: 'OPTIONS' }, 'Origin', 'https://elsewhere.example')],
    'by DELETE': [target, { method: 'DELETE' }],
    'with an invalid credential': [target, withHeader(init, credential, 'bm9uZQ==')],
    'with an unknown parameter': [`${path}?unknown=1`, init],
    'with a trailing slash': [`${path}/`, init],
    ...(init.body ? { 'with half a body': [target, { ...init, body: '{"' }] } : {}),
  };
}
