import { GENESIS_HASHES } from '../addresses.ts';
import type { Commitment } from '../blocks.ts';
import { type Method, VERSION, withContext } from '../node.ts';
import { commitmentOf, configAt, type Params, textAt } from '../params.ts';

const commitmentAt = (params: Params, index: number): Commitment => commitmentOf(configAt(params, index));

/** The methods about blocks and the node. */
export const blockMethods: Readonly<Record<string, Method>> = {
  getLatestBlockhash(params, node) {
    const commitment = commitmentAt(params, 0);
    return withContext(node, commitment, { ...node.bank.blocks.latest(commitment) });
  },
  isBlockhashValid(params, node) {
    const commitment = commitmentAt(params, 1);
    return withContext(node, commitment, node.bank.blocks.isValid(textAt(params, 0), commitment));
  },
  getBlockHeight: (params, { bank }) => bank.blocks.height(commitmentAt(params, 0)),
  getSlot: (params, { bank }) => bank.blocks.slot(commitmentAt(params, 0)),
  getEpochInfo(params, { bank }) {
    const commitment = commitmentAt(params, 0);
    const { epoch, index, length } = bank.blocks.epoch(commitment);
    return {
      absoluteSlot: bank.blocks.slot(commitment),
      blockHeight: bank.blocks.height(commitment),
      epoch,
      slotIndex: index,
      slotsInEpoch: length,
      transactionCount: bank.landed.length,
    };
  },
  getGenesisHash: (_, { bank }) => GENESIS_HASHES[bank.cluster],
  getHealth: () => 'ok',
  getVersion: () => VERSION,
};
