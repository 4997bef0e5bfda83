import { get } from 'node:http';
import { examine } from '@asset-gateway/doctor';
import { expect, it } from 'vitest';
import { served } from '../discovery/everything.ts';
import { expectInTable, expectRefusal } from '../http/error-table.ts';
import { pathOf, rowOf } from '../http/targets.ts';
import { askOne, openClient, seen, wireRequest } from '../http/wire.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { inSuite } from '../kit/in-suite.ts';
import { suiteWith } from '../kit/optional.ts';
import { postgresSuite } from '../kit/postgres.ts';
import { redisSuite } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';
import { startChains } from '../kit/test-gateway.ts';
import { signedHeader } from '../kit/wallet.ts';
import { openWallet } from '../payments/wallets.ts';
import { until } from '../process/program.ts';
import { startDeployment } from './nodes.ts';
import { paidTraffic, signedTraffic } from './traffic.ts';

const HEALTH = pathOf(rowOf('tokens.health'));
const SNAPSHOTS = pathOf(rowOf('tokens.marketSnapshots'));
const LISTED = pathOf(rowOf('tokens.variantMarkets'));

/** How many requests of one address nginx takes at once. */
const SLOW = 500;
/** How often every node is restarted. */
const ROUNDS = isFull ? 20 : 1;
/** Long enough that a node has requests in flight when it stops. */
const [PER_SECOND, UPSTREAM_MS] = isFull ? [50, 200] : [15, 350];
/** Between purchases. */
const REST_MS = isFull ? 0 : 50;

