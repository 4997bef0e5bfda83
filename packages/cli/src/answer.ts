import { harmless } from '@asset-gateway/protocol';
import { EXIT, exitCodeOf } from './exit-code.ts';
import { kindOf } from './failure.ts';
import { indent } from './indent.ts';
import type { Session } from './session.ts';
import type { Terminal } from './show/terminal.ts';
import type { View } from './show/views.ts';

interface Refusal {
  readonly error?: string;
  readonly message?: string;
  readonly issues?: readonly { readonly name?: string; readonly message?: string; readonly rule?: string }[];
  readonly payment?: { readonly state?: string };
}

/** The JSON of an answer with nothing in its texts that a terminal would obey. */
const parsed = (text: string): unknown =>
  JSON.parse(text, (_, value: unknown) =>
    typeof value === 'string' ? harmless(value).replace(/[\n\t]/g, ' ') : value,
  );

/** An answer in lines, as its view has it; as it is, where that is another answer than the view knows. */
function linesOf(text: string, terminal: Terminal, view: View | undefined): string[] {
  const { columns, colours } = terminal;
  try {
    const { result } = parsed(text) as { result: unknown };
    if (view) return view(result as never, { columns, colours });
  } catch {}
  return [harmless(indent(text))];
}

function refusalLines({ error, message, issues = [] }: Refusal, { colours }: Terminal): string[] {
  const rules = issues.map(({ name = '', message: text, rule = '' }) => `  ${name}: ${text ?? rule}`);
  return [`${colours.red(String(error))}  ${message}`, ...rules];
}

/** What is to be typed next, where that is known. */
function advice(session: Session, { error, payment }: Refusal): string | undefined {
  if (session.hasOpenPayment) {
    const what = payment?.state === 'unused' ? 'the payment was not used' : 'what became of the payment is not known';
    return `${what}; run resume, which sends the same payment again`;
  }
  return error === 'payment_required'
    ? 'nothing was paid; add --pay to pay for it, or quote to see what it costs'
    : undefined;
}

/** Shows an answer: for a person in lines, otherwise byte for byte. Answers with the exit code that it stands for. */
export async function show(session: Session, response: Response, view?: View): Promise<number> {
  const { terminal } = session;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const kind = kindOf(response, text);
  if (kind === undefined) {
    const { origin } = new URL(response.url);
    throw new Error(`${origin} answers ${response.status} and is no gateway; set ASSET_GATEWAY_URL to one`);
  }
  if (!terminal.isFormatted) terminal.write(bytes);
  else if (kind === 'text') terminal.write(harmless(text));
  else terminal.lines(response.ok ? linesOf(text, terminal, view) : refusalLines(parsed(text) as Refusal, terminal));
  if (response.ok) return EXIT.ok;
  const refusal = JSON.parse(text) as Refusal;
  const next = advice(session, refusal);
  if (next) terminal.note(next);
  return session.hasOpenPayment && refusal.payment?.state !== 'unused'
    ? EXIT.paymentUnknown
    : exitCodeOf(response.status);
}
