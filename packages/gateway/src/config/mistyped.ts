import { secretsIn } from '../secrets.ts';
import type { ApiPlan } from './apis-file/file.ts';
import { variablesOf } from './apis-file/keys.ts';
import type { Environment } from './settings.ts';
import { VARIABLES } from './variables.ts';

/** Matches the variables that hold a secret, or a URL that may contain one. */
const SECRET = /(?:_SECRET|_TOKEN|_KEY|_KEYPAIR|_AUTHORIZATION|_HEADERS|_RPC_URL|_PROXY)$|^(?:REDIS|DATABASE)_URL$/;
/** A key pair may be JSON on several lines. */
const MANY_LINES = /_KEYPAIR$/;
const PLACEHOLDER = /(?:change|replace)[-_ ]?(?:me|this)|[ =]your[-_ ]/i;
const CONTROL = /\p{Cc}/u;

const isQuoted = (text: string): boolean =>
  text.length > 1 && ['"', "'", '`'].some((quote) => text.startsWith(quote) && text.endsWith(quote));

/** Whether a text, or a part of its URL, is a placeholder for a secret. */
function isPlaceholder(text: string): boolean {
  const parts = URL.canParse(text) ? [...secretsIn(text), new URL(text).password] : [text];
  return parts.some((part) => PLACEHOLDER.test(` ${part}`) || (part.includes('<') && part.endsWith('>')));
}

function variableFault(name: string, text: string, isSecret: boolean): string | undefined {
  if (isQuoted(text)) return `${name} is in quotes; write it without them.`;
  if (!isSecret) return undefined;
  const items = text.split(',').map((item) => item.trim());
  if (!MANY_LINES.test(name) && items.some((item) => CONTROL.test(item)))
    return `${name} holds a line end or another control character; write it in one line.`;
  if (items.some(isPlaceholder)) return `${name} is a placeholder; write the real value.`;
  return undefined;
}

/** Returns a fault for each variable whose text no program can use, by name. Never quotes the value. */
export function mistyped(environment: Environment, apis: readonly ApiPlan[]): ReadonlyMap<string, string> {
  const keys = new Set(apis.flatMap(({ urls }) => urls.flatMap(({ key }) => variablesOf(key))));
  const faults = new Map<string, string>();
  for (const name of [...VARIABLES, ...keys]) {
    const fault = variableFault(name, environment[name]?.trim() ?? '', SECRET.test(name) || keys.has(name));
    if (fault !== undefined) faults.set(name, fault);
  }
  return faults;
}
