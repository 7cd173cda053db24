import { describeRules, runsOf } from './check-rules.js';

const SCALE = 5;

console.info(`rules: ${runsOf(SCALE)} random programs`);
describeRules(SCALE);
