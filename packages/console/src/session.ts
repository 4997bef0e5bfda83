import { createFreeClient, type FreeClient, type Signer, signerFromKeyPair } from '@asset-gateway/client';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Recorder } from './recorder.ts';
import { BrowserWallet } from './wallet/browser-wallet.ts';
import { browserKey } from './wallet/storage.ts';

/** Shared by all views of a tab. */
export interface Session {
  readonly address: string;
  readonly client: FreeClient;
  readonly recorder: Recorder;
  readonly wallet: BrowserWallet;
}

/** Provides the session to all views. */
export const SessionContext = createContext({} as Session);

export const useSession = (): Session => useContext(SessionContext);

/** Starts a session with the key of this browser. */
export async function openSession(): Promise<Session> {
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
  return { address, client, recorder, wallet: new BrowserWallet({ signer, key, isStored, fetch }) };
}
