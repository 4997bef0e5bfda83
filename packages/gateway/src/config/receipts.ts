import { readKeypair } from './keypair.ts';
import type { Reader } from './settings.ts';

/** What receipts are signed with. */
export interface ReceiptsConfig {
  /** The first signs, all are published. Empty: the keys that the gateway's secrets give. */
  readonly keypairs: readonly Uint8Array[];
}

const NAME = 'RECEIPT_KEYPAIR';

const OFF = `${NAME} is set and no receipt is signed: set RECEIPTS=on`;

/** One key pair, or several with commas between them; the commas inside a JSON array are its own. */
function readKeypairs(read: Reader): Uint8Array[] {
  const text = read.text(NAME, '');
  const texts = text.startsWith('[') ? [text] : read.list(NAME);
  return texts.flatMap((each) => readKeypair(read, NAME, each) ?? []);
}

/** Reads what receipts are signed with, also where none are, so that its faults are named. */
export function readReceipts(read: Reader): ReceiptsConfig | undefined {
  const keypairs = readKeypairs(read);
  if (read.choice('RECEIPTS', 'off', ['off', 'on']) === 'on') return { keypairs };
  if (keypairs.length > 0) read.notices.push(OFF);
  return undefined;
}
