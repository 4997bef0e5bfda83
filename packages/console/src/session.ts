import { createFreeClient, type Signer, signerFromKeyPair } from '@asset-gateway/client';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Recorder } from './recorder.ts';
import { BrowserWallet } from './wallet/browser-wallet.ts';
import { browserKey } from './wallet/storage.ts';

/** Shared by all views of a tab. */
export type Session = Awaited<ReturnType<typeof openSession>>;

/** Provides the session to all views. */
export const SessionContext = createContext({} as Session);

export const useSession = (): Session => useContext(SessionContext);

/** Starts a session with the key of this browser. */
export async function openSession() {
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
  return { client, recorder, wallet: new BrowserWallet({ signer, wallet: key, fetch }, isStored) };
}
