import { createCssVariablesTheme, createHighlighterCoreSync } from '@shikijs/core';
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript';
import diff from '@shikijs/langs/diff';
import http from '@shikijs/langs/http';
import ini from '@shikijs/langs/ini';
import javascript from '@shikijs/langs/javascript';
import json from '@shikijs/langs/json';
import markdown from '@shikijs/langs/markdown';
import python from '@shikijs/langs/python';
import shell from '@shikijs/langs/shellscript';
import sql from '@shikijs/langs/sql';
import typescript from '@shikijs/langs/typescript';
import yaml from '@shikijs/langs/yaml';

const PLAIN = ['', 'text'];
/** Shiki names a color `var(--token-keyword)`; the style sheet has a class `token-keyword`. */
const KIND = /^var\(--(token-[a-z-]+)\)$/;

const theme = createCssVariablesTheme({ name: 'classes', variablePrefix: '--' });
const highlighter = createHighlighterCoreSync({
  themes: [theme],
  langs: [diff, http, ini, javascript, json, markdown, python, shell, sql, typescript, yaml],
  engine: createJavaScriptRegexEngine(),
});

/**
 * Code as HTML: its tokens carry classes, because the pages' policy forbids style attributes.
 * @param language the first word after the fence, such as `sh`; `text` and none leave the code plain
 * @throws for a language without a grammar, with the ones that have one
 */
export function coloredCode(code, language, escapeHtml) {
  if (PLAIN.includes(language)) return escapeHtml(code);
  const known = highlighter.getLoadedLanguages();
  if (!known.includes(language))
    throw new Error(`a block of code is in ${language}: add its grammar to site/code.mjs, or use ${known.join(', ')}`);
  const lines = highlighter.codeToTokensBase(code.replace(/\n$/, ''), { lang: language, theme: theme.name });
  const textOf = ({ content, color }) => {
    const kind = KIND.exec(color)?.[1];
    return kind ? `<span class="${kind}">${escapeHtml(content)}</span>` : escapeHtml(content);
  };
  return lines.map((tokens) => `${tokens.map(textOf).join('')}\n`).join('');
}
