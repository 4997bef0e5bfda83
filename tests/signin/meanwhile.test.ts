import { HEADERS } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../packages/gateway/src/budget/store.ts';
import { endsAfterTests } from '../kit/ends.ts';
import { openLocalStore } from '../kit/local-store.ts';
import { encodeHeader } from '../kit/wallet.ts';
import { refusedWith, statusOf } from './craft.ts';
import { openDirect } from './direct-gateway.ts';
import { SEARCH, signedPayload } from './payload.ts';

const nextNonce = (response: Response): string => response.headers.get(HEADERS.replayNonce) ?? '';

describe('a nonce that can no longer be used when the cached answer has been read', () => {
  /** A gateway with an answer in its cache. `next.before` runs once, before the next nonce is used up for that answer. */
  async function openCached() {
    const next: { before?: () => unknown } = {};
    const around = (store: Store): Store => {
      const useNonce = store.useNonce.bind(store);
      store.useNonce = async (...use) => {
        const { before } = next;
        delete next.before;
        await before?.();
        return useNonce(...use);
      };
      return store;
    };
    const direct = await openDirect({ around, variables: { RESPONSE_CACHE: 'on' } });
    const header = await direct.signIn();
    direct.step(299);
    expect(await statusOf(direct.askFreshly())).toBe(200);
    expect(direct.upstream.arrivals).toHaveLength(1);
    return { direct, header, next };
  }

  it('S6 gets no answer because it has expired, and its challenge gets the answer', async () => {
    const { direct, header, next } = await openCached();
    next.before = () => direct.step(2);
    const challenge = await refusedWith('invalid_siwx_expired', direct.askWith(header));
    expect(await statusOf(direct.askWith(encodeHeader(await signedPayload(challenge))))).toBe(200);
    expect(direct.upstream.arrivals).toHaveLength(1);
  });

  it('S1 gets no answer because a copy has got it', async () => {
    const { direct, header, next } = await openCached();
    const copies: number[] = [];
    next.before = async () => copies.push(await statusOf(direct.askWith(header)));
    const challenge = await refusedWith('invalid_siwx_nonce', direct.askWith(header));
    expect(copies).toEqual([200]);
    expect(await statusOf(direct.askWith(encodeHeader(await signedPayload(challenge))))).toBe(200);
    expect(direct.upstream.arrivals).toHaveLength(1);
  });
});

describe('a store that loses its data while a request runs', () => {
  /** A gateway whose store is empty from the moment on that `loss` names. */
  async function openLosing() {
    const loss: { moment?: 'before the slot' | 'after the slot' } = {};
    const empty = await openLocalStore(() => Date.UTC(2026, 10, 20, 12));
    endsAfterTests(empty.close);
    const around = (full: Store): Store => {
      let store = full;
      const admit: Store['admit'] = async (attempt) => {
        if (loss.moment === 'before the slot') store = empty.store;
        const verdict = await store.admit(attempt);
        if (loss.moment === 'after the slot') store = empty.store;
        return verdict;
      };
      const get = (_: Store, name: string | symbol): unknown => {
        const member = name === 'admit' ? admit : Reflect.get(store, name);
        return typeof member === 'function' ? member.bind(store) : member;
      };
      return new Proxy(full, { get });
    };
    const direct = await openDirect({ around });
    expect(await statusOf(direct.askFreshly())).toBe(200);
    return { direct, loss };
  }

  it('answers a request that had its slot before, with a nonce of the new set', async () => {
    const { direct, loss } = await openLosing();
    const old = await direct.signIn();
    loss.moment = 'after the slot';
    const answer = await direct.askFreshly();
    expect(await statusOf(answer)).toBe(200);
    expect(await statusOf(direct.askFreshly(SEARCH, { nonce: nextNonce(answer) }))).toBe(200);
    await direct.costsNothing(() => refusedWith('invalid_siwx_nonce', direct.askWith(old)));
  });

  it('refuses a request that had no slot yet, with a challenge of the new set', async () => {
    const { direct, loss } = await openLosing();
    const header = await direct.signIn();
    const { length } = direct.upstream.arrivals;
    loss.moment = 'before the slot';
    const challenge = await refusedWith('invalid_siwx_nonce', direct.askWith(header));
    expect(direct.upstream.arrivals).toHaveLength(length);
    expect(await statusOf(direct.askWith(encodeHeader(await signedPayload(challenge))))).toBe(200);
  });
});
