#!/usr/bin/env node
import { doctor } from './command.ts';

process.exitCode = await doctor(process.argv.slice(2), process);
