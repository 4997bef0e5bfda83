// The gateway with a short window, so that a budget on disk suffices for all measured requests.
import { readConfig, startGateway } from '../../packages/gateway/dist/index.js';

const { url } = await startGateway(readConfig(process.env), { windowMs: Number(process.env.WINDOW_MS) });
process.stdout.write(`listening on ${url}\n`);
