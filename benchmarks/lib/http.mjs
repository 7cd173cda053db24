import { fork } from 'node:child_process';
import { compareAnswers, toleranceOf } from '../workload/agree.mjs';

// Server and client of the end-to-end experiments, each a process.

const SERVER = new URL('../trials/http-server.mjs', import.meta.url);
const CLIENT = new URL('../trials/http-client.mjs', import.meta.url);

/** @param {URL} script @param {string[]} parameters */
async function start(script, parameters) {
  const child = fork(script, parameters, { stdio: 'inherit' });
  const hello = await asked(child);
  return {
    hello,
    /** @param {any} message */
    ask: (message) => {
      const answer = asked(child);
      child.send(message);
      return answer;
    },
    close: () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.send('close');
      }),
  };
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<any>} */
function asked(child) {
  return new Promise((resolve, reject) => {
    const ended = (/** @type {number | null} */ code) =>
      reject(new Error(`a process of the HTTP benchmark ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}

/** @param {import('./paper-fleet.mjs').Load} load */
export async function startServer(load) {
  const { hello, ask, close } = await start(SERVER, [JSON.stringify(load)]);
  return { port: hello.port, times: async () => (await ask('times')).predictions, close };
}

export async function startClient() {
  const { ask, close } = await start(CLIENT, []);
  return {
    /** @param {{ port: number, kind: string, models: number, rate: number, seconds: number, alpha?: number, batch: number }} load */
    load: ask,
    /** Answers of a model to the first rows. @param {number} port @param {string} kind @param {number} model @param {number} count @returns {Promise<number[]>} */
    answers: async (port, kind, model, count) => (await ask({ port, kind, ask: model, count })).numbers,
    close,
  };
}

/** Servers of the same fleet must say the same over HTTP. @param {Awaited<ReturnType<typeof startClient>>} client @param {import('../workload/fleets.mjs').Kind} kind @param {Record<string, { port: number }>} servers @param {number} models */
export async function compareServers(client, kind, servers, models) {
  const said = [];
  for (const model of new Set([0, models - 1])) {
    /** @type {Record<string, number[]>} */
    const answers = {};
    for (const [name, { port }] of Object.entries(servers))
      answers[name] = await client.answers(port, kind, model, 100);
    said.push(compareAnswers(`${kind} model ${model} over HTTP`, answers, toleranceOf(kind)));
  }
  return said.join('; ');
}
