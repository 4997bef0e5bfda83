import type { ComponentChildren } from 'preact';
import type { Step } from '../recorder.ts';
import { Labelled } from './code.tsx';
import { decodedHeader } from './decoded-header.ts';
import { indentJson } from './indent-json.ts';
import './parts.css';

const MAX_SHOWN = 20_000;

type HeaderList = Readonly<Record<string, string>>;

/** Headers by name; what is JSON in base64 is also shown as what it says. */
export function Headers({ of: headers }: { readonly of: HeaderList }) {
  return (
    <dl class="headers">
      {Object.entries(headers).map(([name, value]) => {
        const decoded = decodedHeader(value);
        return (
          <div key={name}>
            <dt>{name}</dt>
            <dd class={decoded === undefined ? undefined : 'cut'}>{value}</dd>
            {decoded !== undefined && (
              <dd>
                <Labelled label={`${name}, decoded`}>{indentJson(decoded, MAX_SHOWN).text}</Labelled>
              </dd>
            )}
          </div>
        );
      })}
    </dl>
  );
}

interface StageProps {
  readonly title: string;
  readonly note?: string | undefined;
  readonly children: ComponentChildren;
}

const Stage = ({ title, note, children }: StageProps) => (
  <li>
    <p>
      <strong>{title}</strong> {note && <span class="muted small">{note}</span>}
    </p>
    {children}
  </li>
);

const MEANINGS: Readonly<Record<number, string>> = {
  402: 'The gateway asks first',
  429: 'The gateway asks to wait',
  503: 'The gateway asks to wait',
};

const titleOf = (status: number): string =>
  MEANINGS[status] ?? (status < 300 ? 'The gateway answers' : 'The gateway refuses');

function Answered({ step }: { readonly step: Step }) {
  const { method, url, status, ms, requestHeaders, responseHeaders } = step;
  const asked = Object.entries(responseHeaders).find(([name]) => name === 'payment-required')?.[1];
  const challenge = asked === undefined ? undefined : decodedHeader(asked);
  return (
    <Stage title={titleOf(status)} note={`${status}, after ${Math.round(ms)} ms`}>
      <p class="line">
        {method} {url.slice(new URL(url).origin.length)}
      </p>
      {challenge !== undefined && (
        <details>
          <summary>What it asks for</summary>
          <Labelled label="PAYMENT-REQUIRED, decoded">{indentJson(challenge, MAX_SHOWN).text}</Labelled>
        </details>
      )}
      <details>
        <summary>Headers of the request</summary>
        <Headers of={requestHeaders} />
      </details>
      <details>
        <summary>Headers of the answer</summary>
        <Headers of={responseHeaders} />
      </details>
    </Stage>
  );
}

/** Nothing was asked for before this step, though it is signed: an answer had brought its nonce. */
const hadItsNonce = (steps: readonly Step[], at: number): boolean => at === 0 && steps[at]?.signedText !== undefined;

/** What was said between this page and the gateway for one call, as it happened. */
export function Exchange({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol class="exchange">
      {steps.flatMap((step, at) => [
        hadItsNonce(steps, at) && (
          <Stage key={`${at}-nonce`} title="No challenge was needed">
            <p class="small">
              The answer before this call had brought a nonce to sign, so that the call is one request.
            </p>
          </Stage>
        ),
        step.signedText !== undefined && (
          <Stage key={`${at}-text`} title="The key of this tab signs">
            <Labelled label="Signed text">{step.signedText}</Labelled>
          </Stage>
        ),
        <Answered key={at} step={step} />,
      ])}
    </ol>
  );
}
