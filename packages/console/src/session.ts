import { createFreeClient, type FreeClient, type Signer, signerFromKeyPair } from '@asset-gateway/client';
import { Recorder } from './recorder.ts';
import { BrowserWallet } from './wallet/browser-wallet.ts';
import { browserKey } from './wallet/storage.ts';

/** The session of a tab, which all views share. Set when `openSession` ends. */
export let session: { readonly client: FreeClient; readonly recorder: Recorder; readonly wallet: BrowserWallet };

/** Starts the session with the key of this browser. */
export async function openSession(): Promise<void> {
  const recorder = new Recorder();
  const { key, isStored } = await browserKey();
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
  session = { client, recorder, wallet: new BrowserWallet({ signer, wallet: key, fetch }, isStored) };
}
