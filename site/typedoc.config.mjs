import { readFileSync } from 'node:fs';
import { REFERENCE, TEXTS_OF_REFERENCE } from './navigation.mjs';

/** The page of the types that the build writes from the routes. */
const METHODS = 'methods';

const TITLES = { index: '@asset-gateway/client', [METHODS]: 'Methods of the client' };

/** A heading of a symbol ends with its anchor; other ones, such as `#### Returns`, would fill the search. */
const HEADING = /^(#{3,}) (.+?)( \{#[\w-]+\})?$/gm;
/** A heading, its declaration, and the first paragraph, which is the summary of a folded section. */
const DECLARATION = /^(#+ .+\n\n)(```ts\n[^`]*```\n\n)((?!#|\*\*|`{3}|\|).+(?:\n.+)*\n\n)/gm;
const WRITTEN_TYPE = /^export (type (\w+) = [\s\S]*?;)\n\n/gm;
const TYPE_SECTION = /^(### (\w+) .*\n\n(?:.+\n\n)?)```ts\n[\s\S]*?(?=^###? |(?![\s\S]))/gm;

/** Shows a generated type as it is written, because a table would lose the nesting of its members. */
function withWrittenTypes(page) {
  const written = readFileSync('packages/client/src/methods.ts', 'utf8').matchAll(WRITTEN_TYPE);
  const types = new Map(Array.from(written, ([, text, name]) => [name, text]));
  return page.replaceAll(TYPE_SECTION, (section, head, name) =>
    types.has(name) ? `${head}\`\`\`ts\n${types.get(name)}\n\`\`\`\n\n` : section,
  );
}

/** The Markdown of a module as the site shows it. */
function laidOut(name, contents) {
  const page = contents
    .replaceAll(/^\*\*\*\n\n/gm, '')
    .replaceAll(/<a id="[\w-]+"><\/a> /g, '')
    .replaceAll('| \\| ', '| ')
    .replaceAll(/\]\((\w+)\.md/g, ']($1.ts')
    .replaceAll(DECLARATION, '$1$3$2')
    .replaceAll(HEADING, (_, marks, text, anchor) =>
      anchor ? `${marks.slice(0, 4)} ${text}${anchor}` : `**${text}**`,
    );
  return name === METHODS ? withWrittenTypes(page) : page;
}

/** Options of TypeDoc, which writes the reference of the client from its docstrings. */
export default {
  name: 'Client reference',
  plugin: [
    'typedoc-plugin-markdown',
    ({ renderer }) =>
      renderer.on('endPage', (page) => {
        page.contents = laidOut(page.model.name, page.contents);
      }),
  ],
  // The first page that exports a symbol documents it.
  entryPoints: [...REFERENCE].sort((one) => (one.includes(METHODS) ? -1 : 1)).map((path) => `../${path}`),
  tsconfig: '../packages/client/tsconfig.json',
  out: `../${TEXTS_OF_REFERENCE}`,
  router: 'module',
  readme: 'none',
  pageTitleTemplates: { module: ({ name }) => TITLES[name] ?? `@asset-gateway/client/${name}` },
  disableSources: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeReferences: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  groupOrder: ['Functions', 'Classes', 'Interfaces', '*'],
  useCodeBlocks: true,
  useCustomAnchors: true,
  expandObjects: true,
  expandParameters: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  propertyMembersFormat: 'table',
  tableColumnSettings: {
    hideDefaults: true,
    hideInherited: true,
    hideModifiers: true,
    hideOverrides: true,
    hideSources: true,
    hideValues: true,
  },
  treatWarningsAsErrors: true,
};
