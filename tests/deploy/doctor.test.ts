import { examine } from '@asset-gateway/doctor';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { suiteWith } from '../kit/optional.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { type Nginx, startNginx } from './nginx.ts';

suiteWith('nginx', 'behind the shipped nginx', (program) => {
  let gateway: TestGateway;
  let nginx: Nginx;
  let url: string;
  beforeAll(async () => {
    const [port, nodePort] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}`;
    gateway = await startTestGateway({ PORT: String(nodePort), GATEWAY_BASE_URL: url }, { paid: true });
    nginx = await startNginx(program, port, [nodePort, nodePort]);
  });
  afterAll(async () => {
    await nginx?.stop();
    await gateway?.stop();
  });

  it('a gateway that sells everything gives the doctor nothing to fix', async () => {
    expect(await examine(url)).toMatchObject({ origin: url, routes: 60, findings: [] });
    expect(gateway.upstream.arrivals).toEqual([]);
    expect(gateway.solana?.provider.arrivals).toEqual([]);
  }, 60_000);
});
