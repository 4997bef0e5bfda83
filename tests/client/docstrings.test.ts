import { dirname, extname, join } from 'node:path';
import type { NamedDeclaration, Node, SignatureDeclaration, Symbol as TsSymbol } from 'typescript';
import { describe, expect, it } from 'vitest';
import { ts } from '../architecture/rules.ts';

/** The program of these files without other packages, because comments are read and types are not checked. */
function programOf(files: readonly string[]) {
  const options = { allowImportingTsExtensions: true, noLib: true, types: [] };
  const host = ts.createCompilerHost(options);
  const resolved = (name: string, from: string) =>
    name.startsWith('.') ? { resolvedFileName: join(dirname(from), name), extension: extname(name) } : undefined;
  host.resolveModuleNameLiterals = (names, from) => names.map(({ text }) => ({ resolvedModule: resolved(text, from) }));
  return ts.createProgram(files, options, host);
}

/** The function that a declaration declares or holds. */
function signatureOf(node: Node | undefined): SignatureDeclaration | undefined {
  if (!node) return undefined;
  if (ts.isVariableDeclaration(node)) return signatureOf(node.initializer);
  return ts.isFunctionLike(node) ? node : undefined;
}

/** The public members of a class or an interface. */
function membersOf(node: Node): readonly NamedDeclaration[] {
  if (ts.isInterfaceDeclaration(node)) return node.members;
  if (!ts.isClassDeclaration(node)) return [];
  return node.members.filter(({ name }) => !name || !(ts.isPrivateIdentifier(name) || ts.isComputedPropertyName(name)));
}

const nameOf = ({ name }: NamedDeclaration): string => name?.getText() ?? 'constructor';

/** What a declaration leaves without a comment: itself, its members, the parameters of its functions. */
function gapsIn(node: NamedDeclaration, path: string): string[] {
  const holder = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  if (ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal')) return [];
  const isDocumented = ts.getJSDocCommentsAndTags(holder).length > 0;
  const parameters = signatureOf(node)?.parameters ?? [];
  return [
    ...(isDocumented || ts.isConstructorDeclaration(node) ? [] : [path]),
    ...parameters
      .filter((each) => ts.getJSDocParameterTags(each).every(({ comment }) => !comment))
      .map((each) => `${path}(${nameOf(each).replaceAll(/\s+/g, ' ')})`),
    ...membersOf(node).flatMap((each) => gapsIn(each, `${path}.${nameOf(each)}`)),
  ];
}

/** The undocumented parts of what the modules of a package export. */
function gapsOf(name: string, ...modules: readonly string[]): { readonly count: number; readonly gaps: string[] } {
  const folder = `packages/${name}/src/`;
  const files = modules.map((each) => `${folder}${each}.ts`);
  const program = programOf(files);
  const checker = program.getTypeChecker();
  const aliased = (symbol: TsSymbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const sources = files.map((file) => checker.getSymbolAtLocation(program.getSourceFile(file) as Node) as TsSymbol);
  const symbols = new Set(sources.flatMap((each) => checker.getExportsOfModule(each)).map(aliased));
  const declarations = [...symbols].flatMap(({ declarations: all = [] }) => all as NamedDeclaration[]);
  const ours = declarations.filter((node) => node.getSourceFile().fileName.includes(folder));
  return { count: ours.length, gaps: ours.flatMap((node) => gapsIn(node, nameOf(node))) };
}

const UNDOCUMENTED = `
export const one = (first: string) => first;
/** Documented. */
export interface Shape {
  width: number;
  /**
   * Documented.
   * @param by
   */
  grow(by: number): void;
}
/** @internal */
export const table = {};
export class Box {
  #hidden = 1;
  constructor(size: number) {}
}
`;

const isNamed = (each: object): each is NamedDeclaration => 'name' in each;

it('an undocumented symbol, member or parameter is found', () => {
  const { statements } = ts.createSourceFile('seeded.ts', UNDOCUMENTED, ts.ScriptTarget.Latest, true);
  const declared = statements.flatMap((each): readonly NamedDeclaration[] =>
    ts.isVariableStatement(each) ? each.declarationList.declarations : isNamed(each) ? [each] : [],
  );
  const gaps = declared.flatMap((each) => gapsIn(each, nameOf(each)));
  expect(gaps).toEqual(['one', 'one(first)', 'Shape.width', 'Shape.grow(by)', 'Box', 'Box.constructor(size)']);
});

describe('what the packages export', () => {
  it('has a comment in the client on each symbol, member and parameter', () => {
    const { count, gaps } = gapsOf('client', 'index', 'node', 'pay', 'tools');
    expect(gaps).toEqual([]);
    expect(count).toBeGreaterThan(150);
  });

  it('has a comment in the protocol on each symbol and member', () => {
    const { count, gaps } = gapsOf('protocol', 'index', 'wire');
    expect(gaps.filter((gap) => !gap.endsWith(')'))).toEqual([]);
    expect(count).toBeGreaterThan(100);
  });
});
