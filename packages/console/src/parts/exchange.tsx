import type { ComponentChildren } from 'preact';
import type { Step } from '../recorder.ts';
import { Labelled } from './code.tsx';
import { decodedHeader, indentJson } from './text.ts';
import './parts.css';

const MAX_SHOWN = 20_000;

type HeaderList = Readonly<Record<string, string>>;

/** Headers by name; base64 JSON is also shown decoded. */
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
  402: 'The gateway sends a challenge',
  429: 'The gateway asks you to wait',
  503: 'The gateway asks you to wait',
};

const titleOf = (status: number): string =>
  MEANINGS[status] ?? (status < 300 ? 'The gateway answers' : 'The gateway refuses');

function Answer({ step }: { readonly step: Step }) {
  const { method, url, status, ms, requestHeaders, responseHeaders } = step;
  const header = Object.entries(responseHeaders).find(([name]) => name === 'payment-required')?.[1];
  const challenge = header === undefined ? undefined : decodedHeader(header);
  return (
    <Stage title={titleOf(status)} note={`${status}, after ${Math.round(ms)} ms`}>
      <p class="line">
        {method} {url.slice(new URL(url).origin.length)}
      </p>
      {challenge !== undefined && (
        <details>
          <summary>The challenge</summary>
          <Labelled label="PAYMENT-REQUIRED, decoded">{indentJson(challenge, MAX_SHOWN).text}</Labelled>
        </details>
      )}
      <details>
        <summary>Request headers</summary>
        <Headers of={requestHeaders} />
      </details>
      <details>
        <summary>Response headers</summary>
        <Headers of={responseHeaders} />
      </details>
    </Stage>
  );
}

/** Whether the first request was signed already, with a nonce from an earlier answer. */
const reusesNonce = (steps: readonly Step[], at: number): boolean => at === 0 && steps[at]?.signedText !== undefined;

/** The requests and answers of one call, in order. */
export function Exchange({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol class="exchange">
      {steps.flatMap((step, at) => [
        reusesNonce(steps, at) && (
          <Stage key={`${at}-nonce`} title="No challenge was needed">
            <p class="small">The previous answer included a nonce to sign, so this call takes one request.</p>
          </Stage>
        ),
        step.signedText !== undefined && (
          <Stage key={`${at}-text`} title="The key of this browser signs">
            <Labelled label="Signed text">{step.signedText}</Labelled>
          </Stage>
        ),
        <Answer key={at} step={step} />,
      ])}
    </ol>
  );
}
