import { get } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectInTable, expectRefusal } from '../http/error-table.ts';
import { pathOf, rowOf } from '../http/targets.ts';
import { askOne, seen, wireRequest } from '../http/wire.ts';
import { suiteWith } from '../kit/optional.ts';
import { signedHeader } from '../kit/wallet.ts';
import { compileGateway, until } from '../process/program.ts';
import { type Deployment, startDeployment } from './nodes.ts';

const HEALTH = pathOf(rowOf('tokens.health'));
const SNAPSHOTS = pathOf(rowOf('tokens.marketSnapshots'));
const LISTED = pathOf(rowOf('tokens.variantMarkets'));

suiteWith('nginx', 'behind the shipped nginx', (nginx) => {
  suiteWith('redis-server', 'that shares requests among nodes', () => {
    let deployment: Deployment;
    beforeAll(async () => {
      await compileGateway();
      deployment = await startDeployment(nginx);
    }, 120_000);
    afterAll(() => deployment?.stop());

    const ask = (method: string, target: string, lines: readonly string[] = [], body = '') =>
      askOne(deployment.port, wireRequest(method, target, ['Host: gateway.example', ...lines], body));
    const linesFor = (body: string) => ['Content-Type: application/json', `Content-Length: ${body.length}`];

    it('a path is not normalised on its way', async () => {
      expectRefusal(await ask('GET', '/v1/%2e%2e/healthz'), '400 bad_request');
      expectRefusal(await ask('GET', '//healthz'), '400 bad_request');
    });

    it('a target of 9 KiB, headers of 20 KiB and a body of 70 KiB get the refusals of the gateway', async () => {
      expectRefusal(await ask('GET', `${HEALTH}?q=${'x'.repeat(9_000)}`), '414 uri_too_long');
      expectRefusal(await ask('GET', HEALTH, [`X-Long: ${'x'.repeat(20_000)}`]), '431 headers_too_large');
      const body = ' '.repeat(70_000);
      expectRefusal(await ask('POST', SNAPSHOTS, linesFor(body), body), '413 body_too_large');
    });

    it('a body that nginx does not pass on gets a refusal of the same shape', async () => {
      const body = ' '.repeat(200_000);
      expectRefusal(await ask('POST', SNAPSHOTS, linesFor(body), body), '413 body_too_large');
    });

    it.each([
      ['/%zz', [], '400 bad_request'],
      [`/${'x'.repeat(40_000)}`, [], '414 uri_too_long'],
      [HEALTH, [`X-Long: ${'x'.repeat(40_000)}`], '431 headers_too_large'],
    ])('what nginx cannot read gets a refusal of the same shape', async (target, lines, refusal) => {
      expectRefusal(await ask('GET', target, lines), refusal);
    });

    it('the place from which nginx answers is none that can be asked for', async () => {
      const answer = await ask('GET', '/refused-by-nginx');
      expectRefusal(answer, '404 not_found');
    });

    it('a challenge is the same in its header and its body', async () => {
      const mints = Array.from({ length: 50 }, (_, index) => String(index).padStart(44, 'A')).join(',');
      const answer = await seen(await fetch(`${deployment.url}${LISTED}?mints=${mints}`));
      expect(answer.status).toBe(402);
      const required = JSON.parse(Buffer.from(answer.headers['payment-required'] ?? '', 'base64').toString());
      expect(JSON.parse(answer.body)).toMatchObject(required);
      expectInTable(answer);
    });

    it('the log names the client, and believes no address that the client invented', async () => {
      const headers = { 'X-Forwarded-For': '10.9.8.7' };
      get(`${deployment.url}/from/afar`, { localAddress: '127.0.0.2', headers }, (answer) => answer.resume());
      const lineOf = () =>
        deployment
          .log()
          .split('\n')
          .find((line) => line.includes('/from/afar'));
      await until(() => lineOf() !== undefined);
      expect(JSON.parse(lineOf() ?? '{}').client).toBe('127.0.0.2');
    });

    it('a request whose node dies under it is asked of the other one, which answers nothing twice', async () => {
      const { nodes } = deployment;
      for (const { upstream } of nodes) upstream.faults.hang = true;
      const header = await signedHeader(deployment.url + HEALTH);
      const answer = fetch(deployment.url + HEALTH, { headers: { 'SIGN-IN-WITH-X': header } });
      await until(() => deployment.arrivals() === 1);
      const holder = nodes.find(({ upstream }) => upstream.arrivals.length === 1);
      holder?.program.child.kill('SIGKILL');
      expectRefusal(await seen(await answer), '402 invalid_siwx_nonce');
      expect(deployment.arrivals()).toBe(1);
      for (const { upstream } of nodes) upstream.faults.reset();
      await holder?.start();
    });

    it('nobody to ask is a refusal that says when to come again', async () => {
      for (const { program } of deployment.nodes) program.child.kill('SIGKILL');
      await Promise.all(deployment.nodes.map(({ program }) => program.ended));
      const answer = await ask('GET', HEALTH);
      expectRefusal(answer, '503 shutting_down');
      expect(answer?.headers['retry-after']).toBe('1');
      await Promise.all(deployment.nodes.map((node) => node.start()));
      expect((await ask('GET', '/healthz'))?.status).toBe(200);
    });
  });
});
