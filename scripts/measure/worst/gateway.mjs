// A gateway in its own process that reports its CPU time on request.
import { processEnvironment, readConfig, startGateway } from '../../../packages/gateway/dist/index.js';

const gateway = await startGateway(readConfig(processEnvironment()));
process.on('message', () => process.send({ cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit(0));
process.send({ url: gateway.url });
