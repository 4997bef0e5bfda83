import { errorOf, type GatewayError } from '@asset-gateway/client';
import { harmless, indentJson, oneLine } from '@asset-gateway/protocol';
import { EXIT, exitCodeOf, RESEND_HINT } from './failure.ts';
import type { Session } from './session.ts';
import type { Terminal } from './show/terminal.ts';
import type { View } from './show/views.ts';

const MAX_TEXT = 2000;

/** An answer in the lines of its view, or as indented JSON if the view cannot show it. */
function linesOf(text: string, terminal: Terminal, view: View | undefined): string[] {
  // Each text is one line without hidden characters.
  const plain = (_: string, value: unknown) => (typeof value === 'string' ? oneLine(value, MAX_TEXT) : value);
  try {
    if (view) return view(JSON.parse(text, plain).result as never, terminal);
  } catch {}
  return [indentJson(text, Number.POSITIVE_INFINITY, harmless).text];
}

const refusalLines = ({ code, message, issues }: GatewayError, { colours }: Terminal): string[] => [
  `${colours.red(code)}  ${message}`,
  ...issues.map((issue) => `  ${issue.name}: ${issue.message}`),
];

/** The kind of an answer; undefined if it is not from a gateway. */
function kindOf({ ok, headers }: Response, refusal: GatewayError | undefined): 'json' | 'text' | undefined {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (type === 'text/plain' && ok) return 'text';
  return type === 'application/json' && refusal?.code !== 'not_a_gateway' ? 'json' : undefined;
}

/** A hint what to do next, if any. */
function advice(session: Session, { code, payment }: GatewayError): string | undefined {
  if (session.outcome === 'open') {
    const what = payment?.state === 'unused' ? 'the payment was not used' : 'the outcome of the payment is not known';
    return `${what}; ${RESEND_HINT}`;
  }
  return code === 'payment_required' ? 'nothing was paid; add --pay to pay, or run quote to see the price' : undefined;
}

/** Prints an answer, formatted at a terminal and otherwise byte for byte. Returns the exit code. */
export async function show(session: Session, response: Response, view?: View): Promise<number> {
  const { terminal } = session;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const refusal = response.ok ? undefined : errorOf(response, text);
  // A paid answer is shown even if it is not from a gateway.
  const kind = kindOf(response, refusal) ?? (session.outcome === 'paid' && response.ok ? 'text' : undefined);
  if (kind === undefined) {
    const { origin } = new URL(response.url);
    throw new Error(`${origin} answers ${response.status} and is not a gateway; set ASSET_GATEWAY_URL to one`);
  }
  if (!terminal.isFormatted) terminal.write(bytes);
  else if (kind === 'text') terminal.write(harmless(text));
  else if (response.ok) terminal.lines(linesOf(text, terminal, view));
  if (!refusal) return EXIT.ok;
  if (terminal.isFormatted) terminal.lines(refusalLines(refusal, terminal));
  const next = advice(session, refusal);
  if (next) terminal.note(next);
  return session.outcome === 'open' && refusal.payment?.state !== 'unused'
    ? EXIT.paymentUnknown
    : exitCodeOf(response.status);
}
