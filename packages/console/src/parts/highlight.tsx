import './highlight.css';
import type { ComponentChildren } from 'preact';
import { parse, type TokenType } from 'sugar-high/core';
import * as json from 'sugar-high/lang/json';
import * as python from 'sugar-high/lang/python';
import * as shell from 'sugar-high/lang/shell';
import * as typescript from 'sugar-high/lang/typescript';

const LANGUAGES = { json, python, shell, typescript };

/** A language whose words have colours. */
export type Language = keyof typeof LANGUAGES;

/** Words of these kinds have a colour. */
const COLOURED: ReadonlySet<TokenType> = new Set(['comment', 'class', 'keyword', 'property', 'string']);

/** A text with coloured words. Its characters stay the same. */
export const coloured = (text: string, language: Language): ComponentChildren =>
  parse(text, LANGUAGES[language]).lines.map(({ tokens }, line) => [
    line > 0 && '\n',
    ...tokens.map(({ type, value }, at) =>
      COLOURED.has(type) ? (
        <span key={at} class={type}>
          {value}
        </span>
      ) : (
        value
      ),
    ),
  ]);
