// The gateway, which answers each message with its CPU time. With WINDOW_MS its windows are so short that a budget on disk suffices
// for all measured requests.
import { readConfig, startGateway } from '../../packages/gateway/dist/index.js';

const { WINDOW_MS } = process.env;
const { url } = await startGateway(readConfig(process.env), WINDOW_MS ? { windowMs: Number(WINDOW_MS) } : {});
process.on('message', () => process.send({ cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit(0));
process.send({ url });
process.stdout.write(`listening on ${url}\n`);
