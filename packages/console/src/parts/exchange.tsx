import { indentJson, withEscapes } from '@asset-gateway/protocol';
import type { ComponentChildren } from 'preact';
import type { RecordedRequest } from '../recorder.ts';
import { Labelled } from './code.tsx';
import { decodedHeader } from './text.ts';

const MAX_SHOWN = 20_000;

/** JSON in base64, as text. */
const Decoded = ({ label, json }: { readonly label: string; readonly json: string }) => (
  <Labelled label={`${label}, decoded`} text={indentJson(json, MAX_SHOWN, withEscapes).text} />
);

/** Headers by name. Base64 JSON is also shown decoded. */
export const Headers = ({ of: headers }: { readonly of: Readonly<Record<string, string>> }) => (
  <dl class="headers">
    {Object.entries(headers).map(([name, value]) => {
      const decoded = decodedHeader(value);
      return (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={decoded && 'cut'}>{value}</dd>
          {decoded && (
            <dd>
              <Decoded label={name} json={decoded} />
            </dd>
          )}
        </div>
      );
    })}
  </dl>
);

const Stage = ({ title, note, children }: { title: string; note?: string; children: ComponentChildren }) => (
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

function Answer({ step }: { readonly step: RecordedRequest }) {
  const { method, url, status, ms, requestHeaders, responseHeaders } = step;
  const challenge = decodedHeader(responseHeaders['payment-required'] ?? '');
  return (
    <Stage title={titleOf(status)} note={`${status}, after ${Math.round(ms)} ms`}>
      <p class="line">
        {method} {url.slice(new URL(url).origin.length)}
      </p>
      {challenge && (
        <details>
          <summary>The challenge</summary>
          <Decoded label="PAYMENT-REQUIRED" json={challenge} />
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

/** The requests and answers of one call, in order. */
export const Exchange = ({ steps }: { readonly steps: readonly RecordedRequest[] }) => (
  <ol class="exchange">
    {steps.flatMap((step, at) => [
      // The first request was already signed with a nonce from an earlier answer.
      at === 0 && step.signedText !== undefined && (
        <Stage key="nonce" title="No challenge was needed">
          <p class="small">The previous answer included a nonce to sign, so this call takes one request.</p>
        </Stage>
      ),
      step.signedText !== undefined && (
        <Stage key={`${at}-text`} title="The key of this browser signs">
          <Labelled label="Signed text" text={step.signedText} />
        </Stage>
      ),
      <Answer key={at} step={step} />,
    ])}
  </ol>
);
