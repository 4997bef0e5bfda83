// The chains that purchases settle on. Answers each message with the variables of a gateway on them, and the calls since the last message.
import { startSolanaSandbox } from '../../packages/sandbox/dist/solana-sandbox.js';

const { mainnet, variables } = await startSolanaSandbox({ key: 'a-key-of-the-providers' });
process.on('message', () => {
  const methods = mainnet.calls.splice(0).map(({ method }) => method);
  process.send({ methods, variables });
});
process.stdout.write(`listening on ${mainnet.url}\n`);
