import { NEXT_STEPS, type NextStep, nextStepOf, REFUSALS, type RefusalCode } from '@asset-gateway/protocol';
import texts from './error-notes.json' with { type: 'json' };

type Texts<Name extends string> = Readonly<Record<Name, string>>;

const GROUPS: Readonly<Record<NextStep, Texts<'about' | 'uses'>>> = texts.groups;
/** When a refusal happens, where its message does not say it, and what it uses up, where that differs from its group. */
const NOTES: Readonly<Partial<Record<RefusalCode, Partial<Texts<'when' | 'uses'>>>>> = texts.notes;

/** Text that Markdown does not read as HTML. */
export const plain = (text: string): string => text.replaceAll('<', '&lt;');

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The lines of a table after an empty line; none without rows. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`);
  return ['', ...lines];
}

const HEAD = `# Errors

What an error means, what you do next, and what it cost. \`npm run docs\` writes this page from the table of refusals.

Every error has this body, and \`error\` is a stable code:

\`\`\`json
{"ok":false,"error":"rate_limited","message":"The shared budget is used up; retry after Retry-After.","requestId":"…","retryAfterSeconds":12}
\`\`\`

- \`issues\` lists every broken rule of a 400.
- \`payment.state\` on paid routes says what became of your payment: \`unused\`, \`in_progress\` and \`pending\` (send it again), \`settled\` (it
  was charged), \`refused\` (it moved nothing; make a new one).
- A 402 also holds the challenge: \`accepts\` to pay, or \`extensions["sign-in-with-x"]\` to sign.
- A proxy's own error page is not JSON and says nothing about a payment: send the same one again.
- A 409 is about the payment or the signature, never about the data.
- What an error uses up stands at the head of its group, unless the error says otherwise.`;

const CODES = Object.keys(REFUSALS) as RefusalCode[];
const anchor = (title: string): string => `#${title.toLowerCase().replaceAll(' ', '-')}`;
const linked = (code: string): string => `[\`${code}\`](#${code})`;

/** The codes of a group in a table; those of x402's verifiers share one entry. */
function listed(codes: readonly RefusalCode[]): string {
  const single = codes.filter((code) => !code.startsWith('invalid_exact_')).map(linked);
  const [first] = codes.filter((code) => code.startsWith('invalid_exact_'));
  return [...single, ...(first ? [`[\`invalid_exact_svm_…\`](#${first})`] : [])].join(', ');
}

const used = (uses: string): string => `**Used up:** ${uses}`;

function section(code: RefusalCode): string[] {
  const { when, uses } = NOTES[code] ?? {};
  const refusal = REFUSALS[code];
  const wait = 'retryAfterSeconds' in refusal ? `, \`Retry-After: ${refusal.retryAfterSeconds}\`` : '';
  return [
    '',
    `### ${code}`,
    '',
    `**${refusal.status}${wait}.** ${plain(refusal.message)}`,
    ...(when ? ['', when] : []),
    ...(uses ? ['', used(uses)] : []),
  ];
}

/** The page of all errors, by what the client should do. */
export function errorsPage(): string {
  const groups = NEXT_STEPS.map(([title]) => ({
    title,
    group: GROUPS[title],
    codes: CODES.filter((code) => nextStepOf(code) === title),
  }));
  const overview = groups.map(({ title, codes }) => [`[${title}](${anchor(title)})`, listed(codes)]);
  return `${[
    HEAD,
    ...table(['what to do', 'codes'], overview),
    ...groups.flatMap(({ title, group, codes }) => [
      '',
      `## ${title}`,
      '',
      group.about,
      '',
      used(group.uses),
      ...codes.flatMap((code) => section(code)),
    ]),
  ].join('\n')}\n`;
}
