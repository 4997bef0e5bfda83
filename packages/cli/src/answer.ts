import { harmless, indentJson, oneLine } from '@asset-gateway/protocol';
import { EXIT, exitCodeOf, kindOf, RESEND_HINT } from './failure.ts';
import type { Session } from './session.ts';
import type { Terminal } from './show/terminal.ts';
import type { View } from './show/views.ts';

/** A refusal of the gateway, unchecked. */
interface Refusal {
  readonly error?: unknown;
  readonly message?: unknown;
  readonly issues?: unknown;
  readonly payment?: { readonly state?: unknown } | null;
}

const MAX_TEXT = 2000;
const MAX_ISSUES = 20;

/** The JSON of an answer, each text on one line without hidden characters. */
const parsed = (text: string): unknown =>
  JSON.parse(text, (_, value: unknown) => (typeof value === 'string' ? oneLine(value, MAX_TEXT) : value));

/** An answer in the lines of its view, or as indented JSON if the view cannot show it. */
function linesOf(text: string, terminal: Terminal, view: View | undefined): string[] {
  const { columns, colours } = terminal;
  try {
    const { result } = parsed(text) as { result: unknown };
    if (view) return view(result as never, { columns, colours });
  } catch {}
  return [indentJson(text, Number.POSITIVE_INFINITY, harmless).text];
}

function refusalLines({ error, message, issues }: Refusal, { colours }: Terminal): string[] {
  const rules = (Array.isArray(issues) ? issues : []).slice(0, MAX_ISSUES).map((issue: unknown) => {
    const { name, message: text, rule } = (issue ?? {}) as Readonly<Record<string, unknown>>;
    return `  ${oneLine(name, MAX_TEXT)}: ${oneLine(text ?? rule, MAX_TEXT)}`;
  });
  return [`${colours.red(oneLine(error, MAX_TEXT))}  ${oneLine(message, MAX_TEXT)}`, ...rules];
}

/** A hint what to do next, if any. */
function advice(session: Session, { error, payment }: Refusal): string | undefined {
  if (session.outcome === 'open') {
    const what = payment?.state === 'unused' ? 'the payment was not used' : 'the outcome of the payment is not known';
    return `${what}; ${RESEND_HINT}`;
  }
  return error === 'payment_required' ? 'nothing was paid; add --pay to pay, or run quote to see the price' : undefined;
}

/** Prints an answer, formatted at a terminal and otherwise byte for byte. Returns the exit code. */
export async function show(session: Session, response: Response, view?: View): Promise<number> {
  const { terminal } = session;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  // A paid answer is shown even if it is not from a gateway.
  const kind = kindOf(response, text) ?? (session.outcome === 'paid' && response.ok ? 'text' : undefined);
  if (kind === undefined) {
    const { origin } = new URL(response.url);
    throw new Error(`${origin} answers ${response.status} and is not a gateway; set ASSET_GATEWAY_URL to one`);
  }
  if (!terminal.isFormatted) terminal.write(bytes);
  else if (kind === 'text') terminal.write(harmless(text));
  else if (response.ok) terminal.lines(linesOf(text, terminal, view));
  if (response.ok) return EXIT.ok;
  const refusal = JSON.parse(text) as Refusal;
  if (terminal.isFormatted) terminal.lines(refusalLines(refusal, terminal));
  const next = advice(session, refusal);
  if (next) terminal.note(next);
  return session.outcome === 'open' && refusal.payment?.state !== 'unused'
    ? EXIT.paymentUnknown
    : exitCodeOf(response.status);
}
