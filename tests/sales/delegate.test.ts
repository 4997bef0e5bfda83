import { rmSync } from 'node:fs';
import { newKeypair } from '@asset-gateway/client/node';
import { PROGRAMS } from '@asset-gateway/protocol';
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstruction,
  createKeyPairSignerFromBytes,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import Connection from 'libsql';
import { afterAll, expect, it } from 'vitest';
import type { Chain } from '../../packages/sandbox/src/chain/chain.ts';
import { associatedAddress } from '../../packages/sandbox/src/chain/token.ts';
import { makeFolder } from '../kit/folder.ts';
import { addressOf, carrying, draftOf, signed } from '../payments/drafts.ts';
import { openForge } from '../payments/forge.ts';
import { runSales } from './kit.ts';

const APPROVE = 4;
const LAMPORTS = 1_000_000_000n;

/** Lets a delegate spend an owner's USDC. */
async function approve(chain: Chain, owner: Uint8Array, delegate: string, micros: bigint): Promise<void> {
  chain.airdrop(addressOf(owner), LAMPORTS);
  const signer = await createKeyPairSignerFromBytes(owner);
  const source = await associatedAddress(addressOf(owner), chain.usdcMint);
  const { value } = (await chain.answer('getLatestBlockhash', [])) as {
    value: Parameters<typeof setTransactionMessageLifetimeUsingBlockhash>[0];
  };
  const data = Buffer.alloc(9);
  data.writeUInt8(APPROVE);
  data.writeBigUInt64LE(micros, 1);
  const instruction = {
    programAddress: PROGRAMS.token as Address,
    accounts: [
      { address: source as Address, role: AccountRole.WRITABLE },
      { address: delegate as Address, role: AccountRole.READONLY },
      { address: signer.address, role: AccountRole.READONLY_SIGNER },
    ],
    data: Uint8Array.from(data),
  };
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (each) => setTransactionMessageFeePayerSigner(signer, each),
    (each) => setTransactionMessageLifetimeUsingBlockhash(value, each),
    (each) => appendTransactionMessageInstruction(instruction, each),
  );
  const transaction = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
  await chain.answer('sendTransaction', [transaction, { encoding: 'base64' }]);
}

const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('X12 a payment that a delegate signs belongs to the delegate: for the gateway, for verify and for a repair', async () => {
  const forge = await openForge({ DATA_DIR: folder });
  const { solana } = forge.gateway;
  const chain = solana.devnet;
  const delegate = newKeypair();
  await chain.fundUsdc(addressOf(delegate), 1n);
  await approve(chain, forge.payer, addressOf(delegate), 1_000n);
  const own = await forge.genuine(delegate);
  const draft = draftOf(own.wire);
  const [from, to] = await Promise.all(
    [delegate, forge.payer].map((each) => associatedAddress(addressOf(each), forge.mint)),
  );
  draft.staticAccounts = draft.staticAccounts.map((key) => (key === from ? (to ?? '') : key));
  const before = await forge.standing();
  expect((await forge.pay(carrying(own.payload, signed(draft, [delegate])))).status).toBe(200);
  expect((await forge.standing()).payer).toBe(before.payer - 5n);
  await forge.gateway.stop();

  const variables = { PORT: '0', ...solana.variables, PAY_TO_WALLET: addressOf(forge.payee), DATA_DIR: folder };
  const verify = (...words: string[]) => runSales(variables, 'verify', '--json', ...words);
  expect(await verify()).toMatchObject({ code: 0, stdout: '[]\n' });
  const connection = new Connection(`${folder}/gateway.db`);
  const wallets = () => connection.prepare('select kind, wallet from journal').all();
  expect(wallets()).toEqual([{ kind: 'settlement', wallet: addressOf(delegate) }]);
  connection.exec('delete from journal_entries');
  expect(await verify('--repair')).toMatchObject({ code: 0, stdout: '[]\n' });
  expect(wallets()).toEqual([{ kind: 'settlement', wallet: addressOf(delegate) }]);
  connection.close();
});
