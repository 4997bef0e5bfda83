import { createFreeClient, type FreeClient, type Signer, throwAwaySigner } from '@asset-gateway/client';
import { Recorder } from './recorder.ts';

/** What all views of a tab share: its key, its client, and what they have said to the gateway. */
export interface Session {
  readonly address: string;
  readonly client: FreeClient;
  readonly recorder: Recorder;
  /** Sends a request and pays for it, within the caps of the wallet; nothing where no wallet pays. */
  readonly buy?: (path: string, body?: unknown) => Promise<Response>;
}

/** Begins a session with a key that is made here, cannot be read, and is gone with the tab. */
export async function openSession(): Promise<Session> {
  const recorder = new Recorder();
  const key = await throwAwaySigner();
  const signer: Signer = {
    address: key.address,
    signMessage(message) {
      recorder.signed(message);
      return key.signMessage(message);
    },
  };
  const client = createFreeClient({ baseUrl: location.origin, signer, fetch: recorder.fetch });
  return { address: key.address, client, recorder };
}