/** The suite for this many nodes on one PostgreSQL and one Redis behind nginx. */
const suiteOf = (count: number) => (nginx: string) =>
  redisSuite(`that shares requests among ${count} nodes`, () =>
    postgresSuite('on one PostgreSQL', () => {
      const solana = inSuite(() => startChains());
      const deployment = inSuite(() => startDeployment(nginx, count, solana.variables));

      const ask = (method: string, target: string, lines: readonly string[] = [], body = '') =>
        askOne(deployment.port, wireRequest(method, target, ['Host: gateway.example', ...lines], body));
      const linesFor = (body: string) => ['Content-Type: application/json', `Content-Length: ${body.length}`];

      it('the doctor finds nothing to fix', async () => {
        const { url: origin } = deployment;
        expect(await examine(origin)).toMatchObject({ origin, routes: served.length, findings: [] });
        expect([deployment.arrivals(), solana.provider.arrivals]).toEqual([0, []]);
      }, 60_000);

      it('a path is not normalised on its way', async () => {
        expectRefusal(await ask('GET', '/v1/%2e%2e/healthz'), '400 bad_request');
        expectRefusal(await ask('GET', '//healthz'), '400 bad_request');
      });

      it('a target of 9 KiB, headers of 20 KiB, and bodies of 70 and 200 KiB get the refusals of the gateway', async () => {
        expectRefusal(await ask('GET', `${HEALTH}?q=${'x'.repeat(9_000)}`), '414 uri_too_long');
        expectRefusal(await ask('GET', HEALTH, [`X-Long: ${'x'.repeat(20_000)}`]), '431 headers_too_large');
        // nginx does not pass on the second one.
        for (const body of [' '.repeat(70_000), ' '.repeat(200_000)])
          expectRefusal(await ask('POST', SNAPSHOTS, linesFor(body), body), '413 body_too_large');
      });

      it.each([
        ['/%zz', [], '400 bad_request'],
        [HEALTH, ['Transfer-Encoding: x, chunked'], '400 bad_request'],
        [`/${'x'.repeat(40_000)}`, [], '414 uri_too_long'],
        [HEALTH, [`X-Long: ${'x'.repeat(40_000)}`], '431 headers_too_large'],
      ])('what nginx cannot read gets a refusal of the same shape', async (target, lines, refusal) => {
        expectRefusal(await ask('GET', target, lines), refusal);
      });

      it('TRACE gets a refusal of the same shape, and does not reach a node', async () => {
        const answer = await ask('TRACE', HEALTH);
        expectRefusal(answer, '405 method_not_allowed');
        expect(answer?.headers.allow).toContain('GET');
        expect(deployment.log()).not.toContain('TRACE');
      });

      it(`V14 slow bodies of one address hold at most ${SLOW} connections, and others are served`, async () => {
        const head = `POST ${SNAPSHOTS} HTTP/1.1\r\nHost: gateway.example\r\nContent-Length: 9\r\n\r\n{`;
        const slow = Array.from({ length: SLOW + 10 }, () =>
          openClient(deployment.port, { localAddress: '127.0.0.2' }),
        );
        for (const { socket } of slow) socket.write(head);
        const refused = () => slow.flatMap((client) => client.answers());
        await until(() => refused().length === 10);
        for (const answer of refused()) expectRefusal(answer, '503 overloaded');
        expect((await ask('GET', '/healthz'))?.status).toBe(200);
        for (const { socket } of slow) socket.destroy();
      });

      it('no request reaches the internal location from which nginx answers', async () => {
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

      async function restartAll(): Promise<(number | null)[]> {
        const exitCodes: (number | null)[] = [];
        for (const node of deployment.nodes) {
          node.program.child.kill('SIGTERM');
          exitCodes.push(await node.program.ended);
          await node.start();
        }
        return exitCodes;
      }

      it('H13 nodes restart one after the other: every request is answered, every payment is charged once', {
        timeout: 900_000,
      }, async () => {
        for (const { upstream } of deployment.nodes) upstream.faults.delayMs = UPSTREAM_MS;
        const before = deployment.arrivals();
        const wallet = await openWallet(solana, 100_000_000n);
        const signed = signedTraffic(deployment.url, PER_SECOND);
        const paid = paidTraffic(deployment.url, wallet, REST_MS);
        const exitCodes: (number | null)[] = [];
        for (let round = 0; round < ROUNDS; round++) exitCodes.push(...(await restartAll()));
        const [answered, bought] = [await signed.end(), await paid.end()];
        const askedAgain = [...answered, ...bought].filter(({ answers }) => answers.length > 1).length;
        const counts = [answered.length, bought.length].join(' signed and ');
        process.stdout.write(`${exitCodes.length} restarts: ${counts} paid requests, ${askedAgain} asked again\n`);
        expect(exitCodes).toEqual(exitCodes.map(() => 0));
        const outcomes = [...answered, ...bought];
        expect(outcomes.filter(({ answers, faults }) => answers.at(-1) !== '200' || faults.length > 0)).toEqual([]);
        const farewells = outcomes.flatMap(({ answers }) => answers).filter((answer) => answer === '503 shutting_down');
        const trouble = deployment
          .proxyLog()
          .split('\n')
          .filter((line) => !line.includes('Connection refused'));
        // Sent by a node, not by nginx.
        expect(farewells, trouble.join('\n')).toHaveLength(
          deployment.log().split('"error":"shutting_down"').length - 1,
        );
        expect(deployment.arrivals() - before).toBe(answered.filter(({ route }) => route.startsWith('tokens.')).length);
        expect(solana.mainnet.transfers).toHaveLength(bought.length);
        await expectBooksInOrder({ url: deployment.databaseUrl }, solana.mainnet.transfers);
        expect(Math.min(answered.length, bought.length)).toBeGreaterThan(exitCodes.length);
        for (const { upstream } of deployment.nodes) upstream.faults.reset();
      });

      it('a request whose node dies is sent to another one, which answers nothing twice', async () => {
        const { nodes } = deployment;
        for (const { upstream } of nodes) upstream.faults.hang = true;
        const before = deployment.arrivals();
        const holds = nodes.map(({ upstream }) => upstream.arrivals.length);
        const header = await signedHeader(deployment.url + HEALTH);
        const answer = fetch(deployment.url + HEALTH, { headers: { 'SIGN-IN-WITH-X': header } });
        await until(() => deployment.arrivals() === before + 1);
        const holder = nodes.find(({ upstream }, at) => upstream.arrivals.length > (holds[at] ?? 0));
        holder?.program.child.kill('SIGKILL');
        expectRefusal(await seen(await answer), '402 invalid_siwx_nonce');
        expect(deployment.arrivals()).toBe(before + 1);
        for (const { upstream } of nodes) upstream.faults.reset();
      });

      it('without a node it answers a refusal that says when to ask again', async () => {
        for (const { program } of deployment.nodes) program.child.kill('SIGKILL');
        await Promise.all(deployment.nodes.map(({ program }) => program.ended));
        const answer = await ask('GET', HEALTH);
        expectRefusal(answer, '503 shutting_down');
        expect(answer?.headers['retry-after']).toBe('1');
        await deployment.nodes[0]?.start();
        expect((await ask('GET', '/healthz'))?.status).toBe(200);
      });
    }),
  );

suiteWith('nginx', 'behind the shipped nginx', suiteOf(2));
if (isFull) suiteWith('nginx', 'behind the shipped nginx', suiteOf(4));
