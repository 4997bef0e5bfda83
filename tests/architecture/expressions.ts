import { isSafePattern } from 'redos-detector';
import type { Node } from 'typescript';
import { type Source, syntaxOf, ts } from './rules.ts';

/** A regular expression and where it stands. */
export interface Expression {
  readonly where: string;
  readonly pattern: string;
  readonly flags: string;
}

/** In how many ways the same text may be read by one expression; more ways than that grow with the text. */
const MAX_WAYS = 10;
const GIVE_UP_MS = 5_000;

/** Every literal of a source file, from its syntax tree. */
export function expressionsIn(source: Source): Expression[] {
  const found: Expression[] = [];
  const visit = (node: Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ where: source.path, pattern: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(syntaxOf(source));
  return found;
}

/** Regular expressions built from text at run time. */
export function madeOfText(source: Source): string[] {
  const { path } = source;
  const file = syntaxOf(source);
  const found: string[] = [];
  const visit = (node: Node): void => {
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isCall && node.expression.getText(file) === 'RegExp') found.push(`${path}: ${node.getText(file)}`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The bundler drops a call of these whose result is unused, although it may throw. */
const DROPPED = /^(?:(?:de|en)codeURI(?:Component)?|String(?:\.\w+)?|parseInt|parseFloat|isNaN|Date\.parse|Math\.\w+)$/;

/** Calls that a bundle does not have. */
export function droppedIn(source: Source): string[] {
  const file = syntaxOf(source);
  const found: string[] = [];
  const visit = (node: Node): void => {
    const call = ts.isExpressionStatement(node) && ts.isCallExpression(node.expression) ? node.expression : undefined;
    if (call && DROPPED.test(call.expression.getText(file))) found.push(`${source.path}: ${call.getText(file)}`);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The `pattern`s of JSON Schemas, anywhere in a value. They are matched with the flag u. */
export function patternsIn(value: unknown, where: string): Expression[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === 'pattern' && typeof member === 'string'
      ? [{ where, pattern: member, flags: 'u' }]
      : patternsIn(member, where),
  );
}

/** Without a quantifier an expression reads at most its own length from each position. */
const QUANTIFIER = /[*+{]|(?<!\()\?/;

/** Whether an expression can take super-linear time. */
export function faultOf({ where, pattern, flags }: Expression): string | undefined {
  if (!QUANTIFIER.test(pattern)) return undefined;
  const { safe, error } = isSafePattern(pattern, {
    caseInsensitive: flags.includes('i'),
    multiLine: flags.includes('m'),
    dotAll: flags.includes('s'),
    unicode: flags.includes('u'),
    maxScore: MAX_WAYS,
    timeout: GIVE_UP_MS,
  });
  return safe ? undefined : `${where}: /${pattern}/${flags} (${error})`;
}
