// A gateway in a process of its own that tells, when it is asked, how much CPU time it has taken.
import { processEnvironment, readConfig, startGateway } from '../../../packages/gateway/dist/index.js';

const gateway = await startGateway(readConfig(processEnvironment()));
process.on('message', () => process.send({ cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit(0));
process.send({ url: gateway.url });
