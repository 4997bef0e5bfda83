import { NEXT_STEPS, type NextStep, nextStepOf, REFUSALS, type RefusalCode } from '@asset-gateway/protocol';
import texts from './error-notes.json' with { type: 'json' };
import { groupBy } from './service.ts';

type Texts<Name extends string> = Readonly<Record<Name, string>>;

/** `advice`: endings of messages that the page omits, because `about` says the same. */
interface Group extends Texts<'about' | 'uses'> {
  readonly advice: readonly string[];
}
const GROUPS: Readonly<Record<NextStep, Group>> = texts.groups;
/**
 * Notes on single codes. `when`: when the refusal happens, if its message does not say so. `uses`: what it uses up, if
 * that differs from its group.
 */
const NOTES: Readonly<Partial<Record<RefusalCode, Partial<Texts<'when' | 'uses'>>>>> = texts.notes;

/** Returns a text without characters that Markdown reads as HTML. */
export const escaped = (text: string): string => text.replaceAll('<', '&lt;');

const HEAD = `# Errors

What each error means and costs, and what you do next. \`npm run docs\` writes this page.

Every error has this body; \`error\` is a stable code:

\`\`\`json
{"ok":false,"error":"rate_limited","message":"The shared budget is used up; retry after Retry-After.","requestId":"…","retryAfterSeconds":12}
\`\`\`

- \`issues\` lists every broken rule of a 400.
- \`payment.state\` on paid routes is \`unused\`, \`in_progress\` or \`pending\` (send the payment again), \`settled\` (charged), or \`refused\`
  (nothing moved; make a new one).
- A 402 also has the challenge: \`accepts\` to pay, or \`extensions["sign-in-with-x"]\` to sign.
- An **upstream call** uses up, on free routes, at most the nonce and one call: sign again with the answer's \`Replay-Nonce\`. On paid routes
  nothing: a payment is good for up to three upstream calls.
- A proxy's error page, which is not JSON, says nothing about a payment: send the same one again.
- A 409 is about the payment or the signature, never about the data.`;

const VERIFIERS = 'invalid_exact_svm_';
const ABOUT_VERIFIERS = 'Instructions are counted without guards, the Lighthouse assertions that wallets add.';

const CODES = Object.keys(REFUSALS) as RefusalCode[];
const quoted = (codes: readonly string[]): string => codes.map((code) => `\`${code}\``).join(', ');

/** Returns a line for each distinct text, with its codes. Codes without a text have no line. */
function lines(codes: readonly RefusalCode[], name: 'when' | 'uses'): string[] {
  const texts = groupBy(codes, (code) => NOTES[code]?.[name] ?? '');
  texts.delete('');
  return [...texts].map(([text, same]) => `- ${quoted(same)}: ${text}`);
}

/** Returns a code's message, without advice that the head of its group gives. */
function messageOf(code: RefusalCode): string {
  const { message } = REFUSALS[code];
  const repeated = GROUPS[nextStepOf(code)].advice.find((advice) => message.endsWith(`; ${advice}.`));
  return repeated ? `${message.slice(0, -`; ${repeated}.`.length)}.` : message;
}

function statusLine(code: RefusalCode): string {
  const refusal = REFUSALS[code];
  const wait = 'retryAfterSeconds' in refusal ? `, \`Retry-After: ${refusal.retryAfterSeconds}\`` : '';
  return `**${refusal.status}${wait}.** ${escaped(messageOf(code))}`;
}

function section(code: RefusalCode): string[] {
  const when = NOTES[code]?.when;
  return ['', `### ${code}`, '', statusLine(code), ...(when ? ['', when] : [])];
}

/** Returns the codes of x402's verifiers, which share one status and one message. */
function verifiersSection(codes: readonly RefusalCode[]): string[] {
  const [first] = codes;
  if (!first) return [];
  return ['', `### ${VERIFIERS}…`, '', statusLine(first), '', ABOUT_VERIFIERS, '', ...lines(codes, 'when')];
}

function groupSection(title: NextStep): string[] {
  const { about, uses } = GROUPS[title];
  const codes = CODES.filter((code) => nextStepOf(code) === title);
  const isVerifiers = (code: RefusalCode) => code.startsWith(VERIFIERS);
  const otherUses = lines(codes, 'uses');
  return [
    '',
    `## ${title}`,
    '',
    about,
    '',
    `**Used up:** ${uses}`,
    ...(otherUses.length > 0 ? ['', ...otherUses] : []),
    ...codes.filter((code) => !isVerifiers(code)).flatMap(section),
    ...verifiersSection(codes.filter(isVerifiers)),
  ];
}

/** Returns the page of all errors, grouped by what the client should do. */
export const errorsPage = (): string =>
  `${[HEAD, ...NEXT_STEPS.flatMap(([title]) => groupSection(title))].join('\n')}\n`;
