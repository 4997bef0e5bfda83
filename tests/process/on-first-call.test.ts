import { expect, it } from 'vitest';
import { onFirstCall } from '../../packages/gateway/src/compose/endpoints.ts';

it('a function is made when it is first called, and once', () => {
  const made: string[] = [];
  const add = onFirstCall(() => {
    made.push('add');
    return (left: number, right: number) => left + right;
  });
  expect(made).toEqual([]);
  expect([add(1, 2), add(3, 4)]).toEqual([3, 7]);
  expect(made).toEqual(['add']);
});

it('one that cannot be made says why at each call', () => {
  const broken = onFirstCall(() => {
    throw new Error('no such schema');
  });
  for (let call = 0; call < 2; call++) expect(broken).toThrow('no such schema');
});
