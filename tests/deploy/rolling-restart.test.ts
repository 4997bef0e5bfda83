import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { suiteWith } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { openWallet } from '../payments/wallets.ts';
import { compileGateway } from '../process/program.ts';
import { type Deployment, startDeployment } from './nodes.ts';
import { paidTraffic, signedTraffic } from './traffic.ts';

/** Of two nodes, so that two restarts are the fewest. */
const ROUNDS = isFull ? 20 : 1;
/** Long enough at so many requests a second that a node has some in flight whenever it is told to stop. */
const [PER_SECOND, UPSTREAM_MS] = isFull ? [50, 200] : [15, 350];

suiteWith('nginx', 'two nodes behind nginx', (nginx) => {
  suiteWith('redis-server', 'that share their state', () => {
    let solana: SolanaSandbox;
    let deployment: Deployment;
    beforeAll(async () => {
      await compileGateway();
      solana = await startSolanaSandbox({ key: 'a-key-of-the-providers' });
      deployment = await startDeployment(nginx, solana.variables);
      for (const { upstream } of deployment.nodes) upstream.faults.delayMs = UPSTREAM_MS;
    }, 120_000);
    afterAll(async () => {
      await deployment?.stop();
      await solana?.close();
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

    it('H13 restarted one after the other, again and again: every request is answered, every payment once', {
      timeout: 900_000,
    }, async () => {
      const wallet = await openWallet(solana, 100_000_000n);
      const [signed, paid] = [signedTraffic(deployment.url, PER_SECOND), paidTraffic(deployment.url, wallet)];
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
      // Said by a node that was there to say it, and not by nginx for want of one.
      expect(farewells).toHaveLength(deployment.log().split('"error":"shutting_down"').length - 1);
      expect(deployment.arrivals()).toBe(answered.filter(({ route }) => route.startsWith('tokens.')).length);
      expect(solana.mainnet.transfers).toHaveLength(bought.length);
      expect(Math.min(answered.length, bought.length)).toBeGreaterThan(exitCodes.length);
    });
  });
});
