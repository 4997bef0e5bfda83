import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REFUSALS, type SiwxMessage, siwxMessageText } from '@asset-gateway/protocol';
import { parseSIWxHeader, verifySIWxSignature } from '@x402/extensions/sign-in-with-x';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { runCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { suiteWith } from '../kit/optional.ts';
import { blocksOf } from '../kit/page.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { encodeHeader } from '../kit/wallet.ts';

const PAGE = 'docs/signing.md';
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

const [layout = '', key = '', text = '', signatures = ''] = blocksOf(PAGE, 'text').map((block) => block.trimEnd());
const [json = ''] = blocksOf(PAGE, 'json');

describe('the page about signing', () => {
  it('lists the lines of the text in order', () => {
    const all: SiwxMessage = {
      domain: '{domain}',
      address: '{address}',
      statement: '{statement}',
      uri: '{uri}',
      version: '{version}',
      chainId: 'solana:{chainId without its namespace}',
      nonce: '{nonce}',
      issuedAt: '{issuedAt}',
      expirationTime: '{expirationTime}',
      notBefore: '{notBefore}',
      requestId: '{requestId}',
      resources: ['{first of resources}', '{second of resources}'],
    };
    expect(layout).toBe(siwxMessageText(all));
  });

  it('has a consistent example: key, address, text, signature and JSON', async () => {
    const [seed = '', address] = key.split('\n');
    const der = Buffer.concat([PKCS8_HEAD, Buffer.from(seed, 'hex')]);
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
    expect(address).toBe(bs58.encode(Buffer.from(x, 'base64url')));

    const payload = JSON.parse(json) as SiwxMessage & { signature: string };
    expect([payload.address, siwxMessageText(payload)]).toEqual([address, text]);
    expect(Buffer.byteLength(text)).toBe(398);
    const signature = sign(null, Buffer.from(text), privateKey);
    expect(signatures.split('\n')).toEqual([signature.toString('hex'), payload.signature]);
    expect(payload.signature).toBe(bs58.encode(signature));

    const header = encodeHeader(payload);
    expect(Buffer.from(header, 'base64').toString()).toBe(json.trimEnd());
    expect(await verifySIWxSignature(parseSIWxHeader(header))).toMatchObject({ isValid: true, payer: address });
  });

  it('is named by the refusal of a signature', () => {
    expect(REFUSALS.invalid_siwx_signature.message).toContain(PAGE);
  });
});

suiteWith('curl', 'examples/curl.sh', () => {
  suiteWith('openssl', 'with openssl', () => {
    const folder = makeFolder();
    const gateway = inSuite(async () => {
      const port = String(await freePort());
      const leads = `connect-to = "localhost:8402:127.0.0.1:${port}"`;
      writeFileSync(join(folder, '.curlrc'), `${leads}\nwrite-out = "%{stderr}%{http_code} "\n`);
      return startTestGateway({ GATEWAY_BASE_URL: 'http://localhost:8402', PORT: port });
    });

    it('sign in twice, with one challenge', async () => {
      const env = { TMPDIR: folder, CURL_HOME: folder };
      const { stdout, stderr } = await runCommand(['sh', '-eu', 'examples/curl.sh'], { env });
      expect(stderr).toBe('402 200 200 ');
      const answers = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(answers.map(({ ok, method }) => [ok, method])).toEqual([
        [true, 'assetDetail'],
        [true, 'search'],
      ]);
      expect(gateway.upstream.arrivals).toHaveLength(2);
    });

    it.each(['', '0000ff', 'ff'.repeat(64)])('encode %s in base58', async (hex) => {
      const [command = ''] = /^base58\(\) \{.*?^\}/ms.exec(readFileSync('examples/curl.sh', 'utf8')) ?? [];
      const file = join(folder, 'bytes');
      writeFileSync(file, Buffer.from(hex, 'hex'));
      const { stdout } = await runCommand(['sh', '-eu', '-c', `${command}\nbase58 < ${file}`]);
      expect(stdout).toBe(bs58.encode(Buffer.from(hex, 'hex')));
    });
  });
});
