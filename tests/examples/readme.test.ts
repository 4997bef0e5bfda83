import { readFileSync } from 'node:fs';
import { readConfig } from '@asset-gateway/gateway';
import { expect, it } from 'vitest';
import { blocksOf } from '../kit/page.ts';

const readme = readFileSync('README.md', 'utf8');
const commands = blocksOf('README.md', 'sh').join('\n');

it('the README has less than 700 words', () => {
  expect(readme.split(/\s+/).length).toBeLessThan(700);
});

it('the README clones as the tutorials do, and configures MCP as the page about MCP does', () => {
  const [clone = ''] = commands.split('\n');
  expect(clone).toMatch(/^git clone /);
  for (const page of ['client', 'agent', 'operator', 'seller', 'contributor'])
    expect(readFileSync(`docs/tutorials/${page}.md`, 'utf8')).toContain(`\`\`\`sh clone\n${clone}\n\`\`\`\n`);
  expect(blocksOf('README.md', 'json')).toEqual(blocksOf('docs/mcp.md', 'json'));
});

it('the Docker line of the README sets the variables that the image needs', () => {
  const dockerfile = readFileSync('deploy/Dockerfile', 'utf8');
  const valuesOf = (text: string): Record<string, string> =>
    Object.fromEntries(text.split(' ').map((pair) => pair.split('=', 2)));
  const given = Array.from(commands.matchAll(/--env (\S+)/g), ([, pair = '']) => pair).join(' ');
  const own = valuesOf(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '');
  expect(() => readConfig(own)).toThrow('TOKENS_API_KEY');
  const { baseUrl } = readConfig({ ...own, ...valuesOf(given), TOKENS_API_KEY: 'any-key' });
  expect(baseUrl).toBe('http://localhost:8402');
  expect(commands).toContain(`--publish 127.0.0.1:8402:${own.PORT} `);
  expect(commands).toContain(`:${/^VOLUME (.*)$/m.exec(dockerfile)?.[1]} `);
  expect(commands).toContain('--file deploy/Dockerfile --tag asset-gateway .');
});
