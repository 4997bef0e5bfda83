import { join } from 'node:path';
import { errorOf, type GatewayError } from '@asset-gateway/client';
import { attempt, harmless, type Issue, indentJson, oneLine } from '@asset-gateway/protocol';
import { cacheFolder, calledAs } from './config.ts';
import { EXIT, exitCodeOf, RESEND_HINT, UNUSED_HINT } from './failure.ts';
import { makeFolder, writeDurably } from './money/durable.ts';
import type { Session } from './session.ts';
import type { Formatter } from './show/formatters.ts';
import type { Terminal } from './show/terminal.ts';

const MAX_TEXT = 2000;
/** The most lines of JSON that a terminal shows. */
const MAX_LINES = 40;
/**
 * The most characters of JSON that are indented. Deep JSON grows so much that its indented text could exceed the longest text of
 * JavaScript.
 */
const MAX_INDENTED = 4 * 1024 * 1024;

/** Additional advice of a command for refusals of its requests. */
export interface Hints {
  /** A command that finds values that the words do not name. */
  readonly elsewhere?: string | undefined;
  /** Writes an issue of the input in the words of the command's options. */
  readonly issue?: (issue: Issue) => string;
}

/** Returns the lines of an answer as its formatter writes them; undefined if the formatter cannot show it. */
function formattedLines(text: string, terminal: Terminal, formatter: Formatter | undefined): string[] | undefined {
  // Text values become one line without hidden characters.
  const plain = (_: string, value: unknown) => (typeof value === 'string' ? oneLine(value, MAX_TEXT) : value);
  return attempt(() => formatter?.(JSON.parse(text, plain).result as never, terminal), undefined);
}

/** Stores a whole answer, which may be paid for. Returns its file; undefined if it cannot be stored. */
function stored(text: string): string | undefined {
  const file = join(cacheFolder(), 'answer.json');
  return attempt(() => {
    makeFolder(cacheFolder());
    writeDurably(file, text);
    return file;
  }, undefined);
}

/** Prints indented JSON. If it is long, prints its start and stores the whole in a file. */
function printJson(text: string, terminal: Terminal): void {
  const indented = indentJson(text, MAX_INDENTED, harmless);
  const lines = indented.text.split('\n');
  const isLong = !indented.isWhole || lines.length > MAX_LINES;
  const file = isLong ? stored(text) : undefined;
  if (file === undefined) {
    terminal.lines(indented.isWhole ? lines : [harmless(text)]);
    return;
  }
  terminal.lines(lines.slice(0, MAX_LINES));
  const left = indented.isWhole ? `${lines.length - MAX_LINES} more lines` : 'more';
  terminal.note(`… ${left}; --json or a pipe prints all of it, and it is in ${file}`);
}

/** Prints an answer as its formatter writes it, or as JSON if that cannot show it. */
function print(text: string, terminal: Terminal, formatter: Formatter | undefined): void {
  const lines = formattedLines(text, terminal, formatter);
  if (lines) terminal.lines(lines);
  else printJson(text, terminal);
}

const byName = ({ name, message }: Issue): string => `${name}: ${message}`;

function refusalLines({ code, message, issues }: GatewayError, { colours }: Terminal, { issue = byName }: Hints) {
  const why = code === 'invalid_request' && issues.length > 0 ? 'The input breaks these rules:' : message;
  return [`${colours.red(code)}  ${why}`, ...issues.map((each) => `  ${issue(each)}`)];
}

/** Returns the kind of an answer; undefined if it is not from a gateway. */
function answerFormatOf({ ok, headers }: Response, refusal: GatewayError | undefined): 'json' | 'text' | undefined {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (type === 'text/plain' && ok) return 'text';
  return type === 'application/json' && refusal?.code !== 'not_a_gateway' ? 'json' : undefined;
}

/** Returns advice on what to do next, if there is any. */
function advice(session: Session, { code, payment, status = 0 }: GatewayError, hints: Hints): string | undefined {
  if (session.outcome === 'open') {
    return payment?.state === 'unused' ? UNUSED_HINT : `the outcome of the payment is not known; ${RESEND_HINT}`;
  }
  const isUnknown = code === 'upstream_rejected' && [400, 404].includes(status);
  if (isUnknown && hints.elsewhere !== undefined) return `try: ${calledAs().command} ${hints.elsewhere}`;
  return code === 'payment_required' ? 'nothing was paid; add --pay to pay, or run quote to see the price' : undefined;
}

/** Prints an answer, formatted at a terminal and otherwise byte for byte. Returns the exit code. */
export async function show(
  session: Session,
  response: Response,
  formatter?: Formatter,
  hints: Hints = {},
): Promise<number> {
  const { terminal } = session;
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const refusal = response.ok ? undefined : errorOf(response, text);
  // A paid answer is shown even if it is not from a gateway.
  const kind = answerFormatOf(response, refusal) ?? (session.outcome === 'paid' && response.ok ? 'text' : undefined);
  if (kind === undefined) {
    const { origin } = new URL(response.url);
    throw new Error(`${origin} answers ${response.status} and is not a gateway; set ASSET_GATEWAY_URL to one`);
  }
  if (!terminal.isFormatted) terminal.write(bytes);
  else if (kind === 'text') terminal.write(harmless(text));
  else if (response.ok) print(text, terminal, formatter);
  if (!refusal) return EXIT.ok;
  if (terminal.isFormatted) terminal.lines(refusalLines(refusal, terminal, hints));
  const next = advice(session, refusal, hints);
  if (next) terminal.note(next);
  return session.outcome === 'open' && refusal.payment?.state !== 'unused'
    ? EXIT.paymentUnknown
    : exitCodeOf(response.status);
}
