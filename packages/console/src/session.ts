import { createFreeClient, type FreeClient, type Signer, signerFromKeyPair } from '@asset-gateway/client';
import { Recorder } from './recorder.ts';
import { browserKey } from './wallet/key-store.ts';
import { Purse } from './wallet/purse.ts';

/** What all views of a tab share: its key, its client, what they have said to the gateway, and who pays. */
export interface Session {
  readonly address: string;
  readonly client: FreeClient;
  readonly recorder: Recorder;
  readonly purse: Purse;
}

/** Begins a session with the key of this browser, which nobody can read. */
export async function openSession(): Promise<Session> {
  const recorder = new Recorder();
  const { key, isKept } = await browserKey();
  const { address, signMessage } = await signerFromKeyPair(key);
  const signer: Signer = {
    address,
    signMessage(message) {
      recorder.signed(message);
      return signMessage(message);
    },
  };
  const { fetch } = recorder;
  const client = createFreeClient({ baseUrl: location.origin, signer, fetch });
  return { address, client, recorder, purse: new Purse({ signer, key, isKept, fetch }) };
}
