// The gateway. With WINDOW_MS its windows are so short that a budget on disk suffices for all measured requests.
import { readConfig, startGateway } from '../../packages/gateway/dist/index.js';

const { WINDOW_MS } = process.env;
const { address } = await startGateway(readConfig(process.env), WINDOW_MS ? { windowMs: Number(WINDOW_MS) } : {});
process.stdout.write(`listening on http://${address}\n`);
