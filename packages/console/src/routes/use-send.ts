import { errorOf } from '@asset-gateway/client';
import type { Issue } from '@asset-gateway/protocol';
import { useState } from 'preact/hooks';
import type { Session } from '../session.ts';
import type { RouteAnswer } from './answer.tsx';
import type { Row } from './catalog.ts';
import type { FormRequest } from './use-form.ts';

/** Sends with a signature. Credit routes need the client that pays. */
async function requestSigned(session: Session, { surface }: Row, { path, body }: FormRequest): Promise<Response> {
  const client = (surface as string) === 'credit' ? await session.wallet.client() : session.client;
  return client.ask(path, body === undefined ? {} : { body });
}

const send = (session: Session, row: Row, request: FormRequest): Promise<Response> =>
  row.paymentRequired
    ? session.wallet.buy(request.path, request.body, Number(row.priceUsd))
    : requestSigned(session, row, request);

/** Sends and waits for the whole answer. */
async function answerTo(session: Session, row: Row, request: FormRequest) {
  const startedAt = performance.now();
  const response = await send(session, row, request);
  const text = await response.text();
  const ms = performance.now() - startedAt;
  const steps = session.recorder.stepsFor(new URL(request.path, location.origin).href);
  const refusal = response.ok ? undefined : errorOf(response, text);
  const headers = Object.fromEntries(response.headers);
  const answer: RouteAnswer = { row, status: response.status, headers, text, steps, ms, refusal };
  return { answer, issues: refusal?.issues ?? [] };
}

/** The last answer or error of a route, and the function that sends. */
export interface Sending {
  readonly answer: RouteAnswer | undefined;
  readonly error: unknown;
  /** Sends and returns the issues of a refusal. */
  send(request: FormRequest): Promise<readonly Issue[]>;
}

/** Sends the requests of a route's form. */
export function useSend(session: Session, row: Row): Sending {
  const [answer, setAnswer] = useState<RouteAnswer>();
  const [error, setError] = useState<unknown>();
  const sendNow = async (request: FormRequest): Promise<readonly Issue[]> => {
    setError(undefined);
    setAnswer(undefined);
    try {
      const sent = await answerTo(session, row, request);
      setAnswer(sent.answer);
      return sent.issues;
    } catch (failure) {
      setError(failure);
      return [];
    }
  };
  return { answer, error, send: sendNow };
}
