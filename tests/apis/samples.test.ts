import type { TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { OpenApiDocument } from '../../packages/gateway/src/apis/document.ts';
import { sampleOf } from '../../packages/gateway/src/apis/samples.ts';
import { checkedSchema } from '../../packages/gateway/src/apis/schemas.ts';

/** A schema as the gateway checks it, and its sample. */
function sampled(value: object): readonly [TSchema, unknown] {
  const schema = checkedSchema(new OpenApiDocument({ openapi: '3.1.0', paths: {} }), value, 'body', new Set());
  return [schema, sampleOf(schema)];
}

describe('the sample of a text matches its pattern', () => {
  it.each([
    '^(user|org|mch|scim)_\\w{27}$',
    '^ssh-(rsa|dss|ed25519) |^ecdsa-sha2-nistp(256|384|521) ',
    '^\\d{4}-[01]\\d-[0-3]\\d$',
    '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    '^sha256:[A-Fa-f0-9]{64}$',
    '^[^a-z\\s]+$',
    '^#?[0-9a-fA-F]{6}$',
    '^https?://[^/]+/.*$',
    '^[\\]-]+$',
    '^(?:a|b)\\.\\(c\\)$',
    '^(\\S(.*\\S)?)?$',
    '^x+?(?<digits>\\d{2,}?)$',
  ])('%s', (pattern) => {
    const [schema, sample] = sampled({ type: 'string', pattern });
    expect([typeof sample, Check(schema, sample)]).toEqual(['string', true]);
  });

  it.each(['^\\pL{3}$', '^(?i)ab$'])('or there is none: %s', (pattern) =>
    expect(sampled({ type: 'string', pattern })[1]).toBeUndefined(),
  );
});

describe('the sample of an object fits', () => {
  const properties = { a: { type: 'string' }, b: { type: 'integer' } };
  const needs = (...required: string[]) => ({ required });
  const BASE = { allOf: [{ properties: { a: { type: 'string' }, b: { type: 'string' } } }, needs('a', 'b')] };
  const NARROWED = { a: 'x', b: 'text' };
  it.each<[what: string, schema: object, sample: object]>([
    ['a common base that a later schema narrows', { allOf: [BASE, { properties: { a: { enum: ['x'] } } }] }, NARROWED],
    ['one of several lists of required members', { properties, anyOf: [needs('a'), needs('b')] }, { a: 'text' }],
    ['what a part requires of the whole', { properties, allOf: [needs('b')] }, { b: 1 }],
    ['what the whole requires of a part of a part', { ...needs('b'), allOf: [{ allOf: [{ properties }] }] }, { b: 1 }],
    ['what the whole requires of a part', { ...needs('a'), allOf: [{ properties }] }, { a: 'text' }],
  ])('%s', (_, given, expected) => {
    const [schema, sample] = sampled({ type: 'object', ...given });
    expect([sample, Check(schema, sample)]).toEqual([expected, true]);
  });
});
